import ServerBase
import SyncBytes

/// Every filter of a list of a user's channels. Text compares without regard to case, as people expect of a search.
public struct ChannelListQuery {
    public var order: ChannelOrder
    public var showsEmpty = true
    public var showsFrozen = true
    public var showsChatNotifications = false
    public var distinctMode = "all"
    public var superMode = "all"
    public var publicMode = "all"
    public var hiddenMode = "unhidden_only"
    public var unreadOnly = false
    public var memberState = "all"
    public var customTypes: TextSet?
    public var customTypePrefix = ""
    public var urls: TextSet?
    public var name = ""
    public var namePrefix = ""
    public var nameContains = ""
    public var nicknameContains: [String] = []
    public var nicknamePrefix = ""
    public var nicknames: TextSet?
    /// The lists of ids that may be meant: a comma may separate two ids, or belong to one.
    public var exactMembers: [[String]] = []
    public var includedMembers: [[String]] = []
    public var includesAnyMember = false
    public var searchText = ""
    public var searchesNames = true
    public var searchesNicknames = true
    public var metadataKey = ""
    public var metadataValues: TextSet?
    public var metadataPrefix = ""
    public var metadataOrderKey = ""
    public var counters: CounterCondition?
    /// Milliseconds; 0 is none.
    public var createdBefore: Int64 = 0
    public var createdAfter: Int64 = 0
    /// How many channels make a page, and the token with which the last page ended; empty for the first one.
    public var limit = 10
    public var token = ""
    public var parts = ChannelView.Parts.all

    public init(order: ChannelOrder) { self.order = order }

    /// Whether a channel belongs to the list. The costly questions, those for its members and metadata, come last.
    public func matches(_ channel: ChannelRow, _ member: MembershipRow, _ viewer: String, _ storage: Storage) throws
        -> Bool
    {
        guard matchesChannel(channel, member), matchesMembership(channel, member) else { return false }
        return try matchesInviter(member, viewer, storage) && matchesMembers(channel, viewer, storage)
            && matchesMetadata(channel, storage)
            && (counters?.matches(storage.channels.counters(channel.id)) ?? true)
    }

    private func matchesChannel(_ channel: ChannelRow, _ member: MembershipRow) -> Bool {
        if !showsEmpty, channel.lastMessage(of: member) == nil { return false }
        if !showsFrozen, channel.isFrozen { return false }
        if !showsChatNotifications, channel.flags.contains(.chatNotification) { return false }
        switch distinctMode {
        case "distinct": if !channel.flags.contains(.distinct) { return false }
        case "nondistinct": if channel.flags.contains(.distinct) { return false }
        default: break
        }
        switch superMode {
        case "super": if !channel.isSuper { return false }
        case "nonsuper": if channel.isSuper { return false }
        case "broadcast_only": if !channel.isBroadcast { return false }
        case "exclusive_only": if !channel.flags.contains(.exclusive) { return false }
        default: break
        }
        if publicMode == "public", !channel.isPublic { return false }
        if publicMode == "private", channel.isPublic { return false }
        if let customTypes, !customTypes.contains(channel.customType) { return false }
        if !channel.customType.beginsWithBytes(of: customTypePrefix) { return false }
        if let urls, !urls.contains(channel.url) { return false }
        if !name.isEmpty, !channel.name.isByteEqual(to: name) { return false }
        if !namePrefix.isEmpty, !channel.name.lowercased().beginsWithBytes(of: namePrefix) { return false }
        if !nameContains.isEmpty, !channel.name.lowercased().contains(text: nameContains) { return false }
        if createdBefore > 0, channel.createdAt >= createdBefore { return false }
        if createdAfter > 0, channel.createdAt <= createdAfter { return false }
        return true
    }

    private func matchesMembership(_ channel: ChannelRow, _ member: MembershipRow) -> Bool {
        switch hiddenMode {
        case "unhidden_only": if member.hidden != .no { return false }
        case "hidden_only": if member.hidden == .no { return false }
        case "hidden_allow_auto_unhide", "hidden_allow_auto_hide": if member.hidden != .untilNewMessage { return false }
        case "hidden_prevent_auto_unhide": if member.hidden != .always { return false }
        default: break
        }
        if unreadOnly, member.unread(in: channel) == 0 { return false }
        switch memberState {
        case "joined_only": return member.state == .joined
        case "invited_only", "invited_by_friend", "invited_by_non_friend": return member.state == .invited
        default: return true
        }
    }

    private func matchesInviter(_ member: MembershipRow, _ viewer: String, _ storage: Storage) throws -> Bool {
        switch memberState {
        case "invited_by_friend": try storage.friends.isFriend(member.inviter, of: viewer)
        case "invited_by_non_friend": try !storage.friends.isFriend(member.inviter, of: viewer)
        default: true
        }
    }

    private func matchesMembers(_ channel: ChannelRow, _ viewer: String, _ storage: Storage) throws -> Bool {
        if !exactMembers.isEmpty {
            // The viewer counts as a member, whether it names itself or not.
            let members = TextSet(try storage.audience(channel.id))
            let own = viewer.isEmpty ? [] : [viewer]
            if !exactMembers.contains(where: { members == TextSet($0).union(own) }) { return false }
        }
        if !includedMembers.isEmpty {
            let members = TextSet(try storage.audience(channel.id))
            let isMet = includedMembers.contains { wanted in
                includesAnyMember ? wanted.contains(where: members.contains) : wanted.allSatisfy(members.contains)
            }
            if !isMet { return false }
        }
        let needsNicknames =
            !nicknameContains.isEmpty || !nicknamePrefix.isEmpty || nicknames != nil
            || !searchText.isEmpty && searchesNicknames
        let names =
            needsNicknames
            ? try storage.members.list(channel.id).filter { !$0.user.id.isByteEqual(to: viewer) }
                .map { $0.user.nickname.lowercased() } : []
        if !nicknameContains.isEmpty {
            let isFound = names.contains { name in nicknameContains.contains { name.contains(text: $0) } }
            if !isFound { return false }
        }
        if !nicknamePrefix.isEmpty, !names.contains(where: { $0.beginsWithBytes(of: nicknamePrefix) }) { return false }
        if let nicknames, !names.contains(where: nicknames.contains) { return false }
        if !searchText.isEmpty {
            let isNamed = searchesNames && channel.name.lowercased().contains(text: searchText)
            let hasMember = searchesNicknames && names.contains { $0.contains(text: searchText) }
            if !isNamed, !hasMember { return false }
        }
        return true
    }

    private func matchesMetadata(_ channel: ChannelRow, _ storage: Storage) throws -> Bool {
        guard !metadataKey.isEmpty else { return true }
        guard let value = try storage.channels.metadata(channel.id).value(ofKey: metadataKey) else {
            return false
        }
        if let metadataValues, !metadataValues.contains(value) { return false }
        return value.beginsWithBytes(of: metadataPrefix)
    }
}
