/// A group channel as stored.
struct ChannelRow {
    struct Flags: OptionSet {
        let rawValue: Int64
        static let distinct = Flags(rawValue: 1)
        static let isSuper = Flags(rawValue: 2)
        static let broadcast = Flags(rawValue: 4)
        static let exclusive = Flags(rawValue: 8)
        static let isPublic = Flags(rawValue: 16)
        static let discoverable = Flags(rawValue: 32)
        static let ephemeral = Flags(rawValue: 64)
        static let strict = Flags(rawValue: 128)
        static let frozen = Flags(rawValue: 256)
        static let chatNotification = Flags(rawValue: 512)
        /// Only the administration lets users in.
        static let joinBlocked = Flags(rawValue: 1024)
    }

    var id: Int64 = 0
    var url: String
    var name = ""
    var coverURL = ""
    var data = ""
    var customType = ""
    /// Milliseconds; the wire has seconds.
    var createdAt: Int64
    var createdBy = ""
    var flags: Flags = []
    var accessCode = ""
    var survival: Int64 = -1
    var distinctKey = ""
    var isDeleted = false
    var lastMessageID: Int64 = 0
    var lastMessageAt: Int64 = 0
    /// How many messages that count as unread were ever sent (less the deleted ones).
    var countable: Int64 = 0
    var memberCount: Int64 = 0
    var joinedCount: Int64 = 0
    /// A JSON array of message ids.
    var pinned: [UInt8] = Array("[]".utf8)
    var changeSeq: Int64 = 0
    var changeAt: Int64 = 0

    static let columns = """
        c.id, c.url, c.name, c.cover_url, c.data, c.custom_type, c.created_at, c.created_by, c.flags, c.access_code, \
        c.survival, c.distinct_key, c.is_deleted, c.last_message_id, c.last_message_at, c.countable, c.member_count, \
        c.joined_count, c.pinned, c.change_seq, c.change_at
        """
    static let columnCount: Int32 = 21

    init(url: String, createdAt: Int64) {
        self.url = url
        self.createdAt = createdAt
    }

    init(_ row: Statement, from first: Int32 = 0) {
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

    var isFrozen: Bool { flags.contains(.frozen) }
    var isSuper: Bool { flags.contains(.isSuper) }
    var isPublic: Bool { flags.contains(.isPublic) }
    var isBroadcast: Bool { flags.contains(.broadcast) }
}
