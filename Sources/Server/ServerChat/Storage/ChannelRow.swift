import SyncJSON
import SyncSQLite

/// A group channel as stored.
public struct ChannelRow {
    public struct Flags: OptionSet, Sendable {
        public let rawValue: Int64
        public static let distinct = Flags(rawValue: 1)
        public static let isSuper = Flags(rawValue: 2)
        public static let broadcast = Flags(rawValue: 4)
        public static let exclusive = Flags(rawValue: 8)
        public static let isPublic = Flags(rawValue: 16)
        public static let discoverable = Flags(rawValue: 32)
        public static let ephemeral = Flags(rawValue: 64)
        public static let strict = Flags(rawValue: 128)
        public static let frozen = Flags(rawValue: 256)
        public static let chatNotification = Flags(rawValue: 512)
        /// Only the administration lets users in.
        public static let joinBlocked = Flags(rawValue: 1024)

        public init(rawValue: Int64) { self.rawValue = rawValue }
    }

    public var id: Int64 = 0
    public var url: String
    public var name = ""
    public var coverURL = ""
    public var data = ""
    public var customType = ""
    /// Milliseconds; the wire has seconds.
    public var createdAt: Int64
    public var createdBy = ""
    public var flags: Flags = []
    public var accessCode = ""
    public var survival: Int64 = -1
    public var distinctKey = ""
    public var isDeleted = false
    public var lastMessageID: Int64 = 0
    public var lastMessageAt: Int64 = 0
    /// How many messages that count as unread were ever sent (less the deleted ones).
    public var countable: Int64 = 0
    public var memberCount: Int64 = 0
    public var joinedCount: Int64 = 0
    /// A JSON array of message ids.
    public var pinned: [UInt8] = Array("[]".utf8)
    public var changeSeq: Int64 = 0
    public var changeAt: Int64 = 0

    static let columns = Columns<ChannelRow>(
        of: "c",
        [
            .init("id", { $0.id = $1.int($2) }, { $1.bind($0.id) }),
            .init("url", { $0.url = $1.text($2) }, { $1.bind($0.url) }),
            .init("name", { $0.name = $1.text($2) }, { $1.bind($0.name) }),
            .init("cover_url", { $0.coverURL = $1.text($2) }, { $1.bind($0.coverURL) }),
            .init("data", { $0.data = $1.text($2) }, { $1.bind($0.data) }),
            .init("custom_type", { $0.customType = $1.text($2) }, { $1.bind($0.customType) }),
            .init("created_at", { $0.createdAt = $1.time($2) }, { $1.bind($0.createdAt) }),
            .init("created_by", { $0.createdBy = $1.text($2) }, { $1.bind($0.createdBy) }),
            .init("flags", { $0.flags = Flags(rawValue: $1.int($2)) }, { $1.bind($0.flags.rawValue) }),
            .init("access_code", { $0.accessCode = $1.text($2) }, { $1.bind($0.accessCode) }),
            .init("survival", { $0.survival = $1.int($2) }, { $1.bind($0.survival) }),
            .init("distinct_key", { $0.distinctKey = $1.text($2) }, { $1.bind($0.distinctKey) }),
            .init("is_deleted", { $0.isDeleted = $1.bool($2) }, { $1.bind($0.isDeleted) }),
            .init("last_message_id", { $0.lastMessageID = $1.int($2) }, { $1.bind($0.lastMessageID) }),
            .init("last_message_at", { $0.lastMessageAt = $1.time($2) }, { $1.bind($0.lastMessageAt) }),
            .init("countable", { $0.countable = $1.count($2) }, { $1.bind($0.countable) }),
            .init("member_count", { $0.memberCount = $1.count($2) }, { $1.bind($0.memberCount) }),
            .init("joined_count", { $0.joinedCount = $1.count($2) }, { $1.bind($0.joinedCount) }),
            .init("pinned", { $0.pinned = $1.bytes($2) }, { $1.bind($0.pinned) }),
            .init("change_seq", { $0.changeSeq = $1.int($2) }, { $1.bind($0.changeSeq) }),
            .init("change_at", { $0.changeAt = $1.time($2) }, { $1.bind($0.changeAt) }),
        ])
    /// All columns but the id, which the database gives to a new row.
    static let newColumns = columns.without(["id"])
    /// The columns that a host may change.
    static let hostColumns = columns.only([
        "name", "cover_url", "data", "custom_type", "flags", "access_code", "survival", "distinct_key", "pinned",
    ])

    public init(url: String, createdAt: Int64) {
        self.url = url
        self.createdAt = createdAt
    }

    /// Reads the columns above, from `first` on.
    init(_ row: Statement, from first: Int32 = 0) {
        self.init(url: "", createdAt: 0)
        ChannelRow.columns.read(row, from: first, into: &self)
    }

    public var isFrozen: Bool { flags.contains(.frozen) }
    public var isSuper: Bool { flags.contains(.isSuper) }
    public var isPublic: Bool { flags.contains(.isPublic) }
    public var isBroadcast: Bool { flags.contains(.broadcast) }
}

extension ChannelRow {
    /// The last message as a member sees it, or the administration (`nil`).
    public func lastMessage(of member: MembershipRow?) -> (id: Int64, at: Int64)? {
        var last = (id: lastMessageID, at: lastMessageAt)
        if let member, member.silentID > 0, (last.at, last.id) < (member.silentAt, member.silentID) {
            last = (member.silentID, member.silentAt)
        }
        return last.id > 0 && last.at >= member?.offset ?? 0 ? last : nil
    }
}

extension ChannelRow {
    /// The ids of its pinned messages, the last pinned one last.
    public var pinnedIDs: [Int64] {
        (try? JSON.parse(pinned))?.array?.compactMap(\.int) ?? []
    }
}
