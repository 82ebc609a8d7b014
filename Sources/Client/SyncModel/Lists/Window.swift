import SyncBytes

/// A row of a `Window`: something with a key, a place in an order, and a content that hosts see.
public protocol WindowRow {
    associatedtype Place: Comparable
    associatedtype ID: TextID

    /// Unique within the window.
    var id: ID { get }
    /// Different rows have different places.
    var place: Place { get }
    var json: [UInt8] { get }
}

/// Keyed rows in an order: the list a host shows. Every operation gives the changes that turn the list as it was into
/// the list as it is, as positions that are valid when they are applied one after the other.
///
/// A reversed window keeps its rows in the same order and tells of the list from its end on: only positions differ, so
/// code that looks at rows need not know whether the window is reversed.
///
/// The type knows no chat and no store. Channels, messages, own messages and the sections of streams are windows.
public struct Window<Row: WindowRow> {
    public private(set) var rows: [Row] = []
    /// The place of every row by its id; made when it is first needed, since most pages never ask for it.
    private var places: [Row.ID: Row.Place]?
    /// The host's list begins with the last row.
    public let isReversed: Bool
    /// Up to this many rows are inserted or removed one by one; more of them in one pass over the list.
    private static var fewRows: Int { 8 }

    public init(isReversed: Bool = false) { self.isReversed = isReversed }

    /// A change as the host has to apply it. `count`: rows of the longer one of the lists before and after it.
    private func told(
        _ action: WindowChange.Kind, _ items: [WindowChange.Item], count: Int
    ) -> WindowChange {
        guard isReversed else { return WindowChange(action, items) }
        return WindowChange(action, items.reversed().map { item in
            var mirrored = item
            mirrored.index = count - 1 - item.index
            if item.from >= 0 { mirrored.from = count - 1 - item.from }
            return mirrored
        })
    }

    public var count: Int { rows.count }
    public var isEmpty: Bool { rows.isEmpty }
    public var first: Row? { rows.first }
    public var last: Row? { rows.last }

    /// The index of the first row that is not before a place.
    public func lowerBound(of place: Row.Place) -> Int {
        var low = 0
        var high = rows.count
        while low < high {
            let middle = (low + high) / 2
            if rows[middle].place < place { low = middle + 1 } else { high = middle }
        }
        return low
    }

    public func index(at place: Row.Place) -> Int? {
        let index = lowerBound(of: place)
        return index < rows.count && rows[index].place == place ? index : nil
    }

    public mutating func index(ofID id: Row.ID) -> Int? {
        if places == nil {
            places = Dictionary(rows.map { ($0.id, $0.place) }, uniquingKeysWith: { first, _ in first })
        }
        guard let place = places?[id] else { return nil }
        // While several rows move, the one that moved first may have the place of a row that has not moved yet.
        var index = lowerBound(of: place)
        while index < rows.count, rows[index].place == place {
            if rows[index].id == id { return index }
            index += 1
        }
        return nil
    }

    // MARK: Changes

    /// Takes in one row: inserts it, moves it when its place changed, updates it when only its content did.
    public mutating func put(_ row: Row) -> WindowChange? {
        guard let old = index(ofID: row.id) else { return insert([row]) }
        guard rows[old].place != row.place else { return replace(row, at: old) }
        rows.remove(at: old)
        let new = lowerBound(of: row.place)
        rows.insert(row, at: new)
        places?[row.id] = row.place
        if new == old { return told(.update, [.init(index: new, id: row.id.text, json: row.json)], count: rows.count) }
        return told(.move, [.init(from: old, index: new, id: row.id.text, json: row.json)], count: rows.count)
    }

    /// Takes in a row for one that has the same id and place.
    public mutating func replace(_ row: Row, at index: Int) -> WindowChange? {
        guard rows.indices.contains(index), rows[index].json != row.json else { return nil }
        rows[index] = row
        return told(.update, [.init(index: index, id: row.id.text, json: row.json)], count: rows.count)
    }

    /// Takes in many rows: moves, then one insert, then one update.
    public mutating func merge(_ added: [Row]) -> [WindowChange] {
        var changes: [WindowChange] = []
        var new: [Row] = []
        var changed: [Row] = []
        for row in added {
            if let index = index(at: row.place), rows[index].id == row.id {
                if rows[index].json != row.json { changed.append(row) }
            } else if index(ofID: row.id) != nil {
                if let change = put(row) { changes.append(change) }
            } else {
                new.append(row)
            }
        }
        if let change = insert(new) { changes.append(change) }
        let items = changed.compactMap { row -> WindowChange.Item? in
            guard let index = index(at: row.place) else { return nil }
            rows[index] = row
            return WindowChange.Item(index: index, id: row.id.text, json: row.json)
        }
        if !items.isEmpty { changes.append(told(.update, items, count: rows.count)) }
        return changes
    }

    /// Inserts rows that the window has not, in any order.
    public mutating func insert(_ added: [Row]) -> WindowChange? {
        let indices = indices(ofInserted: added)
        guard !indices.isEmpty else { return nil }
        let items = indices.map { WindowChange.Item(index: $0, id: rows[$0].id.text, json: rows[$0].json) }
        return told(.insert, items, count: rows.count)
    }

    /// The same for callers that need no change: gives the indices that the rows have now, ascending.
    public mutating func indices(ofInserted added: [Row]) -> [Int] {
        guard let first = added.first else { return [] }
        if places != nil { for row in added { places?[row.id] = row.place } }
        let isSorted = added.indices.dropFirst().allSatisfy { added[$0 - 1].place < added[$0].place }
        let new = isSorted ? added : added.sorted { $0.place < $1.place }
        let start = lowerBound(of: isSorted ? first.place : new.first?.place ?? first.place)
        if let last = new.last, start == rows.count || last.place < rows[start].place {
            // All of them go to one place, as a page does.
            if rows.isEmpty { rows = new } else { rows.insert(contentsOf: new, at: start) }
            return Array(start..<(start + new.count))
        }
        var indices: [Int] = []
        indices.reserveCapacity(new.count)
        if new.count <= Window.fewRows {
            for row in new {
                let index = lowerBound(of: row.place)
                rows.insert(row, at: index)
                indices.append(index)
            }
            return indices
        }
        var merged: [Row] = []
        merged.reserveCapacity(rows.count + new.count)
        merged += rows[..<start]
        var old = start
        for row in new {
            while old < rows.count, rows[old].place < row.place {
                merged.append(rows[old])
                old += 1
            }
            indices.append(merged.count)
            merged.append(row)
        }
        merged += rows[old...]
        rows = merged
        return indices
    }

    /// Removes rows by their ids; unknown ones do no harm.
    public mutating func remove(ids: Set<Row.ID>) -> WindowChange? {
        guard !ids.isEmpty, !rows.isEmpty else { return nil }
        return remove(at: ids.compactMap { index(ofID: $0) }.sorted())
    }

    /// Removes the rows at these indices, which ascend; those outside the window do no harm.
    public mutating func remove(at indices: [Int]) -> WindowChange? {
        let gone = indices.filter(rows.indices.contains)
        guard let first = gone.first, let last = gone.last else { return nil }
        if last - first == gone.count - 1 { return remove(range: first..<(last + 1)) }
        // From the end on, so that no removal moves what is still to be removed.
        let items = gone.reversed().map { WindowChange.Item(index: $0, id: rows[$0].id.text) }
        if places != nil { for index in gone { places?[rows[index].id] = nil } }
        defer {
            if gone.count <= Window.fewRows {
                for index in gone.reversed() { rows.remove(at: index) }
            } else {
                var next = 0
                var kept = first
                for index in first..<rows.count {
                    if next < gone.count, gone[next] == index {
                        next += 1
                    } else {
                        rows.swapAt(kept, index)
                        kept += 1
                    }
                }
                rows.removeSubrange(kept...)
            }
        }
        return told(.remove, items, count: rows.count)
    }

    /// Removes what lies before a place.
    public mutating func remove(before place: Row.Place) -> WindowChange? {
        remove(range: 0..<lowerBound(of: place))
    }

    /// Removes so many rows from the start.
    public mutating func removeFirst(_ count: Int) -> WindowChange? {
        remove(range: 0..<min(max(count, 0), rows.count))
    }

    /// Removes so many rows from the end.
    public mutating func removeLast(_ count: Int) -> WindowChange? {
        remove(range: max(0, rows.count - max(count, 0))..<rows.count)
    }

    /// Empties the window. Gives a change also when it was empty already.
    public mutating func clear() -> WindowChange {
        rows = []
        places = nil
        return WindowChange(.clear, [])
    }

    /// The whole content, for a host that lost track.
    public func snapshot() -> WindowChange? {
        guard !rows.isEmpty else { return nil }
        let items = rows.enumerated().map { entry in
            WindowChange.Item(index: entry.offset, id: entry.element.id.text, json: entry.element.json)
        }
        return told(.insert, items, count: rows.count)
    }

    private mutating func remove(range: Range<Int>) -> WindowChange? {
        guard !range.isEmpty else { return nil }
        let items = range.reversed().map { WindowChange.Item(index: $0, id: rows[$0].id.text) }
        if places != nil { for row in rows[range] { places?[row.id] = nil } }
        defer { rows.removeSubrange(range) }
        return told(.remove, items, count: rows.count)
    }
}
