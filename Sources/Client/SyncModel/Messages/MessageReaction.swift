/// Somebody reacted to a message, or took a reaction back.
public struct MessageReaction: Equatable, Sendable {
    public var key: String
    public var userID: UserID
    public var isAdded: Bool
    /// Milliseconds since the epoch.
    public var updatedAt: Int64

    public init(key: String, userID: UserID, isAdded: Bool, updatedAt: Int64) {
        self.key = key
        self.userID = userID
        self.isAdded = isAdded
        self.updatedAt = updatedAt
    }
}
