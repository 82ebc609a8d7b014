import SyncModel

/// Where the cache of a channel is complete.
///
/// A channel's history is a line; the cache knows stretches of it. A chunk is a closed range [start, end] of positions
/// inside which every message of the service is in the cache:
///
///     oldest ──[====chunk====]·······[==chunk==]── newest
///               start      end
///
/// What two neighbours of one chunk show as neighbours are neighbours on the service. Between chunks nothing is known.
/// A chunk that has reached the first message covers everything before it; one that has reached the newest covers
/// everything after it, but only as long as the session lasts in which that was seen: after a loss of the connection
/// nobody knows what came since. That is why "newest" is never stored.
struct ChunkList: Equatable {
    struct Chunk: Equatable {
        var start: MessagePosition
        var end: MessagePosition
        var reachedFirst = false
        /// The newest message is inside, and realtime messages extend the chunk.
        var reachedNewest = false

        func covers(_ position: MessagePosition) -> Bool {
            (start <= position || reachedFirst) && (position <= end || reachedNewest)
        }
    }

    /// Ascending and disjoint.
    private(set) var chunks: [Chunk] = []

    init(_ chunks: [Chunk] = []) { self.chunks = chunks }

    func index(covering position: MessagePosition) -> Int? { chunks.firstIndex { $0.covers(position) } }

    /// The chunk nearest below a position, or the one that covers it.
    func index(atOrBelow position: MessagePosition) -> Int? { chunks.lastIndex { $0.start <= position } }

    /// Adds a range, merging what it touches. Returns the index of the chunk that holds it now.
    @discardableResult
    mutating func cover(_ added: Chunk) -> Int {
        var merged = added
        var kept: [Chunk] = []
        for chunk in chunks {
            let apartBelow = chunk.end < merged.start && !merged.reachedFirst && !chunk.reachedNewest
            let apartAbove = merged.end < chunk.start && !merged.reachedNewest && !chunk.reachedFirst
            if apartBelow || apartAbove {
                kept.append(chunk)
            } else {
                merged.start = min(merged.start, chunk.start)
                merged.end = max(merged.end, chunk.end)
                merged.reachedFirst = merged.reachedFirst || chunk.reachedFirst
                merged.reachedNewest = merged.reachedNewest || chunk.reachedNewest
            }
        }
        let index = kept.firstIndex { $0.start > merged.start } ?? kept.count
        kept.insert(merged, at: index)
        chunks = kept
        return index
    }

    /// The session is over: nobody knows what is newest now, nor what is between `sureEnd` and the end.
    mutating func forgetNewest(sureEnd: MessagePosition?) {
        for index in chunks.indices where chunks[index].reachedNewest {
            chunks[index].reachedNewest = false
            if let sureEnd { chunks[index].end = max(chunks[index].start, min(chunks[index].end, sureEnd)) }
        }
    }

    /// Everything before a time is gone for this user: history was reset or messages were retired.
    mutating func cut(before createdAt: Int64) {
        let bound = MessagePosition(createdAt: createdAt, id: Int64.min)
        chunks = chunks.compactMap { chunk in
            guard chunk.end >= bound || chunk.reachedNewest else { return nil }
            var rest = chunk
            if rest.start < bound {
                rest.start = bound
                rest.end = max(rest.end, bound)
                rest.reachedFirst = true
            }
            return rest
        }
    }
}
