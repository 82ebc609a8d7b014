import SyncModel

/// A range of a channel inside which the cache is complete, as kept on disk.
public struct StoredChunk: Equatable, Sendable {
    public var start: MessagePosition
    public var end: MessagePosition
    /// Nothing is older than `start`.
    public var reachedFirst: Bool

    public init(start: MessagePosition, end: MessagePosition, reachedFirst: Bool) {
        self.start = start
        self.end = end
        self.reachedFirst = reachedFirst
    }
}
