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

    public static let columns = """
        c.id, c.url, c.name, c.cover_url, c.data, c.custom_type, c.created_at, c.created_by, c.flags, c.access_code, \
        c.survival, c.distinct_key, c.is_deleted, c.last_message_id, c.last_message_at, c.countable, c.member_count, \
        c.joined_count, c.pinned, c.change_seq, c.change_at
        """
    public static let columnCount: Int32 = 21

    public init(url: String, createdAt: Int64) {
        self.url = url
        self.createdAt = createdAt
    }

    public init(_ row: Statement, from first: Int32 = 0) {
        id = row.int(first)
        url = row.text(first + 1)
        name = row.text(first + 2)
        coverURL = row.text(first + 3)
        data = row.text(first + 4)
        customType = row.text(first + 5)
        createdAt = row.time(first + 6)
        createdBy = row.text(first + 7)
        flags = Flags(rawValue: row.int(first + 8))
        accessCode = row.text(first + 9)
        survival = row.int(first + 10)
        distinctKey = row.text(first + 11)
        isDeleted = row.bool(first + 12)
        lastMessageID = row.int(first + 13)
        lastMessageAt = row.time(first + 14)
        countable = row.count(first + 15)
        memberCount = row.count(first + 16)
        joinedCount = row.count(first + 17)
        pinned = row.bytes(first + 18)
        changeSeq = row.int(first + 19)
        changeAt = row.time(first + 20)
    }

    public var isFrozen: Bool { flags.contains(.frozen) }
    public var isSuper: Bool { flags.contains(.isSuper) }
    public var isPublic: Bool { flags.contains(.isPublic) }
    public var isBroadcast: Bool { flags.contains(.broadcast) }
}
