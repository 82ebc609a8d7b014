import SyncModel

/// What a message collection shows: a window of a channel's messages that match a filter, in the order of the service.
///
/// The window lies inside one chunk, so messages shown as neighbours are neighbours on the service. It grows by pages
/// at both ends, and by realtime messages while it shows the newest. Beyond its capacity it is trimmed at the end that
/// did not grow.
struct MessageView {
    private(set) var filter: MessageFilter
    let viewpoint: Int64
    private(set) var window: Window<MessageRow>
    private(set) var hasPrevious = true
    private(set) var hasNext: Bool
    /// The view shows the newest message and adds messages that arrive, so that no fetch is needed to keep up. A view
    /// that opens at the newest point follows from the start, even while it is not known which message is the newest.
    private(set) var isFollowing: Bool
    /// Something was fetched since the collection was opened or reset.
    private(set) var isLoaded = false
    /// The newest position known when the view was last seen empty: only messages behind it are contiguous.
    private var emptyEdge = MessagePosition.last
    /// The position of a view that has lost all of its messages.
    private var emptiedAt: MessagePosition?
    /// Messages that were shown until a host asked for their deletion, or for an edit after which they do not match;
    /// with their positions.
    private var hidden: [MessageID: MessagePosition] = [:]
    /// Stored messages were merged while the view reached beyond its chunk: some may be missing in between.
    private var mayMiss = false
    private var bytes = ByteBound()

    init(filter: MessageFilter, viewpoint: Int64) {
        self.filter = filter
        self.viewpoint = viewpoint
        window = Window(isReversed: filter.isReversed)
        hasNext = viewpoint != Int64.max
        isFollowing = viewpoint == Int64.max
    }

    // MARK: Where it stands

    var isEmpty: Bool { window.isEmpty }

    /// Everything was loaded, and nothing of it is shown.
    var isCompleteAndEmpty: Bool { isEmpty && isLoaded && !hasPrevious && !hasNext }

    /// The position of a view that has shown nothing yet: behind all messages with the viewpoint's time, or before them
    /// when they belong to the newer side.
    var anchor: MessagePosition {
        MessagePosition(order: viewpoint, tie: filter.isInclusive || viewpoint == Int64.max ? Int64.max : Int64.min)
    }

    /// The position of an empty view.
    private var stand: MessagePosition { emptiedAt ?? anchor }

    /// Where an empty view may lie in a chunk: one may end between messages that have the viewpoint's time.
    private var stands: [MessagePosition] {
        [stand, anchor, MessagePosition(order: viewpoint, tie: Int64.max)]
    }

    /// Whether nothing is beyond a chunk in a direction. Between an empty view and a chunk that stands in for the one
    /// around it, messages may be that are not cached.
    func isAtEnd(_ direction: PageDirection, of chunk: ChunkList.Chunk) -> Bool {
        guard direction == .previous else { return chunk.reachedNewest }
        return chunk.reachedFirst && (!isEmpty || stands.contains { chunk.covers($0) })
    }

    /// A fetch of older messages continues below this position; the next one is for newer messages.
    private var lowerEnd: MessagePosition { window.first?.position ?? stand }
    private var upperEnd: MessagePosition { window.last?.position ?? stand }

    func end(_ direction: PageDirection) -> MessagePosition { direction == .previous ? lowerEnd : upperEnd }

    var wantsNewest: Bool { isFollowing || viewpoint == Int64.max }

    /// The chunk in which the view lies: the one that covers its messages, or its viewpoint.
    func home(in chunks: ChunkList) -> Int? {
        guard !window.isEmpty else { return stands.lazy.compactMap { chunks.index(covering: $0) }.first }
        // The last messages may be out of order, and outside every chunk after a lost connection.
        for row in window.rows.reversed() {
            if let home = chunks.index(covering: row.position) { return home }
        }
        return nil
    }

    /// Whether a position lies inside the range that the view shows completely.
    func spans(_ position: MessagePosition) -> Bool {
        guard let first = window.first, let last = window.last else {
            // An empty view that has reached the first message takes in messages that were hidden when it was loaded.
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

    /// Sets how many messages a fetch brings from now on, in either direction.
    mutating func setLimit(_ limit: Int) {
        filter.limit = limit
        filter.previousLimit = nil
        filter.nextLimit = nil
    }

    /// There is nothing more in either direction.
    mutating func endAtBothEnds() {
        hasPrevious = false
        hasNext = false
    }

    /// There may be more in both directions, as when the view was opened.
    mutating func openBothEnds() {
        hasPrevious = true
        hasNext = viewpoint != Int64.max
    }

    /// Messages that arrive are not contiguous with the shown ones any more.
    mutating func stopFollowing() {
        isFollowing = false
        hasNext = true
    }

    /// Sets at both ends whether there is more. `isBefore`, `isAfter`: the cache has more there, in the view's chunk.
    mutating func setEnds(in chunk: ChunkList.Chunk, isBefore: Bool, isAfter: Bool) {
        if window.isEmpty, emptiedAt == nil { emptyEdge = chunk.end.position }
        // Before its first fetch, a view follows if it was opened at the newest point.
        isFollowing = !isAfter && (isFollowing || isLoaded && chunk.reachedNewest)
        // Its ends stay open until then: a host that was told of none would not hear that there is more now.
        guard isLoaded else { return }
        hasPrevious = isBefore || !isAtEnd(.previous, of: chunk)
        hasNext = !isFollowing && (isAfter || !chunk.reachedNewest)
    }

    // MARK: Pages

    /// Puts a page at one end of the window.
    mutating func attach(_ rows: [MessageRow], _ rules: any ServiceRules) -> WindowChange? {
        isLoaded = true
        if !rows.isEmpty { emptiedAt = nil }
        return window.insert(taking(rows, rules))
    }

    /// Replaces the messages shown as a stand-in by the page around the viewpoint; messages that are in both stay. Then
    /// the view is at the viewpoint again.
    mutating func replace(by page: [MessageRow], _ rules: any ServiceRules) -> [WindowChange] {
        let kept = Set(page.map(\.id))
        let removed = window.remove(ids: Set(window.rows.map(\.id)).subtracting(kept))
        isLoaded = true
        emptiedAt = nil
        emptyEdge = .last
        openBothEnds()
        isFollowing = viewpoint == Int64.max
        return [removed].compactMap { $0 } + window.merge(taking(page, rules))
    }

    /// Rows that the window takes in, as hosts see them.
    private mutating func taking(_ rows: [MessageRow], _ rules: any ServiceRules) -> [MessageRow] {
        let rows = filter.leftOut.isEmpty ? rows : rows.map { shown($0, rules) }
        for row in rows { bytes.add(row.json.count) }
        return rows
    }

    /// When the view is beyond its capacity, in messages or in bytes, trims the end that did not grow.
    mutating func trim(to capacity: Int, growing direction: PageDirection) -> WindowChange? {
        let page = max(filter.limit(.previous), filter.limit(.next))
        let kept = max(page, min(capacity, rows(ofBytes: capacity, direction)))
        let excess = window.count - kept
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

    /// How many rows fit into the bytes that a view of this capacity may hold, from the end that grew.
    private mutating func rows(ofBytes capacity: Int, _ direction: PageDirection) -> Int {
        let sizes = window.rows.lazy.map(\.json.count)
        return direction == .previous
            ? bytes.rows(ofCapacity: capacity, sizes) : bytes.rows(ofCapacity: capacity, sizes.reversed())
    }

    // MARK: Stored messages

    /// Shows stored messages that lie inside the range of the view, in its chunk. Messages that are shown already are
    /// updated wherever they are, since a part of the view may lie beyond a hole. `source`: for messages that are
    /// missing when the hole is filled.
    mutating func merge(
        _ records: [MessageRecord], in chunk: ChunkList.Chunk?, _ source: MessageSource, _ rules: any ServiceRules
    ) -> [WindowChange] {
        var rows: [MessageRow] = []
        var gone: Set<MessageID> = []
        for record in records {
            let isInside = chunk?.covers(record.position) == true && spans(record.position)
            if filter.matches(record), isInside || holds(record.position) {
                rows.append(record.row)
            } else if let index = window.index(ofID: record.id),
                !filter.matches(record) || window.rows[index].position != record.position
            {
                // It does not match any more, or its place is outside now.
                gone.insert(record.id)
            }
        }
        var changes: [WindowChange] = []
        if let change = remove(gone) { changes.append(change) }
        if !rows.isEmpty {
            emptiedAt = nil
            changes += window.merge(taking(rows, rules))
        }
        if let change = fillIn(from: source, rules) { changes.append(change) }
        return changes
    }

    /// When all messages of the view lie in one chunk again, adds those that are missing in between. Until then,
    /// messages to which a page gives another place are removed, because it is not known which messages are beside
    /// them.
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
        // If the cache cannot be read now, the next page tries again.
        guard mayMiss, let rows = source.rows(
            .next, of: first.position, chunk.ending(.next, at: last.position), limit: Int.max)
        else { return nil }
        mayMiss = false
        let missing = rows.filter { window.index(ofID: $0.id) == nil }
        return window.insert(taking(missing, rules))
    }

    /// Removes messages by their ids.
    mutating func remove(_ ids: Set<MessageID>) -> WindowChange? {
        if !hidden.isEmpty { for id in ids { hidden[id] = nil } }
        // An emptied view continues behind the last message that it showed.
        let last = window.last?.position
        let change = window.remove(ids: ids)
        if window.isEmpty, let last {
            emptyEdge = last
            emptiedAt = last
        }
        return change
    }

    /// Removes the messages behind a position. If the view becomes empty, it continues there.
    mutating func removeAll(behind end: MessagePosition) -> WindowChange? {
        let change = remove(Set(window.rows.filter { $0.position > end }.map(\.id)))
        if change != nil, window.isEmpty {
            emptyEdge = end
            emptiedAt = end
        }
        return change
    }

    // MARK: Messages that are hidden

    /// Hides a message until the service has answered the action on it.
    mutating func hide(_ message: MessageRecord) -> WindowChange? {
        guard window.index(ofID: message.id) != nil else { return nil }
        let change = remove([message.id])
        hidden[message.id] = message.position
        return change
    }

    /// Ends the hiding of a message. Returns whether it was hidden, so that it has to be shown again.
    mutating func unhide(_ id: MessageID) -> Bool { hidden.removeValue(forKey: id) != nil }

    /// Shows a message with its present content after it was hidden or changed by an overlay, if its place is between
    /// shown messages. This is done also where no chunk covers these, because it was one of them.
    mutating func putBack(_ record: MessageRecord, wasHidden: Bool, _ rules: any ServiceRules) -> [WindowChange] {
        guard let first = window.first, let last = window.last else { return [] }
        let isBetween = first.position < record.position && record.position < last.position
        let isShown = window.index(at: record.position).map { window.rows[$0].id == record.id } ?? false
        guard isShown || wasHidden && isBetween else { return [] }
        return window.merge(taking([record.row], rules))
    }
}
