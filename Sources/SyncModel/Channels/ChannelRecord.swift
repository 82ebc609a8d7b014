import SyncJSON

/// A group channel as the service gave it: what orders and the commonest filters need, beside the JSON hosts see.
///
/// Filters that look deeper (members, metadata) read the JSON itself when they are asked.
public struct ChannelRecord: Equatable, Sendable {
    public var url: String
    public var name: String
    public var customType: String
    /// Milliseconds since the epoch (the service counts channel creation in seconds; the codec converts).
    public var createdAt: Int64
    /// The last message; `nil` in an empty channel.
    public var lastMessage: MessageReference?
    public var unreadMessageCount: Int64
    public var isHidden: Bool
    public var isFrozen: Bool
    /// Messages before this time (milliseconds) are not for this user any more; 0 when there is no such time.
    public var messageOffset: Int64
    /// The channel in the service's canonical shape, valid JSON.
    public var json: [UInt8]

    public init(
        url: String, name: String = "", customType: String = "", createdAt: Int64 = 0,
        lastMessage: MessageReference? = nil, unreadMessageCount: Int64 = 0, isHidden: Bool = false,
        isFrozen: Bool = false, messageOffset: Int64 = 0, json: [UInt8]
    ) {
        self.url = url
        self.name = name
        self.customType = customType
        self.createdAt = createdAt
        self.lastMessage = lastMessage
        self.unreadMessageCount = unreadMessageCount
        self.isHidden = isHidden
        self.isFrozen = isFrozen
        self.messageOffset = messageOffset
        self.json = json
    }

    /// Reads the fields out of a channel's JSON; `nil` when it is no object with a `channel_url`.
    public init?(json bytes: [UInt8]) {
        let read: ChannelRecord? = bytes.withUnsafeBytes { raw in
            guard let slice = try? JSONSlice.checked(raw) else { return nil }
            return ChannelRecord(slice: slice, copying: bytes)
        }
        guard let read else { return nil }
        self = read
    }

    /// Reads the fields out of a slice that was validated before.
    public init?(slice: JSONSlice, copying bytes: [UInt8]? = nil) {
        guard slice.isObject else { return nil }
        var url: String?
        var record = ChannelRecord(url: "", json: bytes ?? slice.copy())
        slice.forEachMember { key, value in
            if key.equals("channel_url") { url = value.string }
            else if key.equals("name") { record.name = value.string ?? "" }
            else if key.equals("custom_type") { record.customType = value.string ?? "" }
            else if key.equals("created_at") { record.createdAt = ChannelRecord.milliseconds(value.int ?? 0) }
            else if key.equals("unread_message_count") { record.unreadMessageCount = value.int ?? 0 }
            else if key.equals("is_hidden") { record.isHidden = value.bool ?? false }
            else if key.equals("freeze") { record.isFrozen = value.bool ?? false }
            else if key.equals("ts_message_offset") { record.messageOffset = value.int ?? 0 }
            else if key.equals("last_message"), let createdAt = value["created_at"]?.int,
                let id = value["message_id"]?.int
            {
                record.lastMessage = MessageReference(
                    id: String(id), position: MessagePosition(order: createdAt, tie: id))
            }
        }
        guard let url, !url.isEmpty else { return nil }
        record.url = url
        self = record
    }

    /// Channel times are seconds on the wire and milliseconds here. Anything past the year 5138 read as seconds is
    /// taken for milliseconds already, which some services send.
    public static func milliseconds(_ value: Int64) -> Int64 {
        value > -100_000_000_000 && value < 100_000_000_000 ? value * 1000 : value
    }
}
