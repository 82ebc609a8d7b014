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

    public let channelID: Int64
    public let userID: String
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

    public static let columns = """
        m.channel_id, m.user_id, m.state, m.is_operator, m.inviter, m.invited_at, m.joined_at, m.last_read, \
        m.delivered, \
        m.read_total, m.own_unread, m.mentions, m.hidden, m.offset, m.count_preference, m.push_trigger, m.muted_until, \
        m.muted_at, m.mute_note, m.change_seq, m.change_at, m.push_sound, \
        m.silent_id, m.silent_at
        """
    public static let columnCount: Int32 = 24

    public init(channelID: Int64, userID: String, state: State) {
        self.channelID = channelID
        self.userID = userID
        self.state = state
    }

    public init(_ row: Statement, from first: Int32 = 0) {
        channelID = row.int(first)
        userID = row.text(first + 1)
        state = State(rawValue: row.int(first + 2)) ?? .gone
        isOperator = row.bool(first + 3)
        inviter = row.text(first + 4)
        invitedAt = row.time(first + 5)
        joinedAt = row.time(first + 6)
        lastRead = row.time(first + 7)
        delivered = row.time(first + 8)
        readTotal = row.count(first + 9)
        ownUnread = row.count(first + 10)
        mentions = row.count(first + 11)
        hidden = Hidden(rawValue: row.int(first + 12)) ?? .no
        offset = row.time(first + 13)
        countPreference = row.text(first + 14)
        pushTrigger = row.text(first + 15)
        mutedUntil = row.time(first + 16)
        mutedAt = row.time(first + 17)
        muteNote = row.text(first + 18)
        changeSeq = row.int(first + 19)
        changeAt = row.time(first + 20)
        pushSound = row.text(first + 21)
        silentID = row.int(first + 22)
        silentAt = row.int(first + 23)
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
