/// A service's answer to a `ServiceRequest`.
public enum ServiceReply: Sendable {
    case channels(ChannelPage)
    case channelChanges(ChannelChanges)
    case channel(ChannelRecord)
    case messages(MessagePage)
    case messageChanges(MessageChanges)
    case gap(MessageGap)
    /// The message as sent or edited.
    case message(MessageRecord)
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
    public var deletedURLs: [String]
    public var hasMore: Bool
    /// Token for the next call; empty when the service gave none.
    public var next: String

    public init(updated: [ChannelRecord], deletedURLs: [String], hasMore: Bool, next: String) {
        self.updated = updated
        self.deletedURLs = deletedURLs
        self.hasMore = hasMore
        self.next = next
    }
}

public struct MessagePage: Sendable {
    /// In ascending order of position.
    public var messages: [MessageRecord]

    public init(messages: [MessageRecord]) { self.messages = messages }
}

public struct MessageChanges: Sendable {
    public var updated: [MessageRecord]
    public var deletedIDs: [Int64]
    public var hasMore: Bool
    public var next: String

    public init(updated: [MessageRecord], deletedIDs: [Int64], hasMore: Bool, next: String) {
        self.updated = updated
        self.deletedIDs = deletedIDs
        self.hasMore = hasMore
        self.next = next
    }
}

public struct MessageGap: Sendable {
    public var isHuge: Bool
    /// What was missing after the newest message held, in ascending order; empty when huge.
    public var messages: [MessageRecord]
    public var hasMore: Bool

    public init(isHuge: Bool, messages: [MessageRecord], hasMore: Bool) {
        self.isHuge = isHuge
        self.messages = messages
        self.hasMore = hasMore
    }
}
