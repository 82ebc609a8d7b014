import SyncModel

/// A message that the host is told of until it acknowledges it.
public struct StoredNotice: Equatable, Sendable {
    /// Only grows, also over restarts; 0: it is not stored yet.
    public internal(set) var id: Int64 = 0
    public var channelURL: ChannelURL
    public var messageID: MessageID
    public var position: MessagePosition
    /// It mentions the user.
    public var isMention: Bool
    /// What of its channel stands before it and is not told.
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
    /// So many were known, and were let go.
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

/// Up to where the messages of a channel have been looked through, told or not.
public struct NoticeMark: Equatable, Sendable {
    /// `nil`: nowhere yet.
    public var position: MessagePosition?
    /// Something may have come behind it: the service has to be asked.
    public var isWanted = false
    /// What was let go and stands before the next message that is told.
    public var missed = MissedNotices()

    public init() {}
}
