import SyncModel

/// A message that the host is told of until it acknowledges it.
public struct StoredNotice: Equatable, Sendable {
    /// Only grows, also over restarts; 0: it is not stored yet.
    public internal(set) var id: Int64 = 0
    public var channelURL: ChannelURL
    public var messageID: MessageID
    public var position: MessagePosition
    /// Whether the message mentions the user.
    public var isMention: Bool
    /// Messages of the channel before this one that are not told.
    public var missed: MissedNotices
    /// The message in the service's canonical shape.
    public var json: [UInt8]

    public init(
        channelURL: ChannelURL, messageID: MessageID, position: MessagePosition, isMention: Bool,
        missed: MissedNotices = MissedNotices(), json: [UInt8]
    ) {
        self.channelURL = channelURL
        self.messageID = messageID
        self.position = position
        self.isMention = isMention
        self.missed = missed
        self.json = json
    }
}

/// Messages that are not told since more came than are kept.
public struct MissedNotices: Equatable, Sendable {
    /// How many messages were known, and were dropped.
    public var count: Int64
    /// There may be others of which only the service knows.
    public var mayBeMore: Bool

    public init(count: Int64 = 0, mayBeMore: Bool = false) {
        self.count = count
        self.mayBeMore = mayBeMore
    }

    public static func + (left: MissedNotices, right: MissedNotices) -> MissedNotices {
        MissedNotices(count: left.count &+ right.count, mayBeMore: left.mayBeMore || right.mayBeMore)
    }
}

/// Up to where a channel was searched for messages to tell, whether they were told or not.
public struct NoticeMark: Equatable, Sendable {
    /// `nil`: nowhere yet.
    public var position: MessagePosition?
    /// Something may have come behind it: the service has to be asked.
    public var isWanted = false
    /// Messages that were dropped before the next one that is told.
    public var missed = MissedNotices()

    public init() {}
}
