import SyncModel

/// A message collection: a window of a channel's messages that match a filter, in the order of the service.
///
/// The window lies inside one chunk, so what it shows as neighbours are neighbours. It grows by fetches at both ends,
/// by realtime messages while it shows the newest, and is trimmed beyond its capacity at the end that did not grow.
struct MessageWindow {
    struct Fetch {
        /// `nil`: nobody waits for it. The view was emptied, not by its host, and fills itself again.
        let call: CallID?
        var wanted: Int
        /// One of the two pages of a start, which completes when both are there.
        var isOfStart = false
        /// Goes on, page by page, until the newest message is shown.
        var isOfAll = false
        /// It took the place of one that nobody waits for, and leaves it to that when it ends with nothing.
        var isAlsoRefill = false
    }

    /// The page around the viewpoint: from the cache at once, then as the service says it is.
    struct Start {
        let call: CallID
        /// Nothing was known about the viewpoint: what is shown until the service has told stands elsewhere.
        let isStandIn: Bool
        /// It took the place of fetches that fill an emptied view again, and leaves it to those when it ends with
        /// nothing.
        let isAlsoRefill: Bool
        /// The service has told the page.
        var isAnswered = false
        /// Why one of its pages is short.
        var short: Completion.ShortReason?
    }

    let id: CollectionID
    private(set) var filter: MessageFilter
    private(set) var viewpoint: Int64
    var window: Window<MessageRow>
    var hasPrevious = true
    var hasNext: Bool
    /// Shows the newest message and takes in those that come: no fetch is needed to keep up. A window that opens at the
    /// newest point follows from the start, also while nobody knows yet what is newest.
    var isFollowing: Bool
    /// Something was fetched since the collection was opened or reset.
    var isLoaded = false
    /// The newest position known when the window was last seen empty: only what comes behind it is contiguous.
    var emptyEdge = MessagePosition.last
    /// Where the window stands since all it showed is gone.
    var emptiedAt: MessagePosition?
    var fetches = PerDirection<Fetch>()
    var start: Start?
    /// The channel as hosts see it, as JSON text; `nil` when it is not known.
    var channel: [UInt8]?
    /// The channel was told to be gone, and has not come back.
    private var isChannelGone = false
    /// It showed messages then, and does so again when the channel is back.
    private var refillsWhenBack = false
    /// Messages that it showed until a host asked for their deletion, or for an edit after which they do not match, and
    /// where they stand.
    private var hidden: [MessageID: MessagePosition] = [:]

    init(id: CollectionID, filter: MessageFilter, viewpoint: Int64) {
        self.id = id
        self.filter = filter
        self.viewpoint = viewpoint
        window = Window(isReversed: filter.isReversed)
        hasNext = viewpoint != Int64.max
        isFollowing = viewpoint == Int64.max
    }

    var info: CollectionInfo {
        var info = CollectionInfo(messages: id, filter, viewpoint: viewpoint)
        info.hasPrevious = hasPrevious
        info.hasNext = hasNext
        info.channel = channel
        return info
    }

    func change(_ change: WindowChange, _ cause: Cause) -> CollectionChange {
        CollectionChange(
            collection: id, list: .succeeded, action: change.action, cause: cause, items: change.items, info: info)
    }

    /// Behind every message at the viewpoint, or before them when they belong to the newer ones: where a window stands
    /// that has shown nothing yet.
    var anchor: MessagePosition {
        MessagePosition(order: viewpoint, tie: filter.isInclusive || viewpoint == Int64.max ? Int64.max : Int64.min)
    }

    /// A message's JSON as this collection tells it.
    func shown(_ json: [UInt8], _ rules: any ServiceRules) -> [UInt8] {
        filter.leftOut.isEmpty ? json : rules.json(json, without: filter.leftOut)
    }

    private func shown(_ row: MessageRow, _ rules: any ServiceRules) -> MessageRow {
        guard !filter.leftOut.isEmpty else { return row }
        return MessageRow(id: row.id, position: row.position, json: shown(row.json, rules))
    }

    /// Where an empty window stands.
    private var stand: MessagePosition { emptiedAt ?? anchor }

    /// Where the service is asked what is there when nothing is known of it: around what is shown.
    var place: MessagePosition { start == nil ? window.first?.position ?? anchor : anchor }

    /// What a fetch towards older goes on below, and one towards newer above.
    var lowerEnd: MessagePosition { window.first?.position ?? stand }
    var upperEnd: MessagePosition { window.last?.position ?? stand }

    /// What it shows stands in for a page that the service has yet to tell, and will give way to it.
    var isStandIn: Bool { start.map { $0.isStandIn && !$0.isAnswered } ?? false }

    var wantsNewest: Bool { isFollowing || viewpoint == Int64.max }

    /// What stands in is replaced by what is newest, if that is its viewpoint. What was shown before a start is not.
    var canHaveGap: Bool { isFollowing && isLoaded && !isStandIn }

    /// Starts again at a viewpoint, with nothing shown.
    mutating func reset(to viewpoint: Int64) -> WindowChange {
        let (fetches, start, channel) = (fetches, start, channel)
        self = MessageWindow(id: id, filter: filter, viewpoint: viewpoint)
        self.fetches = fetches
        self.start = start
        self.channel = channel
        return WindowChange(.clear, [])
    }

    /// The channel as hosts see it, or that it is not known. Whether the view is to be filled again, since it is back.
    mutating func setChannel(_ json: [UInt8]?) -> Bool {
        channel = json
        guard isChannelGone, json != nil else { return false }
        let wasWanted = refillsWhenBack
        (isChannelGone, refillsWhenBack) = (false, false)
        hasPrevious = true
        hasNext = viewpoint != Int64.max
        if wasWanted { refill() }
        return wasWanted
    }

    /// Nothing is to be had any more; `nil` when the host was told so already.
    mutating func loseChannel() -> WindowChange? {
        if isChannelGone, window.isEmpty { return nil }
        let isWanted = isWanted
        let change = reset(to: viewpoint)
        hasPrevious = false
        hasNext = false
        channel = nil
        isChannelGone = true
        refillsWhenBack = isWanted
        return change
    }

    /// The host wants to see messages: it has fetched some, or would have them but for what emptied the view.
    var isWanted: Bool { isLoaded || isRefilling || refillsWhenBack }

    var isRefilling: Bool {
        [.previous, .next].contains { fetches[$0] != nil && fetches[$0]?.call == nil }
    }

    /// Fetches a page in each direction for nobody in particular; one that a host waits for brings as much.
    mutating func refill() {
        for direction in [PageDirection.previous, .next] where fetches[direction] == nil && start == nil {
            fetches[direction] = Fetch(call: nil, wanted: filter.limit(direction))
        }
    }

    /// Whether what a fetch did not bring may come later, for what nobody waits for.
    static func mayComeLater(_ status: Status, _ short: Completion.ShortReason?) -> Bool {
        status == .storage || status == .canceled || short != nil && short != .reset
    }

    /// Messages that a fetch brings from now on, in either direction.
    mutating func setLimit(_ limit: Int) {
        filter.limit = limit
        filter.previousLimit = nil
        filter.nextLimit = nil
    }

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

    /// Shows those of some stored messages that lie inside what the window shows, in the chunk where it stands. What it
    /// shows already is shown as it is now, wherever that lies: a part may stand beyond a hole.
    mutating func merge(
        _ records: [MessageRecord], in chunk: ChunkList.Chunk?, _ rules: any ServiceRules
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
        return changes
    }

    private func holds(_ position: MessagePosition) -> Bool { window.index(at: position) != nil }

    /// Takes out what was shown for want of what really stands at the viewpoint, and stands there again.
    mutating func standAgain(without ids: Set<MessageID>) -> WindowChange? {
        let change = window.remove(ids: ids)
        isLoaded = true
        emptiedAt = nil
        emptyEdge = .last
        hasPrevious = true
        hasNext = viewpoint != Int64.max
        isFollowing = viewpoint == Int64.max
        return change
    }

    /// Puts a page where it belongs.
    mutating func merge(_ rows: [MessageRow], _ rules: any ServiceRules) -> [WindowChange] {
        window.merge(rows.map { shown($0, rules) })
    }

    /// Puts a page at one end of the window.
    mutating func attach(_ rows: [MessageRow], _ rules: any ServiceRules) -> WindowChange? {
        if !rows.isEmpty { emptiedAt = nil }
        return window.insert(filter.leftOut.isEmpty ? rows : rows.map { shown($0, rules) })
    }

    /// Trims the end that did not grow beyond the capacity.
    mutating func trim(to capacity: Int, growing direction: PageDirection) -> WindowChange? {
        let excess = window.count - max(capacity, filter.limit(.previous), filter.limit(.next))
        guard excess > 0 else { return nil }
        if direction == .previous {
            hasNext = true
            isFollowing = false
            let change = window.removeLast(excess)
            hidden = hidden.filter { $0.value < upperEnd }
            return change
        }
        hasPrevious = true
        let change = window.removeFirst(excess)
        hidden = hidden.filter { $0.value > lowerEnd }
        return change
    }
}
