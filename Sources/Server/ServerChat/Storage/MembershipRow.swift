import SyncSQLite

/// A user's part in a channel as stored.
public struct MembershipRow {
    public enum State: Int64 {
        /// Left, removed or declined; the row stays so that the changelog can tell.
        case gone = 0
        case invited = 1
        case joined = 2

        public var word: String {
            switch self {
            case .gone: "none"
            case .invited: "invited"
            case .joined: "joined"
            }
        }
    }

    public enum Hidden: Int64 {
        case no = 0
        case untilNewMessage = 1
        case always = 2

        /// The protocol's name of the state.
        public var word: String {
            switch self {
            case .no: "unhidden"
            case .untilNewMessage: "hidden_allow_auto_unhide"
            case .always: "hidden_prevent_auto_unhide"
            }
        }
    }

    public private(set) var channelID: Int64
    public private(set) var userID: String
    public var state: State
    public var isOperator = false
    public var inviter = ""
    public var invitedAt: Int64 = 0
    public var joinedAt: Int64 = 0
    public var lastRead: Int64 = 0
    public var delivered: Int64 = 0
    public var readTotal: Int64 = 0
    public var ownUnread: Int64 = 0
    public var mentions: Int64 = 0
    public var hidden = Hidden.no
    /// Messages before this time are not shown to this member.
    public var offset: Int64 = 0
    public var countPreference = "all"
    public var pushTrigger = "default"
    /// 0: not muted, -1: for ever, else until then.
    public var mutedUntil: Int64 = 0
    public var mutedAt: Int64 = 0
    public var muteNote = ""
    public var pushSound = ""
    public var changeSeq: Int64 = 0
    public var changeAt: Int64 = 0
    /// The newest silent message of the member's own; 0: none.
    public var silentID: Int64 = 0
    public var silentAt: Int64 = 0

    static let columns = Columns<MembershipRow>(of: "m", [
        .init("channel_id", { $0.channelID = $1.int($2) }, { $1.bind($0.channelID) }),
        .init("user_id", { $0.userID = $1.text($2) }, { $1.bind($0.userID) }),
        .init("state", { $0.state = State(rawValue: $1.int($2)) ?? .gone }, { $1.bind($0.state.rawValue) }),
        .init("is_operator", { $0.isOperator = $1.bool($2) }, { $1.bind($0.isOperator) }),
        .init("inviter", { $0.inviter = $1.text($2) }, { $1.bind($0.inviter) }),
        .init("invited_at", { $0.invitedAt = $1.time($2) }, { $1.bind($0.invitedAt) }),
        .init("joined_at", { $0.joinedAt = $1.time($2) }, { $1.bind($0.joinedAt) }),
        .init("last_read", { $0.lastRead = $1.time($2) }, { $1.bind($0.lastRead) }),
        .init("delivered", { $0.delivered = $1.time($2) }, { $1.bind($0.delivered) }),
        .init("read_total", { $0.readTotal = $1.count($2) }, { $1.bind($0.readTotal) }),
        .init("own_unread", { $0.ownUnread = $1.count($2) }, { $1.bind($0.ownUnread) }),
        .init("mentions", { $0.mentions = $1.count($2) }, { $1.bind($0.mentions) }),
        .init("hidden", { $0.hidden = Hidden(rawValue: $1.int($2)) ?? .no }, { $1.bind($0.hidden.rawValue) }),
        .init("offset", { $0.offset = $1.time($2) }, { $1.bind($0.offset) }),
        .init("count_preference", { $0.countPreference = $1.text($2) }, { $1.bind($0.countPreference) }),
        .init("push_trigger", { $0.pushTrigger = $1.text($2) }, { $1.bind($0.pushTrigger) }),
        .init("muted_until", { $0.mutedUntil = $1.time($2) }, { $1.bind($0.mutedUntil) }),
        .init("muted_at", { $0.mutedAt = $1.time($2) }, { $1.bind($0.mutedAt) }),
        .init("mute_note", { $0.muteNote = $1.text($2) }, { $1.bind($0.muteNote) }),
        .init("change_seq", { $0.changeSeq = $1.int($2) }, { $1.bind($0.changeSeq) }),
        .init("change_at", { $0.changeAt = $1.time($2) }, { $1.bind($0.changeAt) }),
        .init("push_sound", { $0.pushSound = $1.text($2) }, { $1.bind($0.pushSound) }),
        .init("silent_id", { $0.silentID = $1.int($2) }, { $1.bind($0.silentID) }),
        .init("silent_at", { $0.silentAt = $1.int($2) }, { $1.bind($0.silentAt) }),
    ])

    public init(channelID: Int64, userID: String, state: State) {
        self.channelID = channelID
        self.userID = userID
        self.state = state
    }

    /// Reads the columns above, from `first` on.
    init(_ row: Statement, from first: Int32 = 0) {
        self.init(channelID: 0, userID: "", state: .gone)
        MembershipRow.columns.read(row, from: first, into: &self)
    }

    public func isMuted(at now: Int64) -> Bool { mutedUntil == -1 || mutedUntil > now }

    /// How many messages of others wait; what the member's count preference hides is zero.
    public func unread(in channel: ChannelRow) -> Int64 {
        guard state == .joined, countPreference == "all" || countPreference == "unread_message_count_only" else {
            return 0
        }
        return max(0, channel.countable - readTotal - ownUnread)
    }

    public var unreadMentions: Int64 {
        guard state == .joined, countPreference == "all" || countPreference == "unread_mention_count_only" else {
            return 0
        }
        return mentions
    }
}
