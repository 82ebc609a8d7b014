import SyncBytes
import SyncModel

/// One stream: its rows as the host was told of them, and the changes that are still to be told.
final class StreamNode {
    enum Load {
        /// The source has not said that the first rows are loaded.
        case waiting
        /// The source has said so; the host is told after the next batch.
        case finished(StreamFailure?)
        case told(StreamFailure?)
    }

    let id: UInt64
    let spec: StreamSpec
    /// The order of the rows; a union or partition has that of its first stream.
    let order: StreamOrder
    let function: (any RowFunction)?
    /// The streams it is made of, and those that are made of it.
    let sources: [StreamNode]
    private(set) var users: [UInt64] = []
    /// Whether the host still has it. A stream that others are made of stays after the host has removed it.
    var isOpen = true

    var predicate: Predicate?
    var limit: Int
    /// All keys that the source has, or that have a place.
    private var held: [TextKey: HeldRow] = [:]
    private var sections: [LimitedWindow]

    private(set) var timer: BatchTimer
    /// Rows whose place or content may be out of date, in the order in which they were touched.
    private var dirty: [HeldRow] = []
    private var mustBalance = false
    var load = Load.waiting
    /// Calls that complete when the batch with their changes has been told.
    var waiting: [CallID] = []
    var fetch: CallID?
    /// A fetch with a `start` ends when `wanted` rows at or behind it are loaded.
    var reach: (start: StreamBound, wanted: Int)?

    init(_ id: UInt64, _ spec: StreamSpec, sources: [StreamNode], _ function: (any RowFunction)?) {
        self.id = id
        self.spec = spec
        self.sources = sources
        self.function = function
        order = sources.first?.order ?? spec.order
        predicate = spec.predicate
        limit = spec.limitAfterPredicate ?? Int.max
        timer = BatchTimer(delay: spec.batchDelay, longest: spec.longestBatch)
        sections = Array(repeating: LimitedWindow(), count: spec.titles.count)
        for source in sources {
            source.users.append(id)
            if let first = source.sections.first { touch(first.shown.rows.map(\.id)) }
        }
    }

    func forget(user: UInt64) { users.removeAll { $0 == user } }

    // MARK: What comes in

    func put(_ items: [StreamItem]) {
        if items.count > held.count { held.reserveCapacity(items.count) }
        for item in items { touch(TextKey(item.key)).item = item }
    }

    func remove(_ keys: [String]) {
        for key in keys where held[key]?.item != nil { touch(TextKey(key)).item = nil }
    }

    func reset(_ items: [StreamItem]) {
        let kept = items.map(\.key).keys
        for row in held.values where row.item != nil && !kept.contains(row.key) {
            row.item = nil
            touch(row)
        }
        put(items)
    }

    func touch(_ keys: [TextKey]) { for key in keys { touch(key) } }

    @discardableResult
    private func touch(_ key: TextKey) -> HeldRow {
        if let row = held[key] {
            touch(row)
            return row
        }
        let row = HeldRow(key)
        held[key] = row
        touch(row)
        return row
    }

    private func touch(_ row: HeldRow) {
        guard !row.isDirty else { return }
        row.isDirty = true
        dirty.append(row)
    }

    /// Sets another predicate: the rows for which its result differs are touched.
    func set(_ predicate: Predicate?) {
        self.predicate = predicate
        let isHost = if case .host? = predicate { true } else { false }
        guard sources.isEmpty else {
            for source in sources {
                for row in source.sections[0].shown.rows {
                    let key = row.id
                    if isHost || (rowOfSources(key) != nil) != (held[key]?.row != nil) { touch(key) }
                }
            }
            return
        }
        for row in held.values where isHost || isWanted(row) != (row.row != nil) { touch(row) }
    }

    func set(limit: Int) {
        self.limit = limit
        mustBalance = true
    }

    /// How many more rows the source is to be asked for, until a fetch with a `start` has its rows; 0 when it has them.
    /// While no row at or behind the `start` is loaded, as many rows are asked for as are held, so that their number
    /// doubles and a distant place takes few steps.
    func missing() -> Int {
        guard let (start, wanted) = reach else { return 0 }
        var count = 0
        var reached = 0
        for case let item? in held.values.map({ $0.item }) {
            count += 1
            if order.place(of: item).compared(to: start) >= 0 { reached += 1 }
        }
        return reached == 0 ? max(wanted, count) : max(0, wanted - reached)
    }

    // MARK: Batches

    func changed(at now: Int64) { timer.changed(at: now) }

    /// The waiting changes as one batch, and the keys that streams made of this one have to check: those of the batch,
    /// and those of touched rows that are not in it.
    func flush() -> (batch: StreamBatch, touched: [TextKey]) {
        var touched = users.isEmpty ? [] : dirty.map(\.key)
        // Only with a limit, rows that were not touched can come and go.
        let isLimited = limit != Int.max || mustBalance
        let batch = takeBatch()
        if isLimited, !users.isEmpty { touched += batch.keys }
        return (batch, touched)
    }

    private func takeBatch() -> StreamBatch {
        timer.stop()
        defer {
            dirty = []
            mustBalance = false
        }
        guard !dirty.isEmpty || mustBalance else { return StreamBatch() }
        var updates: [[(old: StreamRow?, new: StreamRow?)]] = Array(repeating: [], count: sections.count)
        for held in dirty {
            let new = row(of: held)
            let section = new.map(section) ?? nil
            let row = section == nil ? nil : new
            if let section, held.row == nil || section == held.section {
                updates[section].append((held.row, row))
            } else {
                if let old = held.row { updates[held.section].append((old, nil)) }
                if let section { updates[section].append((nil, row)) }
            }
            held.row = row
            held.section = section ?? 0
            held.isDirty = false
            if row == nil, held.item == nil { self.held[held.key] = nil }
        }
        let diffs = sections.indices.map { index in
            updates[index].isEmpty && !mustBalance ? RowDiff() : sections[index].apply(updates[index], limit: limit)
        }
        return StreamBatch(diffs, sections)
    }

    private func section(of row: StreamRow) -> Int? {
        guard case .partition(_, let titles, let rule) = spec.source else { return 0 }
        return rule.section(of: StreamItem(key: row.place.key, json: row.json), titles: titles, function)
    }

    /// The row as it is to be shown; `nil` when it is not.
    private func row(of held: HeldRow) -> StreamRow? {
        guard sources.isEmpty else { return rowOfSources(held.key) }
        guard let item = held.item, predicate?.holds(of: item, function) ?? true else { return nil }
        let place = order.place(of: item)
        return spec.isInRange(place) ? StreamRow(place, json: item.json) : nil
    }

    /// Whether the row is to be shown.
    private func isWanted(_ held: HeldRow) -> Bool {
        guard spec.start == nil, spec.end == nil else { return row(of: held) != nil }
        return held.item.map { predicate?.holds(of: $0, function) ?? true } ?? false
    }

    private func rowOfSources(_ key: TextKey) -> StreamRow? {
        for (index, source) in sources.enumerated() {
            guard let row = source.shownRow(of: key) else { continue }
            let item = StreamItem(key: row.place.key, json: row.json)
            guard predicate?.holds(of: item, function) ?? true else { return nil }
            // The order of the first source holds for the rows of all.
            return index == 0 ? row : StreamRow(order.place(of: item), json: row.json)
        }
        return nil
    }

    private func shownRow(of key: TextKey) -> StreamRow? {
        guard let held = held[key], let row = held.row, sections[held.section].isShown(row.place) else { return nil }
        return row
    }

    // MARK: Looking

    func entry(_ path: StreamPath) -> StreamBatch.Entry? {
        guard sections.indices.contains(path.section) else { return nil }
        let rows = sections[path.section].shown.rows
        guard rows.indices.contains(path.row) else { return nil }
        return StreamBatch.Entry(path, rows[path.row])
    }

    func find(_ key: String) -> StreamBatch.Entry? {
        guard let row = shownRow(of: TextKey(key)), let section = held[key]?.section,
            let index = sections[section].shown.index(at: row.place)
        else { return nil }
        return StreamBatch.Entry(StreamPath(section, index), row)
    }

    /// The row next to where a row stands or would stand.
    func neighbour(of item: StreamItem, isAfter: Bool) -> StreamBatch.Entry? {
        // The rank of a row is known from the source only.
        let known = StreamItem(key: item.key, json: item.json, rank: held[item.key]?.item?.rank)
        let standing = item.json.isEmpty ? shownRow(of: TextKey(item.key))?.place : nil
        let place = standing ?? order.place(of: known)
        let shown = sections[0].shown
        let bound = shown.lowerBound(of: place)
        let isShown = shown.index(at: place) != nil
        return entry(StreamPath(0, isAfter ? bound + (isShown ? 1 : 0) : bound - 1))
    }

    /// All shown rows, as one batch for a host that missed events.
    func whole() -> StreamBatch {
        var batch = StreamBatch()
        batch.isReset = true
        for (section, window) in sections.enumerated() {
            for (index, row) in window.shown.rows.enumerated() {
                batch.added.append(StreamBatch.Entry(StreamPath(section, index), row))
            }
        }
        return batch
    }
}
