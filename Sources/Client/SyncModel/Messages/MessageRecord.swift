import SyncBytes

/// A message as the service gave it: what ordering and filters need, beside the JSON that hosts see.
public struct MessageRecord: Equatable, Sendable {
    public enum Kind: Int64, Sendable { case user = 0, file = 1, admin = 2 }

    /// The service's id, unique within the channel.
    public var id: MessageID
    public var position: MessagePosition
    /// Milliseconds since the epoch; 0 when never edited.
    public var updatedAt: Int64
    public var kind: Kind
    public var customType: String
    /// Empty for admin messages.
    public var senderID: UserID
    /// The id of the thread's first message, empty outside threads.
    public var parentID: MessageID
    public var isReplyToChannel: Bool
    public var isSilent: Bool
    /// The request that made it, when it is known; empty otherwise.
    public var requestID: RequestID
    /// The message in the service's canonical shape, compact or not, valid JSON.
    public var json: [UInt8]

    public init(
        id: MessageID, position: MessagePosition, updatedAt: Int64 = 0, kind: Kind = .user, customType: String = "",
        senderID: UserID = "", parentID: MessageID = "", isReplyToChannel: Bool = false, isSilent: Bool = false,
        requestID: RequestID = "", json: [UInt8]
    ) {
        self.id = id
        self.position = position
        self.updatedAt = updatedAt
        self.kind = kind
        self.customType = customType
        self.senderID = senderID
        self.parentID = parentID
        self.isReplyToChannel = isReplyToChannel
        self.isSilent = isSilent
        self.requestID = requestID
        self.json = json
    }
}
