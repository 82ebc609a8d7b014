/// What a service's log says of the polls of a channel.
public struct PollChanges: Sendable {
    /// Polls as they are now, each with the message that holds it.
    public var updated: [(messageID: MessageID, change: PollChange)]
    /// Polls that are gone. The service may not say which messages held them.
    public var deletedIDs: [String]
    public var hasMore: Bool
    /// Token for the next call; empty when the service gave none.
    public var next: String

    public init(
        updated: [(messageID: MessageID, change: PollChange)], deletedIDs: [String], hasMore: Bool, next: String
    ) {
        self.updated = updated
        self.deletedIDs = deletedIDs
        self.hasMore = hasMore
        self.next = next
    }
}
