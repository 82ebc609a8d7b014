import SyncModel

/// A large answer about channels, processed in parts: between two parts other inputs have their turn, so that closing
/// never waits for more than a page's work.
struct AnswerParts {
    /// Channels in one part.
    private static let size = 200

    struct Part {
        let ask: Ask
        let changed: [ChannelRecord]
        /// Empty except in the last part. `next` and `hasMore` count in the last part only, too.
        let removed: [ChannelURL]
        let next: String
        let hasMore: Bool
        let isLast: Bool
    }

    private var waiting:
        [(ask: Ask, changed: ArraySlice<ChannelRecord>, removed: [ChannelURL], next: String, hasMore: Bool)] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// If the answer names a channel twice, the last mention counts. `removed` and `hasMore` belong to a change log.
    mutating func add(
        _ ask: Ask, _ changed: [ChannelRecord], removed: [ChannelURL] = [], next: String, hasMore: Bool = false
    ) {
        var seen = Set<ChannelURL>()
        let last = changed.reversed().filter { seen.insert($0.url).inserted }
        waiting.append((ask, last.reversed()[...], removed, next, hasMore))
    }

    mutating func takeNext() -> Part? {
        guard var first = waiting.first else { return nil }
        let changed = Array(first.changed.prefix(AnswerParts.size))
        first.changed = first.changed.dropFirst(AnswerParts.size)
        let isLast = first.changed.isEmpty
        if isLast { waiting.removeFirst() } else { waiting[0] = first }
        return Part(
            ask: first.ask, changed: changed, removed: isLast ? first.removed : [], next: first.next,
            hasMore: first.hasMore, isLast: isLast)
    }

    /// A part could not be stored: the rest of its answer is dropped.
    mutating func dropRest(of ask: Ask) { waiting.removeAll { $0.ask == ask } }

    mutating func dropAll() { waiting = [] }
}
