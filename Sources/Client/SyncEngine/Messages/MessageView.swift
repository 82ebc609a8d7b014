import SyncModel

/// What a message collection shows: a window of a channel's messages that match a filter, in the order of the service.
///
/// The window lies inside one chunk, so what it shows as neighbours are neighbours. It grows by pages at both ends, by
/// realtime messages while it shows the newest, and is trimmed beyond its capacity at the end that did not grow.
struct MessageView {
    private(set) var filter: MessageFilter
    let viewpoint: Int64
    private(set) var window: Window<MessageRow>
    private(set) var hasPrevious = true
    private(set) var hasNext: Bool
    /// Shows the newest message and takes in those that come: no fetch is needed to keep up. A window that opens at the
    /// newest point follows from the start, also while nobody knows yet what is newest.
    private(set) var isFollowing: Bool
    /// Something was fetched since the collection was opened or reset.
    private(set) var isLoaded = false
    /// The newest position known when the window was last seen empty: only what comes behind it is contiguous.
    private var emptyEdge = MessagePosition.last
    /// Where the window stands since all it showed is gone.
    private var emptiedAt: MessagePosition?
    /// Messages that it showed until a host asked for their deletion, or for an edit after which they do not match, and
    /// where they stand.
    private var hidden: [MessageID: MessagePosition] = [:]
    /// Stored messages were merged while it reached beyond the chunk where it stands: some may be missing in between.
    private var mayMiss = false

    init(filter: MessageFilter, viewpoint: Int64) {
        self.filter = filter
        self.viewpoint = viewpoint
        window = Window(isReversed: filter.isReversed)
        hasNext = viewpoint != Int64.max
        isFollowing = viewpoint == Int64.max
    }

    // MARK: Where it stands

    var isEmpty: Bool { window.isEmpty }

    /// Behind every message at the viewpoint, or before them when they belong to the newer ones: where a window stands
    /// that has shown nothing yet.
    var anchor: MessagePosition {
        MessagePosition(order: viewpoint, tie: filter.isInclusive || viewpoint == Int64.max ? Int64.max : Int64.min)
    }

    /// Where an empty window stands.
    private var stand: MessagePosition { emptiedAt ?? anchor }

    /// What a fetch towards older goes on below, and one towards newer above.
    private var lowerEnd: MessagePosition { window.first?.position ?? stand }
    private var upperEnd: MessagePosition { window.last?.position ?? stand }

    func end(_ direction: PageDirection) -> MessagePosition { direction == .previous ? lowerEnd : upperEnd }

    var wantsNewest: Bool { isFollowing || viewpoint == Int64.max }

    /// The chunk the window stands in: the one that covers what it shows, or its viewpoint.
    func home(in chunks: ChunkList) -> Int? {
        guard !window.isEmpty else {
            // A chunk may end among messages of the viewpoint's own time.
            return chunks.index(covering: stand) ?? chunks.index(covering: anchor)
                ?? chunks.index(covering: MessagePosition(order: viewpoint, tie: Int64.max))
        }
        // The last ones may be out of order, and outside since the connection was lost.
        for row in window.rows.reversed() {
            if let home = chunks.index(covering: row.position) { return home }
        }
        return nil
    }

    /// Whether a position lies inside what the window claims to show completely.
    func spans(_ position: MessagePosition) -> Bool {
        guard let first = window.first, let last = window.last else {
            // One that has looked back to the first message has room for what was hidden when it looked.
            return isFollowing && isLoaded && (position > emptyEdge || !hasPrevious)
        }
        let isAfterStart = first.position < position || !hasPrevious
        let isBeforeEnd = position < last.position || isFollowing
        return isAfterStart && isBeforeEnd
    }

    private func holds(_ position: MessagePosition) -> Bool { window.index(at: position) != nil }

    // MARK: What hosts see of a message

    /// A message's JSON as this collection tells it.
    func shown(_ json: [UInt8], _ rules: any ServiceRules) -> [UInt8] {
        filter.leftOut.isEmpty ? json : rules.json(json, without: filter.leftOut)
    }

    private func shown(_ row: MessageRow, _ rules: any ServiceRules) -> MessageRow {
        guard !filter.leftOut.isEmpty else { return row }
        return MessageRow(id: row.id, position: row.position, json: shown(row.json, rules))
    }

    // MARK: Its ends

    /// Messages that a fetch brings from now on, in either direction.
    mutating func setLimit(_ limit: Int) {
        filter.limit = limit
        filter.previousLimit = nil
        filter.nextLimit = nil
    }

    /// Nothing can be had in either direction.
    mutating func endAtBothEnds() {
        hasPrevious = false
        hasNext = false
    }

    /// In both directions there may be more, as when it was opened.
    mutating func openBothEnds() {
        hasPrevious = true
        hasNext = viewpoint != Int64.max
    }

    /// Those that come are not contiguous with what is shown.
    mutating func stopFollowing() {
        isFollowing = false
        hasNext = true
    }

    /// More is cached before or after what is shown, in the chunk where the window stands.
    mutating func setEnds(in chunk: ChunkList.Chunk, isBefore: Bool, isAfter: Bool) {
        if window.isEmpty, emptiedAt == nil { emptyEdge = chunk.end.position }
        hasPrevious = isBefore || !chunk.reachedFirst
        // Before its first fetch a window follows if it opened at the newest point.
        isFollowing = !isAfter && (isFollowing || isLoaded && chunk.reachedNewest)
        hasNext = !isFollowing && (isAfter || !chunk.reachedNewest)
    }

    // MARK: Pages

    /// Puts a page at one end of the window.
    mutating func attach(_ rows: [MessageRow], _ rules: any ServiceRules) -> WindowChange? {
        isLoaded = true
        if !rows.isEmpty { emptiedAt = nil }
        return window.insert(filter.leftOut.isEmpty ? rows : rows.map { shown($0, rules) })
    }

    /// Turns what stood in for the page around the viewpoint into that page, and leaves alone what belongs to both. It
    /// stands at the viewpoint again.
    mutating func replace(by page: [MessageRow], _ rules: any ServiceRules) -> [WindowChange] {
        let kept = Set(page.map(\.id))
        let removed = window.remove(ids: Set(window.rows.map(\.id)).subtracting(kept))
        isLoaded = true
        emptiedAt = nil
        emptyEdge = .last
        openBothEnds()
        isFollowing = viewpoint == Int64.max
        return [removed].compactMap { $0 } + window.merge(page.map { shown($0, rules) })
    }

    /// Trims the end that did not grow beyond the capacity.
    mutating func trim(to capacity: Int, growing direction: PageDirection) -> WindowChange? {
        let excess = window.count - max(capacity, filter.limit(.previous), filter.limit(.next))
        guard excess > 0 else { return nil }
        if direction == .previous {
            stopFollowing()
            let change = window.removeLast(excess)
            hidden = hidden.filter { $0.value < upperEnd }
            return change
        }
        hasPrevious = true
        let change = window.removeFirst(excess)
        hidden = hidden.filter { $0.value > lowerEnd }
        return change
    }

    // MARK: Stored messages

    /// Shows those of some stored messages that lie inside what the window shows, in the chunk where it stands. What it
    /// shows already is shown as it is now, wherever that lies: a part may stand beyond a hole. `source`: of what is
    /// missing when the hole is filled.
    mutating func merge(
        _ records: [MessageRecord], in chunk: ChunkList.Chunk?, _ source: MessageSource, _ rules: any ServiceRules
    ) -> [WindowChange] {
        var rows: [MessageRow] = []
        var gone: Set<MessageID> = []
        for record in records {
            let isInside = chunk?.covers(record.position) == true && spans(record.position)
            if filter.matches(record), isInside || holds(record.position) {
                rows.append(shown(record.row, rules))
            } else if let index = window.index(ofID: record.id),
                !filter.matches(record) || window.rows[index].position != record.position
            {
                // It ceased to match, or its place is outside now.
                gone.insert(record.id)
            }
        }
        var changes: [WindowChange] = []
        if let change = remove(gone) { changes.append(change) }
        if !rows.isEmpty {
            emptiedAt = nil
            changes += window.merge(rows)
        }
        if let change = fillIn(from: source, rules) { changes.append(change) }
        return changes
    }

    /// Once all that it shows lies in one chunk again: shows what is missing in between. Those that a page puts in
    /// another place than where they were shown are removed while it is not known what stands beside them.
    private mutating func fillIn(from source: MessageSource, _ rules: any ServiceRules) -> WindowChange? {
        let chunks = source.coverage.chunks
        guard let first = window.first, let last = window.last else {
            mayMiss = false
            return nil
        }
        guard let home = home(in: chunks), case let chunk = chunks.chunks[home], chunk.covers(first.position),
            chunk.covers(last.position)
        else {
            mayMiss = true
            return nil
        }
        // What cannot be read now is looked for at the next page.
        guard mayMiss, let rows = source.rows(
            .next, of: first.position, chunk.ending(.next, at: last.position), limit: Int.max)
        else { return nil }
        mayMiss = false
        let missing = rows.filter { window.index(ofID: $0.id) == nil }
        return window.insert(missing.map { shown($0, rules) })
    }

    /// Removes messages by their ids.
    mutating func remove(_ ids: Set<MessageID>) -> WindowChange? {
        if !hidden.isEmpty { for id in ids { hidden[id] = nil } }
        // Emptied, the window goes on behind what it showed last.
        let last = window.last?.position
        let change = window.remove(ids: ids)
        if window.isEmpty, let last {
            emptyEdge = last
            emptiedAt = last
        }
        return change
    }

    /// Removes what stands behind a position. Emptied, the window goes on there.
    mutating func removeAll(behind end: MessagePosition) -> WindowChange? {
        let change = remove(Set(window.rows.filter { $0.position > end }.map(\.id)))
        if change != nil, window.isEmpty {
            emptyEdge = end
            emptiedAt = end
        }
        return change
    }

    // MARK: Messages that are hidden

    /// Shows a message no more, until the service has said what becomes of it.
    mutating func hide(_ message: MessageRecord) -> WindowChange? {
        guard window.index(ofID: message.id) != nil else { return nil }
        let change = remove([message.id])
        hidden[message.id] = message.position
        return change
    }

    /// Whether it was hidden and has to be shown again.
    mutating func unhide(_ id: MessageID) -> Bool { hidden.removeValue(forKey: id) != nil }

    /// Shows a message as it is that was hidden, or shown otherwise, where it stands among others. Also where those are
    /// in doubt: it was one of them.
    mutating func putBack(_ record: MessageRecord, wasHidden: Bool, _ rules: any ServiceRules) -> [WindowChange] {
        guard let first = window.first, let last = window.last else { return [] }
        let isBetween = first.position < record.position && record.position < last.position
        let isShown = window.index(at: record.position).map { window.rows[$0].id == record.id } ?? false
        guard isShown || wasHidden && isBetween else { return [] }
        return window.merge([shown(record.row, rules)])
    }
}
