import SyncModel

/// One stream: its rows as they are told, and what waits to be told.
final class StreamNode {
    enum Load {
        /// The source has not said that everything is there.
        case waiting
        /// It has; told behind the next batch.
        case finished(StreamFailure?)
        case told(StreamFailure?)
    }

    let id: UInt64
    let spec: StreamSpec
    /// That of the rows; a union or partition has the one of its first stream.
    let order: StreamOrder
    let function: (any RowFunction)?
    /// The streams it is made of, and those that are made of it.
    let sources: [StreamNode]
    private(set) var users: [UInt64] = []
    /// Whether the host has it; one that others are made of lives on without.
    var isOpen = true

    var predicate: Predicate?
    var limit: Int
    /// What the source has, whether it is shown or not. Empty where the sources are streams.
    private(set) var received: [TextKey: StreamItem] = [:]
    private var sections: [LimitedWindow]
    /// Of a partition: the section of every row that is in one.
    private var sectionOf: [TextKey: Int] = [:]

    private(set) var timer: BatchTimer
    /// Rows that may not be shown as they are, in the order in which they were touched.
    private var dirty: [TextKey] = []
    private var isDirty: Set<TextKey> = []
    private var mustBalance = false
    var load = Load.waiting
    /// Calls that are answered once what they did is told.
    var waiting: [UInt64] = []
    var fetch: UInt64?

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
            if let first = source.sections.first { touch(first.shown.rows.map { TextKey($0.id) }) }
        }
    }

    func forget(user: UInt64) { users.removeAll { $0 == user } }

    // MARK: What comes in

    func put(_ items: [StreamItem]) {
        for item in items {
            received[item.key] = item
            touch(TextKey(item.key))
        }
    }

    func remove(_ keys: [String]) {
        for key in keys where received.removeValue(forKey: TextKey(key)) != nil { touch(TextKey(key)) }
    }

    func reset(_ items: [StreamItem]) {
        let kept = items.map(\.key).keys
        for key in received.keys where !kept.contains(key) { touch(key) }
        received = received.filter { kept.contains($0.key) }
        put(items)
    }

    func touch(_ keys: [TextKey]) { for key in keys { touch(key) } }

    private func touch(_ key: TextKey) {
        if isDirty.insert(key).inserted { dirty.append(key) }
    }

    /// The predicate is another one: rows change sides.
    func set(_ predicate: Predicate?) {
        self.predicate = predicate
        if case .host? = predicate { return touch(allKeys) }
        for key in allKeys where isWanted(key) != contains(key) { touch(key) }
    }

    func set(limit: Int) {
        self.limit = limit
        mustBalance = true
    }

    private var allKeys: [TextKey] {
        sources.isEmpty
            ? Array(received.keys) : sources.flatMap { $0.sections.first?.shown.rows.map { TextKey($0.id) } ?? [] }
    }

    private func contains(_ key: TextKey) -> Bool {
        let section = sections.count == 1 ? 0 : sectionOf[key] ?? 0
        return sections.indices.contains(section) && sections[section].contains(key.text)
    }

    // MARK: Batches

    func changed(at now: Int64) { timer.changed(at: now) }

    /// What waits, as one batch, and the rows that streams made of this one have to look at: those of the batch, and
    /// those that stand elsewhere now without having changed places.
    func flush() -> (batch: StreamBatch, touched: [TextKey]) {
        let touched = dirty
        let batch = takeBatch()
        return (batch, users.isEmpty ? [] : touched + batch.keys)
    }

    private func takeBatch() -> StreamBatch {
        timer.stop()
        defer {
            dirty = []
            isDirty = []
            mustBalance = false
        }
        guard !dirty.isEmpty || mustBalance else { return StreamBatch() }
        guard case .partition(_, let titles, let rule) = spec.source else {
            return StreamBatch([sections[0].apply(dirty.map { ($0, row(of: $0)) }, limit: limit)])
        }
        var updates: [[(key: TextKey, row: StreamRow?)]] = Array(repeating: [], count: sections.count)
        for key in dirty {
            let row = row(of: key)
            let section = row.flatMap {
                rule.section(of: StreamItem(key: $0.id, json: $0.json), titles: titles, function)
            }
            let old = sectionOf[key]
            sectionOf[key] = section
            if let old, old != section { updates[old].append((key, nil)) }
            if let section { updates[section].append((key, row)) }
        }
        return StreamBatch(sections.indices.map { index in
            updates[index].isEmpty && !mustBalance ? RowDiff() : sections[index].apply(updates[index], limit: limit)
        })
    }

    /// The row as it is to be shown; `nil` when it is not.
    private func row(of key: TextKey) -> StreamRow? {
        guard sources.isEmpty else { return rowOfSources(key) }
        guard let item = received[key], predicate?.holds(of: item, function) ?? true else { return nil }
        let place = order.place(of: item)
        return spec.isInRange(place) ? StreamRow(place, json: item.json) : nil
    }

    /// Whether the row is to be shown.
    private func isWanted(_ key: TextKey) -> Bool {
        guard sources.isEmpty, spec.start == nil, spec.end == nil else { return row(of: key) != nil }
        return received[key].map { predicate?.holds(of: $0, function) ?? true } ?? false
    }

    private func rowOfSources(_ key: TextKey) -> StreamRow? {
        for (index, source) in sources.enumerated() {
            guard let row = source.sections[0].row(of: key.text) else { continue }
            let item = StreamItem(key: row.id, json: row.json)
            guard predicate?.holds(of: item, function) ?? true else { return nil }
            // The first one's order holds for all.
            return index == 0 ? row : StreamRow(order.place(of: item), json: row.json)
        }
        return nil
    }

    // MARK: Looking

    func entry(_ path: StreamPath) -> StreamBatch.Entry? {
        guard sections.indices.contains(path.section) else { return nil }
        let rows = sections[path.section].shown.rows
        guard rows.indices.contains(path.row) else { return nil }
        return StreamBatch.Entry(path, rows[path.row])
    }

    func find(_ key: String) -> StreamBatch.Entry? {
        let section = sections.count == 1 ? 0 : sectionOf[key] ?? 0
        guard let row = sections[section].row(of: key), let index = sections[section].shown.index(at: row.place)
        else { return nil }
        return StreamBatch.Entry(StreamPath(section, index), row)
    }

    /// The row next to where a row stands or would stand.
    func neighbour(of item: StreamItem, isAfter: Bool) -> StreamBatch.Entry? {
        // Where it stands in the source's own order only the source knows.
        let known = StreamItem(key: item.key, json: item.json, rank: received[item.key]?.rank)
        let standing = item.json.isEmpty ? sections[0].row(of: item.key)?.place : nil
        let place = standing ?? order.place(of: known)
        let shown = sections[0].shown
        let bound = shown.lowerBound(of: place)
        let isShown = shown.index(at: place) != nil
        return entry(StreamPath(0, isAfter ? bound + (isShown ? 1 : 0) : bound - 1))
    }

    /// Everything shown, as one batch for a host that lost track.
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
