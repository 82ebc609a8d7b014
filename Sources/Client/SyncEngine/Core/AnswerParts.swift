import SyncModel

/// A large answer about channels, taken in part by part: between two parts other inputs have their turn, so that
/// closing never waits for more than a page's work.
struct AnswerParts {
    /// Channels of one part.
    private static let size = 200

    struct Part {
        let ask: Ask
        let changed: [ChannelRecord]
        /// With the last part only, like what else the answer says.
        let removed: [ChannelURL]
        let next: String
        let hasMore: Bool
        let isLast: Bool
    }

    private var waiting:
        [(ask: Ask, changed: ArraySlice<ChannelRecord>, removed: [ChannelURL], next: String, hasMore: Bool)] = []

    var isEmpty: Bool { waiting.isEmpty }

    /// A channel that the answer has twice counts as it is said last. `removed` and `hasMore` are of a change log.
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

    /// A part could not be taken in: the rest of its answer counts no more.
    mutating func dropRest(of ask: Ask) { waiting.removeAll { $0.ask == ask } }

    mutating func dropAll() { waiting = [] }
}
