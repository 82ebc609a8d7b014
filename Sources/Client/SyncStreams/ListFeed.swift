import SyncModel

/// Turns the changes of a list, which name positions, into rows with ranks. So a list becomes the source of a stream,
/// in the order of the list.
public struct ListFeed: Sendable {
    private struct Row {
        var key: String
        var rank: String
    }

    private var rows: [Row] = []

    public init() {}

    public var count: Int { rows.count }

    /// Positions outside the list are ignored.
    public mutating func apply(_ change: WindowChange) -> StreamInput {
        switch change.action {
        case .clear:
            rows = []
            return .reset([])
        case .insert: return .put(insert(change.items))
        case .update:
            return .put(change.items.compactMap { item in
                guard rows.indices.contains(item.index) else { return nil }
                return StreamItem(key: item.id, json: item.json, rank: rows[item.index].rank)
            })
        case .remove:
            for item in change.items where rows.indices.contains(item.index) { rows.remove(at: item.index) }
            return .removed(keys: change.items.map(\.id))
        case .move:
            return .put(change.items.flatMap { item -> [StreamItem] in
                guard rows.indices.contains(item.from) else { return [] }
                rows.remove(at: item.from)
                return insert([item])
            })
        }
    }

    private mutating func insert(_ items: [WindowChange.Item]) -> [StreamItem] {
        var result: [StreamItem] = []
        result.reserveCapacity(items.count)
        var start = 0
        while start < items.count {
            // Rows that go to the same place get their ranks together.
            let first = items[start].index
            var end = start + 1
            while end < items.count, items[end].index == first + (end - start) { end += 1 }
            defer { start = end }
            guard (0...rows.count).contains(first) else { continue }
            let low = first > 0 ? rows[first - 1].rank : nil
            let high = first < rows.count ? rows[first].rank : nil
            let ranks = Rank.between(low, high, count: end - start)
            let new = zip(items[start..<end], ranks)
            rows.insert(contentsOf: new.map { Row(key: $0.id, rank: $1) }, at: first)
            for (item, rank) in new { result.append(StreamItem(key: item.id, json: item.json, rank: rank)) }
        }
        return result
    }
}
