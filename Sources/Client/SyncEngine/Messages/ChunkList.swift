import SyncModel

/// Where the cache of a channel is complete.
///
/// A channel's history is a line, and the cache has ranges of it. A chunk is a closed range [start, end] of positions
/// inside which every message of the service is in the cache:
///
///     oldest ──[====chunk====]·······[==chunk==]── newest
///               start      end
///
/// Neighbours inside one chunk are neighbours on the service. Between chunks nothing is known. A chunk that has reached
/// the first message covers everything before it. One that has reached the newest covers everything after it, but only
/// during the session in which this was seen: after a lost connection it is not known what came since. That is why
/// "newest" is not stored (`History.keepsNewest` is the exception).
struct ChunkList: Equatable {
    struct Chunk: Equatable {
        var start: HistoryEdge
        var end: HistoryEdge
        var reachedFirst = false
        /// The newest message is inside, and realtime messages extend the chunk.
        var reachedNewest = false

        func covers(_ position: MessagePosition) -> Bool {
            (start.position <= position || reachedFirst) && (position <= end.position || reachedNewest)
        }

        /// The part of the chunk from one end up to a position; `direction` says at which end it is cut off.
        func ending(_ direction: PageDirection, at position: MessagePosition) -> Chunk {
            var chunk = self
            if direction == .previous {
                chunk.start = HistoryEdge(position)
                chunk.reachedFirst = false
            } else {
                chunk.end = HistoryEdge(position)
            }
            return chunk
        }

        /// Includes a message behind the end.
        mutating func extend(to position: MessagePosition) {
            if end.position < position { end = HistoryEdge(position) }
        }
    }

    /// In ascending order, without overlap.
    private(set) var chunks: [Chunk] = []

    init(_ chunks: [Chunk] = []) { self.chunks = chunks }

    var last: Chunk? { chunks.last }
    var isEmpty: Bool { chunks.isEmpty }

    /// The cache has everything, from the first message to the newest.
    var isWhole: Bool {
        guard chunks.count == 1, let chunk = chunks.last else { return false }
        return chunk.reachedFirst && chunk.reachedNewest
    }

    func index(covering position: MessagePosition) -> Int? { chunks.firstIndex { $0.covers(position) } }

    /// The chunk with both positions between its edges; what it has reached beyond its edges does not count.
    func index(from start: MessagePosition, through end: MessagePosition) -> Int? {
        chunks.firstIndex { $0.start.position <= start && end <= $0.end.position }
    }

    /// The service tells of everything newer from now on, so the last chunk has reached the newest. `false` when the
    /// index is not the last one.
    mutating func openLast(_ index: Int) -> Bool {
        guard index == chunks.count - 1 else { return false }
        chunks[index].reachedNewest = true
        return true
    }

    /// The nearest chunk that starts at or before a position.
    func index(atOrBelow position: MessagePosition) -> Int? { chunks.lastIndex { $0.start.position <= position } }

    /// These chunks are not known to be complete any more.
    mutating func forget(_ indices: Set<Int>) {
        chunks = chunks.enumerated().filter { !indices.contains($0.offset) }.map(\.element)
    }

    /// Extends a chunk to a position near it, at which there is no message.
    mutating func stretch(_ index: Int, to position: MessagePosition) {
        guard chunks.indices.contains(index) else { return }
        chunks[index].start.position = min(chunks[index].start.position, position)
        chunks[index].end.position = max(chunks[index].end.position, position)
    }

    /// Sets the token of an edge that had none. `false`: the edge does not exist any more.
    mutating func find(_ token: String, of edge: HistoryEdge, _ direction: PageDirection) -> Bool {
        let isStart = direction == .previous
        guard let index = chunks.firstIndex(where: { (isStart ? $0.start : $0.end) == edge }) else { return false }
        if isStart { chunks[index].start.token = token } else { chunks[index].end.token = token }
        return true
    }

    /// Adds a range, and merges the chunks that it touches.
    mutating func cover(_ added: Chunk) {
        var merged = added
        var kept: [Chunk] = []
        for chunk in chunks {
            let isBelow = chunk.end.position < merged.start.position && !merged.reachedFirst
            let isAbove = merged.end.position < chunk.start.position && !merged.reachedNewest && !chunk.reachedFirst
            if isBelow || isAbove {
                kept.append(chunk)
                // There is a message beyond this chunk that was not told, so the chunk had not reached the newest.
                if isBelow { kept[kept.count - 1].reachedNewest = false }
            } else {
                // A page that has met the chunk ends at the chunk's near edge. Both edges have the same position when
                // the chunk has a single message.
                merged.start = added.start == chunk.end
                    ? chunk.start : ChunkList.outer(chunk.start, merged.start) { $0 < $1 }
                merged.end = added.end == chunk.start
                    ? chunk.end : ChunkList.outer(chunk.end, merged.end) { $0 > $1 }
                merged.reachedFirst = merged.reachedFirst || chunk.reachedFirst
                merged.reachedNewest = merged.reachedNewest || chunk.reachedNewest
            }
        }
        kept.insert(merged, at: kept.firstIndex { $0.start.position > merged.start.position } ?? kept.count)
        chunks = kept
    }

    /// The farther one of two edges. If they have the same position: the new one, unless only the old one has a token.
    private static func outer(
        _ old: HistoryEdge, _ new: HistoryEdge, _ isFarther: (MessagePosition, MessagePosition) -> Bool
    ) -> HistoryEdge {
        if old.position == new.position { return new.token.isEmpty ? old : new }
        return isFarther(old.position, new.position) ? old : new
    }

    /// The chunk that has reached the newest is closed at its end, with this token of the service.
    mutating func endNewest(token: String) {
        for index in chunks.indices where chunks[index].reachedNewest {
            chunks[index].reachedNewest = false
            chunks[index].end.token = token
        }
    }

    /// It is not known any more which message is the newest, nor whether messages are missing between `sureEnd` and the
    /// end.
    mutating func forgetNewest(sureEnd: MessagePosition?) {
        for index in chunks.indices where chunks[index].reachedNewest {
            chunks[index].reachedNewest = false
            if let sureEnd, sureEnd < chunks[index].end.position {
                chunks[index].end = HistoryEdge(max(chunks[index].start.position, sureEnd))
            }
        }
    }

    /// Messages up to a position were removed from the cache, though the service has them. `oldest`: the oldest that is
    /// left.
    mutating func trim(through position: MessagePosition, oldest: MessagePosition?) {
        chunks = chunks.compactMap { chunk in
            guard chunk.start.position <= position || chunk.reachedFirst else { return chunk }
            guard let oldest, chunk.start.position <= oldest || chunk.reachedFirst, oldest <= chunk.end.position
            else { return nil }
            var rest = chunk
            rest.start = HistoryEdge(oldest)
            rest.reachedFirst = false
            return rest
        }
    }

    /// Everything before an order is hidden from this user or gone: the history was reset, or messages were purged.
    mutating func cut(before order: Int64) {
        let bound = MessagePosition(order: order, tie: Int64.min)
        chunks = chunks.compactMap { chunk in
            guard chunk.end.position >= bound || chunk.reachedNewest else { return nil }
            var rest = chunk
            if rest.start.position < bound {
                rest.start = HistoryEdge(bound)
                if rest.end.position < bound { rest.end = rest.start }
                rest.reachedFirst = true
            }
            return rest
        }
    }
}
