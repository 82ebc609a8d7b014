import SyncModel

/// A message collection: its view, and its fetches and start that wait.
///
/// A fetch is served from the cache, and waits for sync while the cache has too little. It ends in this type, whatever
/// the reason: a page, the end of the history, a lost connection, or the host.
struct MessageWindow {
    /// With "fetch all newer", messages that are shown in one step; other inputs have their turn between two steps.
    private static let partOfAll = 200

    let id: CollectionID
    var most: Int? // enough of a channel that is prefetched; `nil`: sync goes on as far as there are any
    private var view: MessageView
    private(set) var fetches = PerDirection<WindowFetch>()
    private(set) var start: WindowStart?
    /// The channel as hosts see it, as JSON text; `nil` when it is not known.
    private var channel: [UInt8]?
    /// The host was told that the channel is gone, and it has not come back.
    private(set) var isChannelGone = false
    /// The window showed messages then, and does so again when the channel comes back.
    private var refillsWhenBack = false

    init(id: CollectionID, filter: MessageFilter, viewpoint: Int64) {
        self.id = id
        view = MessageView(filter: filter, viewpoint: viewpoint)
    }

    // MARK: What it is

    var filter: MessageFilter { view.filter }
    var viewpoint: Int64 { view.viewpoint }
    var window: Window<MessageRow> { view.window }
    var hasPrevious: Bool { view.hasPrevious }
    var hasNext: Bool { view.hasNext }
    var isFollowing: Bool { view.isFollowing }
    var isLoaded: Bool { view.isLoaded }
    var wantsNewest: Bool { view.wantsNewest }
    var anchor: MessagePosition { view.anchor }

    /// The place around which the service is asked when no chunk covers it: the first shown message, or the viewpoint.
    var place: MessagePosition { start == nil ? window.first?.position ?? anchor : anchor }

    /// The chunk in which the window lies: the one that covers its messages, or its viewpoint.
    func home(in chunks: ChunkList) -> Int? { view.home(in: chunks) }

    var info: CollectionInfo {
        var info = CollectionInfo(messages: id, filter, viewpoint: viewpoint)
        info.hasPrevious = hasPrevious
        info.hasNext = hasNext
        info.channel = channel
        return info
    }

    /// The chunk to read from. Without a chunk at the viewpoint, the nearest one below is a stand-in, unless the
    /// service can be asked for the right page. At the newest point it can be asked once the gap has been checked.
    private func chunk(_ coverage: Coverage, _ context: Context) -> ChunkList.Chunk? {
        if let home = home(in: coverage.chunks) { return coverage.chunks.chunks[home] }
        // No chunk covers the shown messages: it is not known which messages are beside them.
        guard view.isEmpty else { return nil }
        // A start shows cached messages at once; the service's page replaces them.
        let isShownAnyway = start?.isAnswered == false
        if !isShownAnyway, context.canSync, viewpoint != Int64.max || coverage.isGapChecked { return nil }
        return coverage.chunks.index(atOrBelow: anchor).map { coverage.chunks.chunks[$0] }
    }

    /// The rows next to the shown messages, within a chunk; `nil` when they cannot be read.
    private func rows(
        _ direction: PageDirection, _ chunk: ChunkList.Chunk, limit: Int, _ coverage: Coverage, _ context: Context
    ) -> [MessageRow]? {
        MessageSource(coverage: coverage, context: context, filter: filter)
            .rows(direction, of: view.end(direction), chunk, limit: limit)
    }

    private func tell(_ change: WindowChange, _ cause: Cause, _ turn: inout Turn) {
        turn.tell(CollectionChange(
            collection: id, list: .succeeded, action: change.action, cause: cause, items: change.items, info: info))
    }

    // MARK: What hosts ask, and what concerns it as a whole

    /// Sets how many messages a fetch brings from now on, in either direction.
    mutating func setLimit(_ limit: Int) { view.setLimit(limit) }

    /// Starts again at a viewpoint, with nothing shown.
    mutating func reset(to viewpoint: Int64) {
        view = MessageView(filter: filter, viewpoint: viewpoint)
        (isChannelGone, refillsWhenBack) = (false, false)
    }

    /// As `reset`, and tells the host. `refills`: if the window showed messages, it loads a page again by itself,
    /// because the host did not ask for the reset.
    mutating func clear(to viewpoint: Int64, _ cause: Cause, refills: Bool, _ turn: inout Turn) {
        let wasWanted = isWanted
        finishFetches(.ok, short: .reset, &turn)
        reset(to: viewpoint)
        tell(WindowChange(.clear, []), cause, &turn)
        if refills, wasWanted { refill() }
    }

    /// Sets the channel as hosts see it; `nil`: not known. `true`: the channel is back, and there is something to ask.
    @discardableResult
    mutating func setChannel(_ json: [UInt8]?) -> Bool {
        channel = json
        guard isChannelGone, json != nil else { return false }
        view.openBothEnds()
        if refillsWhenBack { refill() }
        (isChannelGone, refillsWhenBack) = (false, false)
        return true
    }

    /// This user is not in the channel any more. Told only once, since the service's event follows the answer to an own
    /// action.
    mutating func channelGone(_ url: ChannelURL, _ cause: Cause, _ turn: inout Turn) {
        let wasWanted = isWanted
        if !isChannelGone || !view.isEmpty {
            reset(to: viewpoint)
            view.endAtBothEnds()
            (channel, isChannelGone) = (nil, true)
            tell(WindowChange(.clear, []), cause, &turn)
            turn.tell(id, .channelRemoved(url: url, cause))
        }
        // A fetch of a host in a channel that is gone may have been cut short, and wait to be continued.
        refillsWhenBack = wasWanted
        finishFetches(.notFound, &turn)
    }

    /// The host lost events: tells it the whole list again.
    func resync(dropped: Int, _ turn: inout Turn) {
        turn.tell(id, .overflow(dropped: dropped))
        tell(WindowChange(.clear, []), Cause(.overflow), &turn)
        if let change = window.snapshot() { tell(change, Cause(.overflow), &turn) }
    }

    // MARK: Fetching

    /// Begins a fetch; `isOfAll`: of everything newer. Returns whether it still waits for sync.
    mutating func fetch(
        _ direction: PageDirection, isOfAll: Bool, call: CallID, _ coverage: Coverage, _ turn: inout Turn
    ) -> Bool {
        guard fetches[direction]?.call == nil, start == nil else {
            turn.complete(Completion(
                call: call, name: isOfAll ? .fetchAllNext : .fetch, status: .duplicatedFetch, info: info))
            return false
        }
        let wanted = isOfAll ? MessageWindow.partOfAll : filter.limit(direction)
        fetches[direction] = WindowFetch(
            call: call, wanted: wanted, isOfAll: isOfAll, isAlsoRefill: fetches[direction] != nil)
        turn.add(.timer(.fetch(call: call), at: turn.fetchDeadline))
        serve(direction, coverage, &turn)
        return fetches[direction] != nil
    }

    /// Shows the next part of everything newer, if the call still waits.
    mutating func continueFetch(_ call: CallID, _ coverage: Coverage, _ turn: inout Turn) {
        if fetches[.next]?.call == call { serve(.next, coverage, &turn) }
    }

    /// Gives waiting fetches what the cache has now, and updates both ends.
    mutating func serve(_ coverage: Coverage, _ turn: inout Turn) {
        serve(.previous, coverage, &turn)
        serve(.next, coverage, &turn)
        updateEnds(coverage, turn.context)
    }

    /// Gives a waiting fetch what the cache has; completes it when it is satisfied or when nothing more can come.
    private mutating func serve(_ direction: PageDirection, _ coverage: Coverage, _ turn: inout Turn) {
        guard let fetch = fetches[direction] else { return }
        guard let chunk = chunk(coverage, turn.context) else {
            if !turn.mayStillSync { finishFetch(direction, .ok, short: turn.shortReason, &turn) }
            return
        }
        // One row more than wanted tells whether there is more, without a second query.
        guard var rows = rows(direction, chunk, limit: fetch.wanted + 1, coverage, turn.context) else {
            return finishFetch(direction, .storage, short: nil, &turn)
        }
        let hasMore = rows.count > fetch.wanted
        if hasMore {
            if direction == .previous { rows.removeFirst() } else { rows.removeLast() }
        }
        attach(rows, direction, hasMore: hasMore, Cause(fetch.call == nil ? .sync : .cache), coverage, &turn)
        let wanted = fetch.wanted - (fetch.isOfAll ? 0 : rows.count)
        fetches[direction]?.wanted = wanted
        if fetch.isOfAll, let call = fetch.call {
            if !rows.isEmpty { turn.add(.timer(.fetch(call: call), at: turn.fetchDeadline)) }
            if hasMore { return turn.add(.timer(.fetchAll(call: call), at: turn.now.monotonic)) }
        }
        let isAtEnd = view.isAtEnd(direction, of: chunk)
        if wanted <= 0 || isAtEnd {
            finishFetch(direction, .ok, short: nil, &turn)
        } else if !turn.mayStillSync {
            finishFetch(direction, .ok, short: turn.shortReason, &turn)
        }
    }

    /// Adds a page at one end, and tells it with what is beyond both ends then. `hasMore`: whether the cache has more
    /// in that direction, if the caller has just read it. Returns whether the page changed anything.
    @discardableResult
    private mutating func attach(
        _ rows: [MessageRow], _ direction: PageDirection, hasMore: Bool?, _ cause: Cause, _ coverage: Coverage,
        _ turn: inout Turn
    ) -> Bool {
        let change = view.attach(rows, turn.rules)
        let cut = change == nil ? nil : view.trim(to: turn.options.messageCollectionCapacity, growing: direction)
        updateEnds(coverage, turn.context, known: hasMore.map { (direction, $0) })
        if let change { tell(change, cause, &turn) }
        if let cut { tell(cut, Cause(.capacity), &turn) }
        return change != nil
    }

    /// Finds out whether there is more in either direction, in the cache or at the service. `known`: whether the cache
    /// has more in one direction, if the caller has just read it.
    private mutating func updateEnds(
        _ coverage: Coverage, _ context: Context, known: (direction: PageDirection, hasMore: Bool)? = nil
    ) {
        guard let chunk = chunk(coverage, context) else { return }
        func hasMore(_ direction: PageDirection) -> Bool? {
            if let known, known.direction == direction { return known.hasMore }
            return rows(direction, chunk, limit: 1, coverage, context).map { !$0.isEmpty }
        }
        guard let isBefore = hasMore(.previous), let isAfter = hasMore(.next) else { return }
        let wasComplete = view.isCompleteAndEmpty
        view.setEnds(in: chunk, isBefore: isBefore, isAfter: isAfter)
        // Messages were missed. The newest page has none that the filter takes; older ones of them may match.
        if wasComplete, !view.isCompleteAndEmpty { refill() }
    }

    // MARK: Ending fetches

    /// Ends a fetch or a start with what has been shown. `false` when no such call waits.
    mutating func end(
        _ call: CallID, _ status: Status, short: Completion.ShortReason?, _ turn: inout Turn
    ) -> Bool {
        if start?.call == call {
            finishStart(status, short: short, &turn)
            return true
        }
        for direction in [PageDirection.previous, .next] where fetches[direction]?.call == call {
            finishFetch(direction, status, short: short, &turn)
            return true
        }
        return false
    }

    /// Ends all waiting fetches and the start with what has been shown.
    mutating func finishFetches(_ status: Status, short: Completion.ShortReason? = nil, _ turn: inout Turn) {
        if start != nil { finishStart(status, short: short, &turn) }
        for direction in [PageDirection.previous, .next] { finishFetch(direction, status, short: short, &turn) }
    }

    private mutating func finishFetch(
        _ direction: PageDirection, _ status: Status, short: Completion.ShortReason?, _ turn: inout Turn
    ) {
        guard let fetch = fetches[direction] else { return }
        let isWanted = WindowFetch.isStillWanted(after: status, short, isAlsoRefill: fetch.isAlsoRefill)
        guard let call = fetch.call else {
            if !isWanted { fetches[direction] = nil }
            return
        }
        fetches[direction] = nil
        if fetch.isOfStart { return pageOfStartEnded(status, short, &turn) }
        if isWanted, view.isEmpty { fetches[direction] = WindowFetch(call: nil, wanted: filter.limit(direction)) }
        turn.add(.timer(.fetch(call: call), at: nil))
        if fetch.isOfAll { turn.add(.timer(.fetchAll(call: call), at: nil)) }
        turn.complete(Completion(
            call: call, name: fetch.isOfAll ? .fetchAllNext : .fetch, status: status,
            hasMore: direction == .previous ? hasPrevious : hasNext, short: short, info: info))
    }

    // MARK: Filling an emptied view again

    /// The host wants to see messages: it has fetched some, or would have them if the view had not been emptied.
    private var isWanted: Bool { isLoaded || isRefilling || refillsWhenBack }

    /// Whether the view fills itself.
    var isRefilling: Bool { [.previous, .next].contains { fetches[$0] != nil && fetches[$0]?.call == nil } }

    /// Fetches a page in each direction without a call. A fetch of a host that waits already brings as much.
    private mutating func refill() {
        for direction in [PageDirection.previous, .next] where fetches[direction] == nil && start == nil {
            fetches[direction] = WindowFetch(call: nil, wanted: filter.limit(direction))
        }
    }

    // MARK: Starting

    /// The shown messages are a stand-in for a page that the service has not told yet.
    private var isStandIn: Bool { start.map { $0.isStandIn && !$0.isAnswered } ?? false }

    /// Shows the cached page around the viewpoint. Returns whether it waits for the service's page.
    mutating func begin(call: CallID, _ coverage: Coverage, _ turn: inout Turn) -> Bool {
        let isFetching = [PageDirection.previous, .next].contains { fetches[$0]?.call != nil }
        guard start == nil, !isFetching else {
            turn.complete(Completion(call: call, name: .start, status: .duplicatedFetch, info: info))
            return false
        }
        let isAlsoRefill = isRefilling
        fetches = PerDirection()
        let isStandIn = !isLoaded && home(in: coverage.chunks) == nil
        start = WindowStart(call: call, isStandIn: isStandIn, isAlsoRefill: isAlsoRefill)
        let shown = window.count
        if !isLoaded { fetchPages(coverage, &turn) }
        guard let begun = start else { return false }
        turn.tell(id, .cacheShown(call: call, count: window.count - shown))
        guard turn.mayStillSync else {
            finishStart(.ok, short: begun.short ?? turn.shortReason, &turn)
            return false
        }
        turn.add(.timer(.fetch(call: call), at: turn.fetchDeadline))
        return true
    }

    /// The service's page around a place is in the cache.
    mutating func answered(_ place: MessagePosition, _ coverage: Coverage, _ turn: inout Turn) {
        guard start?.isAnswered == false, anchor == place else { return }
        start?.isAnswered = true
        if start?.isStandIn == true, !isFilledUp(coverage) { replacePage(coverage, &turn) }
        finishStartIfDone(&turn)
    }

    /// Whether the stand-in for the newest messages has been extended up to them.
    private func isFilledUp(_ coverage: Coverage) -> Bool {
        guard isFollowing, !view.isEmpty, let home = home(in: coverage.chunks) else { return false }
        return coverage.chunks.chunks[home].covers(anchor)
    }

    /// Replaces the stand-in by the page around the viewpoint.
    private mutating func replacePage(_ coverage: Coverage, _ turn: inout Turn) {
        var missing = PerDirection<Int>()
        var page: [MessageRow] = []
        let fresh = MessageView(filter: filter, viewpoint: viewpoint)
        if let home = fresh.home(in: coverage.chunks) {
            let source = MessageSource(coverage: coverage, context: turn.context, filter: filter)
            for direction in [PageDirection.previous, .next] {
                let limit = filter.limit(direction)
                let found = source.rows(
                    direction, of: fresh.end(direction), coverage.chunks.chunks[home], limit: limit)
                guard let found else { return finishStart(.storage, short: nil, &turn) }
                page += found
                missing[direction] = limit - found.count
            }
        }
        for change in view.replace(by: page, turn.rules) { tell(change, Cause(.sync), &turn) }
        updateEnds(coverage, turn.context)
        fetchPages(coverage, wanted: missing, &turn)
    }

    /// Fetches both pages of a start; `wanted`: how many messages are missing, if not the whole page.
    private mutating func fetchPages(
        _ coverage: Coverage, wanted: PerDirection<Int> = PerDirection(), _ turn: inout Turn
    ) {
        guard let call = start?.call else { return }
        for direction in [PageDirection.previous, .next] {
            let count = wanted[direction] ?? filter.limit(direction)
            fetches[direction] = count > 0 ? WindowFetch(call: call, wanted: count, isOfStart: true) : nil
        }
        for direction in [PageDirection.previous, .next] { serve(direction, coverage, &turn) }
    }

    private mutating func pageOfStartEnded(
        _ status: Status, _ short: Completion.ShortReason?, _ turn: inout Turn
    ) {
        if start?.short == nil { start?.short = short }
        guard status == .ok else { return finishStart(status, short: short, &turn) }
        finishStartIfDone(&turn)
    }

    private mutating func finishStartIfDone(_ turn: inout Turn) {
        guard let start, start.isAnswered, fetches.isEmpty else { return }
        finishStart(.ok, short: start.short, &turn)
    }

    private mutating func finishStart(_ status: Status, short: Completion.ShortReason?, _ turn: inout Turn) {
        guard let ended = start else { return }
        start = nil
        for direction in [PageDirection.previous, .next] where fetches[direction]?.isOfStart == true {
            fetches[direction] = nil
        }
        if view.isEmpty, WindowFetch.isStillWanted(after: status, short, isAlsoRefill: ended.isAlsoRefill) { refill() }
        turn.add(.timer(.fetch(call: ended.call), at: nil))
        turn.complete(Completion(call: ended.call, name: .start, status: status, short: short, info: info))
    }

    // MARK: Stored messages

    mutating func showAgain(asIn before: MessageWindow) { view = before.view }

    /// A page was stored. If it closes a hole, the missing messages are shown; a view that follows also shows the
    /// messages that were cached behind the page.
    mutating func show(_ rows: [MessageRecord], _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn) {
        merge(rows, cause, coverage, &turn)
        while isFollowing, isLoaded, let home = home(in: coverage.chunks) {
            let found = self.rows(
                .next, coverage.chunks.chunks[home], limit: MessageWindow.partOfAll, coverage, turn.context)
            guard let found, !found.isEmpty, attach(found, .next, hasMore: nil, cause, coverage, &turn) else { return }
        }
    }

    /// Shows stored messages that lie in the view's range, and updates those that it shows already.
    mutating func merge(
        _ records: [MessageRecord], _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        let wasEmpty = view.isEmpty
        let nearest = wasEmpty ? coverage.chunks.index(atOrBelow: anchor) : nil
        let home = isLoaded ? home(in: coverage.chunks) ?? nearest : nil
        guard home != nil || !view.isEmpty else { return }
        let records = turn.overlays.isEmpty
            ? records : records.compactMap { turn.context.shown($0, in: coverage.channelURL) }
        let source = MessageSource(coverage: coverage, context: turn.context, filter: filter)
        let changes = view.merge(records, in: home.map { coverage.chunks.chunks[$0] }, source, turn.rules)
        // The first messages of a view are told with what is beyond them.
        if wasEmpty, !changes.isEmpty { updateEnds(coverage, turn.context) }
        for change in changes {
            // Only messages that a gap fill inserts were missed; its other changes were only seen again.
            let told = cause.source == .messageFill && change.action != .insert ? Cause(.sync) : cause
            tell(change, told, &turn)
        }
        guard !changes.isEmpty else { return }
        let cut = view.trim(to: turn.options.messageCollectionCapacity, growing: .next)
        if let cut { tell(cut, Cause(.capacity), &turn) }
    }

    /// Whether the view's range has the place of a message, which is in the given chunk.
    func spans(_ message: MessageRecord, in chunk: Int?, _ chunks: ChunkList) -> Bool {
        home(in: chunks) == chunk && view.spans(message.position)
    }

    /// A message was stored at a place outside the view's range.
    mutating func standAside(_ message: MessageRecord, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn) {
        updateEnds(coverage, turn.context)
        tellNewMessage(message, cause, coverage, &turn)
    }

    func tellNewMessage(_ message: MessageRecord, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn) {
        guard filter.matches(message) else { return }
        turn.tell(id, .newMessage(channelURL: coverage.channelURL, json: shown(message.json, turn.rules), cause, info))
    }

    /// A message's JSON as this collection tells it.
    func shown(_ json: [UInt8], _ rules: any ServiceRules) -> [UInt8] { view.shown(json, rules) }

    mutating func remove(_ ids: Set<MessageID>, _ cause: Cause, _ turn: inout Turn) {
        if let change = view.remove(ids) { tell(change, cause, &turn) }
    }

    /// The history was cut: older messages are gone.
    mutating func cut(before order: Int64, _ coverage: Coverage, _ turn: inout Turn) {
        let old = Set(window.rows.prefix { $0.position.order < order }.map(\.id))
        remove(old, Cause(.eventMessageDeleted), &turn)
        updateEnds(coverage, turn.context)
    }

    // MARK: Overlays

    /// An overlay on a stored message came or went. `shown`: the message with the overlay; `nil`: it is hidden.
    mutating func showAgain(
        _ message: MessageRecord, as shown: MessageRecord?, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        guard let shown, filter.matches(shown) else {
            if let change = view.hide(message) { tell(change, cause, &turn) }
            return
        }
        let wasHidden = view.unhide(message.id)
        for change in view.putBack(shown, wasHidden: wasHidden, turn.rules) { tell(change, cause, &turn) }
        if wasHidden { reach(message.position, cause, coverage, &turn) }
        merge([message], cause, coverage, &turn)
    }

    /// Extends the view up to a message that was hidden at one of its ends, with the cached messages in between.
    private mutating func reach(
        _ place: MessagePosition, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        guard let home = home(in: coverage.chunks) else { return }
        let chunk = coverage.chunks.chunks[home]
        guard chunk.covers(place), !view.spans(place) else { return }
        let direction: PageDirection = place <= view.end(.previous) ? .previous : .next
        let isBeforeEmpty = direction == .previous && view.isEmpty
        // The message itself is the end: nothing beyond it is shown.
        let rows = MessageSource(coverage: coverage, context: turn.context, filter: filter).rows(
            direction, of: isBeforeEmpty ? place.successor : view.end(direction), chunk.ending(direction, at: place),
            limit: turn.options.messageCollectionCapacity)
        if let rows { attach(rows, direction, hasMore: nil, cause, coverage, &turn) }
    }

    // MARK: Gaps

    /// A huge gap matters only to a view that follows. A stand-in is replaced by the newest page instead.
    var canHaveGap: Bool { isFollowing && isLoaded && !isStandIn }

    /// Behind the shown messages, more are missing than the service sends to fill the gap.
    mutating func showHugeGap(_ coverage: Coverage, _ turn: inout Turn) {
        // The last messages told may lie behind the gap, away from the others; they may be the whole list.
        let home = home(in: coverage.chunks) ?? coverage.chunks.index(atOrBelow: view.end(.next))
        if let home, let change = view.removeAll(behind: coverage.chunks.chunks[home].end.position) {
            tell(change, Cause(.messageFill), &turn)
        }
        if view.isCompleteAndEmpty { refill() }
        view.stopFollowing()
        turn.tell(id, .hugeGap)
    }
}
