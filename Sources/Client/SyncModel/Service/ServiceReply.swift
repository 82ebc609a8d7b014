/// A service's answer to a `ServiceRequest`.
public indirect enum ServiceReply: Sendable {
    case channels(ChannelPage)
    case channelChanges(ChannelChanges)
    case channel(ChannelRecord)
    case messages(MessagePage)
    case messageChanges(MessageChanges)
    case pollChanges(PollChanges)
    case gap(MessageGap)
    /// The service's token right beside the message that was asked about.
    case edge(token: String)
    case retention(RetentionPage)
    case unreadCounts(UnreadCounts)
    /// The message as sent or edited.
    case message(MessageRecord)
    /// The service has accepted a message under this id. Its place among the others is told later, by the stream or a
    /// page.
    case accepted(MessageID)
    case uploaded(UploadedFile)
    case action(ActionReply)
    /// Done, nothing to tell.
    case done
    case failure(ServiceFailure)
}

public struct ChannelPage: Sendable {
    public var channels: [ChannelRecord]
    /// Token of the next page; empty at the end.
    public var next: String

    public init(channels: [ChannelRecord], next: String) {
        self.channels = channels
        self.next = next
    }
}

public struct ChannelChanges: Sendable {
    public var updated: [ChannelRecord]
    public var deletedURLs: [ChannelURL]
    public var hasMore: Bool
    /// Token for the next call; empty when the service gave none.
    public var next: String

    public init(updated: [ChannelRecord], deletedURLs: [ChannelURL], hasMore: Bool, next: String) {
        self.updated = updated
        self.deletedURLs = deletedURLs
        self.hasMore = hasMore
        self.next = next
    }
}

/// A page of history: messages, and the stretch that is complete with them.
public struct MessagePage: Sendable {
    /// In ascending order of position.
    public var messages: [MessageRecord]
    /// The ends of the stretch inside which nothing is missing; `nil` when there is none, since the channel is empty.
    /// It reaches at least from the edge that was asked from to the farthest message.
    public var range: (start: HistoryEdge, end: HistoryEdge)?
    /// Nothing is older than the stretch, nothing was newer when the page was made.
    public var reachedFirst: Bool
    public var reachedNewest: Bool
    /// All relations of its messages, except those that the stream has told or will tell; and what the page says of
    /// relations of other messages.
    public var relations: RelationChanges
    /// Messages, wherever they are, that were deleted within the stretch: where deletions are events of their own.
    public var deletedIDs: [MessageID] = []

    public init(
        messages: [MessageRecord], range: (start: HistoryEdge, end: HistoryEdge)?, reachedFirst: Bool,
        reachedNewest: Bool, relations: RelationChanges = RelationChanges()
    ) {
        self.messages = messages
        self.range = range
        self.reachedFirst = reachedFirst
        self.reachedNewest = reachedNewest
        self.relations = relations
    }
}

public struct MessageChanges: Sendable {
    public var updated: [MessageRecord]
    public var deletedIDs: [MessageID]
    public var hasMore: Bool
    public var next: String

    public init(updated: [MessageRecord], deletedIDs: [MessageID], hasMore: Bool, next: String) {
        self.updated = updated
        self.deletedIDs = deletedIDs
        self.hasMore = hasMore
        self.next = next
    }
}

/// The messages that were missed behind the newest cached one.
public indirect enum MessageGap: Sendable {
    /// Too much to be filled at once.
    case huge
    /// The stretch from the end that was asked about on; complete to its own end.
    case fill(MessagePage)
}
