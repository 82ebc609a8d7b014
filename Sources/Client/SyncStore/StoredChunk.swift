import SyncModel

/// A range of a channel inside which the cache is complete, as kept on disk.
public struct StoredChunk: Equatable, Sendable {
    public var start: HistoryEdge
    /// For an open-ended chunk: its end when it was stored, and the newest cached message when it is read.
    public var end: HistoryEdge
    /// The first message is inside: the chunk covers everything before `start`, where messages may be that came later.
    public var reachedFirst: Bool
    /// Every cached message after `start` belongs to it. So a message that extends the newest chunk does not need a
    /// write of the chunk.
    public var isOpenEnded: Bool

    public init(start: HistoryEdge, end: HistoryEdge, reachedFirst: Bool, isOpenEnded: Bool) {
        self.start = start
        self.end = end
        self.reachedFirst = reachedFirst
        self.isOpenEnded = isOpenEnded
    }

    /// Whether the place of a cached message is inside.
    public func covers(_ position: MessagePosition) -> Bool {
        (reachedFirst || start.position <= position) && position <= end.position
    }
}
