import SyncJSON

/// A group channel as the service gave it: what orders and the commonest filters need, beside the JSON hosts see.
///
/// Filters that look deeper (members, metadata) read the JSON itself when they are asked.
public struct ChannelRecord: Equatable, Sendable {
    public var url: ChannelURL
    /// The service's own id; a channel that is made again under the same URL has another one. Empty when the service
    /// tells none.
    public var serviceID: String
    public var name: String
    public var customType: String
    /// Milliseconds since the epoch (the service counts channel creation in seconds; the codec converts).
    public var createdAt: Int64
    /// The last message; `nil` in an empty channel.
    public var lastMessage: MessageReference?
    public var unreadMessageCount: Int64
    public var isHidden: Bool
    public var isFrozen: Bool
    public var traits: ChannelTraits
    /// This user does not see messages from before this time (milliseconds) any more; 0 when there is no such time.
    public var messageOffset: Int64
    public var membership: ChannelMembership
    /// The channel in the service's canonical shape, valid JSON.
    public var json: [UInt8]

    public init(
        url: ChannelURL, serviceID: String = "", name: String = "", customType: String = "", createdAt: Int64 = 0,
        lastMessage: MessageReference? = nil, unreadMessageCount: Int64 = 0, isHidden: Bool = false,
        isFrozen: Bool = false, traits: ChannelTraits = ChannelTraits(), messageOffset: Int64 = 0,
        membership: ChannelMembership = ChannelMembership(), json: [UInt8]
    ) {
        self.url = url
        self.serviceID = serviceID
        self.name = name
        self.customType = customType
        self.createdAt = createdAt
        self.lastMessage = lastMessage
        self.unreadMessageCount = unreadMessageCount
        self.isHidden = isHidden
        self.isFrozen = isFrozen
        self.traits = traits
        self.messageOffset = messageOffset
        self.membership = membership
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
        var record = ChannelRecord(url: "", json: bytes ?? slice.copy())
        slice.forEachMember { record.take($0, $1) }
        guard !record.url.isEmpty else { return nil }
        self = record
    }

    private mutating func take(_ key: JSONSlice, _ value: JSONSlice) {
        // Names are compared by length first, since most members are not read here.
        switch key.bytes.count - 2 {
        case 2:
            if key.equals("id") { serviceID = value.int.map { String($0) } ?? value.string ?? "" }
        case 4: if key.equals("name") { name = value.string ?? "" }
        case 6: if key.equals("freeze") { isFrozen = value.bool ?? false }
        case 8: if key.equals("is_super") { traits.isSuper = value.bool ?? false }
        case 9:
            if key.equals("is_hidden") { isHidden = value.bool ?? false }
            else if key.equals("joined_ts") {
                membership.joinedAt = ChannelRecord.milliseconds(value.int ?? 0)
            }
            else if key.equals("is_public") { traits.isPublic = value.bool ?? false }
        case 10:
            if key.equals("created_at") { createdAt = ChannelRecord.milliseconds(value.int ?? 0) }
            else if key.equals("invited_at") {
                membership.invitedAt = ChannelRecord.milliseconds(value.int ?? 0)
            }
        case 11:
            if key.equals("channel_url") { url = value.string.map { ChannelURL($0) } ?? "" }
            else if key.equals("custom_type") { customType = value.string ?? "" }
        case 12:
            if key.equals("hidden_state") { traits.hiddenState = value.string ?? "" }
            else if key.equals("member_state") { traits.memberState = value.string ?? "none" }
            else if key.equals("is_broadcast") { traits.isBroadcast = value.bool ?? false }
            else if key.equals("is_exclusive") { traits.isExclusive = value.bool ?? false }
            else if key.equals("last_message") { lastMessage = ChannelRecord.reference(value) }
        case 17:
            if key.equals("ts_message_offset") { messageOffset = max(messageOffset, value.int ?? 0) }
        case 20:
            if key.equals("unread_message_count") { unreadMessageCount = value.int ?? 0 }
            else if key.equals("is_chat_notification") { traits.isChatNotification = value.bool ?? false }
            else if key.equals("message_purge_offset"), let end = value.int, end > 0, end < Int64.max {
                // Messages of that very time are gone, too.
                messageOffset = max(messageOffset, end + 1)
            }
        default: break
        }
    }

    /// Which of the channels that were made under its URL it is.
    public var identity: ChannelIdentity { ChannelIdentity(createdAt: createdAt, serviceID: serviceID) }

    private static func reference(_ message: JSONSlice) -> MessageReference? {
        guard let createdAt = message["created_at"]?.int, let id = message["message_id"] else { return nil }
        if let number = id.int {
            let position = MessagePosition(order: createdAt, tie: number)
            return MessageReference(id: MessageID(number: number), position: position)
        }
        // A service whose ids are texts does not say in which order messages of one time are.
        return id.string.map { text in
            MessageReference(id: MessageID(text), position: MessagePosition(order: createdAt, tie: 0))
        }
    }

    /// Channel times are seconds on the wire and milliseconds here. Anything past the year 5138 read as seconds is
    /// taken for milliseconds already, which some services send.
    public static func milliseconds(_ value: Int64) -> Int64 {
        value > -100_000_000_000 && value < 100_000_000_000 ? value * 1000 : value
    }
}
