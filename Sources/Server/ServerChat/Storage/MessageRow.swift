import SyncJSON
import SyncSQLite

/// A message as stored: what filters need, and the JSON that goes out.
public struct MessageRow {
    public enum Kind: String {
        case text = "MESG"
        case file = "FILE"
        case admin = "ADMM"
        case broadcast = "BRDM"
    }

    /// The parts that a request may leave out.
    public struct Parts: OptionSet, Sendable {
        public let rawValue: Int
        public static let metaarray = Parts(rawValue: 1)
        public static let reactions = Parts(rawValue: 2)
        public static let threadInfo = Parts(rawValue: 4)
        public static let parentInfo = Parts(rawValue: 8)
        /// Not a part, but how much is left of one: only the id and title of a poll.
        public static let shortPoll = Parts(rawValue: 16)
        public static let all: Parts = [.metaarray, .reactions, .threadInfo, .parentInfo]

        public init(rawValue: Int) { self.rawValue = rawValue }
    }

    public var channelID: Int64
    public var createdAt: Int64
    public var id: Int64
    public var kind: Kind
    public var customType: String
    /// Empty for messages of the service itself.
    public var sender: String
    public var parentID: Int64
    /// Whether a reply is shown in the channel too; true for all that are no replies.
    public var isInChannel: Bool
    /// Whether it counts as unread.
    public var isCountable: Bool
    public var json: [UInt8]
    public var metaarray: [UInt8]?
    public var reactions: [UInt8]?
    public var threadInfo: [UInt8]?
    public var parentInfo: [UInt8]?

    static let columns = Columns<MessageRow>([
        .init("channel_id", { $0.channelID = $1.int($2) }, { $1.bind($0.channelID) }),
        .init("created_at", { $0.createdAt = $1.time($2) }, { $1.bind($0.createdAt) }),
        .init("message_id", { $0.id = $1.int($2) }, { $1.bind($0.id) }),
        .init("type", { $0.kind = Kind(rawValue: $1.text($2)) ?? .text }, { $1.bind($0.kind.rawValue) }),
        .init("custom_type", { $0.customType = $1.text($2) }, { $1.bind($0.customType) }),
        .init("sender", { $0.sender = $1.text($2) }, { $1.bind($0.sender) }),
        .init("parent_id", { $0.parentID = $1.int($2) }, { $1.bind($0.parentID) }),
        .init("in_channel", { $0.isInChannel = $1.bool($2) }, { $1.bind($0.isInChannel) }),
        .init("is_countable", { $0.isCountable = $1.bool($2) }, { $1.bind($0.isCountable) }),
        .init("json", { $0.json = $1.bytes($2) }, { $1.bind($0.json) }),
        .init("metaarray", { $0.metaarray = $1.optionalBytes($2) }, { $1.bind(optional: $0.metaarray) }),
        .init("reactions", { $0.reactions = $1.optionalBytes($2) }, { $1.bind(optional: $0.reactions) }),
        .init("thread_info", { $0.threadInfo = $1.optionalBytes($2) }, { $1.bind(optional: $0.threadInfo) }),
        .init("parent_info", { $0.parentInfo = $1.optionalBytes($2) }, { $1.bind(optional: $0.parentInfo) }),
    ])
    /// The columns that may change.
    static let changingColumns = columns.only([
        "custom_type", "json", "metaarray", "reactions", "thread_info", "parent_info",
    ])
    /// The columns that a page needs; see `append`.
    static let pageColumns = "message_id, created_at, json, metaarray, reactions, thread_info, parent_info"

    public init(
        channelID: Int64, createdAt: Int64, id: Int64, kind: Kind, customType: String, sender: String, parentID: Int64,
        isInChannel: Bool, isCountable: Bool, json: [UInt8]
    ) {
        self.channelID = channelID
        self.createdAt = createdAt
        self.id = id
        self.kind = kind
        self.customType = customType
        self.sender = sender
        self.parentID = parentID
        self.isInChannel = isInChannel
        self.isCountable = isCountable
        self.json = json
    }

    /// Reads the columns above.
    init(_ row: Statement) {
        self.init(
            channelID: 0, createdAt: 0, id: 0, kind: .text, customType: "", sender: "", parentID: 0, isInChannel: true,
            isCountable: true, json: [])
        MessageRow.columns.read(row, from: 0, into: &self)
    }

    /// The message in REST shape.
    public func bytes(_ parts: Parts) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(json.count + 64)
        let json = parts.contains(.shortPoll) ? MessageRow.withShortPoll(json) : json
        result.append(contentsOf: json.dropLast())
        func add(_ name: StaticString, _ value: [UInt8]?, _ part: Parts) {
            guard parts.contains(part), let value else { return }
            name.withUTF8Buffer { result.append(contentsOf: $0) }
            result.append(contentsOf: value)
        }
        add(",\"sorted_metaarray\":", metaarray, .metaarray)
        add(",\"reactions\":", reactions, .reactions)
        add(",\"thread_info\":", threadInfo, .threadInfo)
        add(",\"parent_message_info\":", parentInfo, .parentInfo)
        result.append(UInt8(ascii: "}"))
        return result
    }

    /// A message's document in which only the id and title of a poll are left.
    private static func withShortPoll(_ json: [UInt8]) -> [UInt8] {
        guard let document = try? JSON.parse(json), let poll = document["poll"], poll.kind == .object else {
            return json
        }
        document.set("poll", .object(["id": poll["id"] ?? .null, "title": poll["title"] ?? .null]))
        return document.serialized()
    }

    /// Appends the message of a row with `pageColumns`, taking nothing apart but for a short poll.
    static func append(_ row: Statement, _ parts: Parts, to result: inout [UInt8]) {
        if parts.contains(.shortPoll) {
            result.append(contentsOf: withShortPoll(row.bytes(2)).dropLast())
        } else {
            let json = row.utf8(2)
            // Rebased, so that it is one copy and not one per byte.
            result.append(contentsOf: UnsafeRawBufferPointer(rebasing: json[..<max(0, json.count - 1)]))
        }
        func add(_ name: StaticString, _ column: Int32, _ part: Parts) {
            guard parts.contains(part), !row.isNull(column) else { return }
            name.withUTF8Buffer { result.append(contentsOf: $0) }
            result.append(contentsOf: row.utf8(column))
        }
        add(",\"sorted_metaarray\":", 3, .metaarray)
        add(",\"reactions\":", 4, .reactions)
        add(",\"thread_info\":", 5, .threadInfo)
        add(",\"parent_message_info\":", 6, .parentInfo)
        result.append(UInt8(ascii: "}"))
    }
}

extension MessageRow {
    /// What its replies carry of it.
    public var infoForReplies: [UInt8]? {
        guard let document = try? JSON.parse(json) else { return nil }
        let info = JSON.object(["type": .string(kind.rawValue), "ts": .int(createdAt)])
        for key in ["message", "user", "file", "files", "custom_type"] {
            if let value = document[key] { info.set(key, value) }
        }
        return info.serialized()
    }
}
