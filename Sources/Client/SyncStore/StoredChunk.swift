import SyncModel

/// A range of a channel inside which the cache is complete, as kept on disk.
public struct StoredChunk: Equatable, Sendable {
    public var start: HistoryEdge
    /// For an open-ended chunk: its end when it was stored, and the newest cached message when it is read.
    public var end: HistoryEdge
    /// Nothing is older than `start`.
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
}
