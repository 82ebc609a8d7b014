/// Which channels a collection shows, and in which order: every filter of the Chat v4 channel list query.
public struct ChannelQuery: Equatable, Hashable, Sendable {
    public enum Order: String, Sendable, CaseIterable {
        case latestLastMessage = "latest_last_message"
        case chronological
        case channelNameAlphabetical = "channel_name_alphabetical"
        case metadataValueAlphabetical = "metadata_value_alphabetical"
    }
    public enum Combination: String, Sendable, CaseIterable { case and, or }
    public enum MemberState: String, Sendable, CaseIterable {
        case all, joined = "joined_only", invited = "invited_only"
        case invitedByFriend = "invited_by_friend", invitedByNonFriend = "invited_by_non_friend"
    }
    public enum SuperChannels: String, Sendable, CaseIterable {
        case all, onlySuper = "super", nonsuper, broadcastOnly = "broadcast_only", exclusiveOnly = "exclusive_only"
    }
    public enum PublicChannels: String, Sendable, CaseIterable {
        case all, onlyPublic = "public", onlyPrivate = "private"
    }
    public enum UnreadChannels: String, Sendable, CaseIterable { case all, unreadMessage = "unread_message" }
    public enum HiddenChannels: String, Sendable, CaseIterable {
        case unhiddenOnly = "unhidden_only", all, hiddenOnly = "hidden_only"
        case hiddenAllowAutoUnhide = "hidden_allow_auto_unhide", hiddenPreventAutoUnhide = "hidden_prevent_auto_unhide"
    }
    public enum SearchField: String, Sendable, CaseIterable {
        case memberNickname = "member_nickname", channelName = "channel_name"
    }

    public static let limits: ClosedRange<Int64> = 1...100

    /// Page size of `fetch`, one of `limits`.
    public var limit = 20
    public var order = Order.latestLastMessage
    public var includeEmpty = true
    public var includeFrozen = true
    /// Whether `metadata` is part of what is told; filters and order use it either way.
    public var includeMetadata = true
    /// The same for `members`.
    public var includeMemberList = true
    public var includeChatNotification = false
    public var channelURLs: [ChannelURL] = []
    public var customTypes: [String] = []
    public var customTypeStartsWith = ""
    public var nicknameContains = ""
    public var nicknameStartsWith = ""
    public var nicknameExact = ""
    public var userIDsInclude: [UserID] = []
    public var userIDsCombination = Combination.and
    public var userIDsExact: [UserID] = []
    public var nameContains = ""
    public var memberState = MemberState.all
    public var superChannels = SuperChannels.all
    public var publicChannels = PublicChannels.all
    public var unreadChannels = UnreadChannels.all
    public var hiddenChannels = HiddenChannels.unhiddenOnly
    public var metadataKey = ""
    public var metadataValues: [String] = []
    public var metadataValueStartsWith = ""
    public var metadataOrderKey = ""
    public var searchQuery = ""
    public var searchFields: [SearchField] = []
    /// Milliseconds since the epoch; 0 for no bound.
    public var createdBefore: Int64 = 0
    public var createdAfter: Int64 = 0

    public init() {}
}
