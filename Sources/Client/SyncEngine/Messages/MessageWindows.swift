import SyncModel
import SyncStore

/// The message collections of one channel: fetches from the cache, and what stored messages do to what is shown.
struct MessageWindows {
    /// Messages that are shown at once where everything newer is wanted; other inputs have their turn in between.
    private static let partOfAll = 200

    /// What the windows may know of the history.
    struct Coverage {
        let channelURL: ChannelURL
        let channelKey: Int64
        let chunks: ChunkList
        /// What was missed behind the newest cached message has been asked for in this session.
        let isGapChecked: Bool
    }

    /// In the order they were opened.
    private(set) var all: [MessageWindow] = []

    var isEmpty: Bool { all.isEmpty }
    var wantsNewest: Bool { all.contains { $0.wantsNewest } }
    var isFollowing: Bool { all.contains { $0.isFollowing } }

    private func place(_ id: CollectionID) -> Int? { all.firstIndex { $0.id == id } }

    func info(of id: CollectionID) -> CollectionInfo? { place(id).map { all[$0].info } }

    /// Those whose fetch waits come first, then in the order they were opened.
    func byUrgency(_ direction: PageDirection) -> [MessageWindow] {
        all.filter { $0.fetches[direction] != nil } + all.filter { $0.fetches[direction] == nil }
    }

    /// One whose fetch waits at a place of which nothing is known.
    func stranded(_ chunks: ChunkList) -> MessageWindow? {
        all.first { !$0.fetches.isEmpty && $0.home(in: chunks) == nil }
    }

    // MARK: Opening and closing

    mutating func open(_ window: MessageWindow) { all.append(window) }

    mutating func close(_ id: CollectionID, _ turn: inout Turn) {
        guard let index = place(id) else { return }
        finishFetches(index, .removed, &turn)
        all.remove(at: index)
    }

    mutating func resetViewpoint(_ id: CollectionID, _ viewpoint: Int64, _ turn: inout Turn) {
        guard let index = place(id) else { return }
        finishFetches(index, .ok, short: .reset, &turn)
        let change = all[index].reset(to: viewpoint)
        turn.add(.event(all[index].change(change, Cause(.viewpointReset))))
    }

    /// The cached messages are gone: every window is emptied. `refills`: those that showed messages do so again when
    /// there are some, since no host asked for it.
    mutating func clear(_ cause: Cause, refills: Bool, _ turn: inout Turn) {
        for index in all.indices {
            let isWanted = all[index].isWanted
            finishFetches(index, .ok, short: .reset, &turn)
            let change = all[index].reset(to: all[index].viewpoint)
            turn.add(.event(all[index].change(change, cause)))
            if refills, isWanted { all[index].refill() }
        }
    }

    /// The channel is not this user's any more.
    mutating func channelGone(_ url: ChannelURL, _ cause: Cause, _ turn: inout Turn) {
        for index in all.indices {
            // Told once: the answer to an own action is followed by the service's event.
            if let change = all[index].loseChannel() {
                turn.add(.event(all[index].change(change, cause)))
                turn.tell(all[index].id, .channelRemoved(url: url, cause))
            }
            finishFetches(index, .notFound, &turn)
        }
    }

    /// Whether some are to be filled again, since the channel is back.
    mutating func tellChannel(_ json: [UInt8], _ cause: Cause, _ turn: inout Turn) -> Bool {
        let isBack = setChannel(json)
        for window in all { turn.tell(window.id, .channelUpdated(json: json, cause)) }
        return isBack
    }

    /// The channel as hosts see it, for what is told of the collections from now on; whether it is back.
    @discardableResult
    mutating func setChannel(_ json: [UInt8]?) -> Bool {
        var isBack = false
        for index in all.indices where all[index].setChannel(json) { isBack = true }
        return isBack
    }

    /// Messages that a fetch brings from now on. Gives what the collection is then.
    mutating func setLimit(_ id: CollectionID, _ limit: Int) -> CollectionInfo? {
        guard let index = place(id) else { return nil }
        all[index].setLimit(limit)
        return all[index].info
    }

    /// Tells what a thread answers.
    func tellParent(_ json: [UInt8], _ cause: Cause, _ turn: inout Turn) {
        for window in all { tellParent(json, to: window.id, cause, &turn) }
    }

    func tellParent(_ json: [UInt8], to id: CollectionID, _ cause: Cause, _ turn: inout Turn) {
        guard let index = place(id) else { return }
        turn.tell(id, .parentUpdated(json: all[index].shown(json, turn.rules), cause))
    }

    func tellParentRemoved(_ messageID: MessageID, _ cause: Cause, _ turn: inout Turn) {
        for window in all { turn.tell(window.id, .parentRemoved(id: messageID, cause)) }
    }

    func resync(_ id: CollectionID, dropped: Int, _ turn: inout Turn) {
        guard let index = place(id) else { return }
        turn.tell(id, .overflow(dropped: dropped))
        turn.add(.event(all[index].change(WindowChange(.clear, []), Cause(.overflow))))
        if let change = all[index].window.snapshot() {
            turn.add(.event(all[index].change(change, Cause(.overflow))))
        }
    }

    // MARK: Fetching

    /// Takes in a fetch; `isOfAll`: of everything newer. Whether it still waits for sync.
    mutating func fetch(
        _ id: CollectionID, _ direction: PageDirection, isOfAll: Bool = false, call: CallID, _ coverage: Coverage,
        _ turn: inout Turn
    ) -> Bool {
        guard let index = place(id) else { return false }
        guard all[index].fetches[direction]?.call == nil, all[index].start == nil else {
            turn.complete(Completion(
                call: call, name: isOfAll ? .fetchAllNext : .fetch, status: .duplicatedFetch, info: all[index].info))
            return false
        }
        let wanted = isOfAll ? MessageWindows.partOfAll : all[index].filter.limit(direction)
        let isAlsoRefill = all[index].fetches[direction] != nil
        all[index].fetches[direction] = MessageWindow.Fetch(
            call: call, wanted: wanted, isOfAll: isOfAll, isAlsoRefill: isAlsoRefill)
        beginPatience(call, &turn)
        serve(index, direction, coverage, &turn)
        return all[index].fetches[direction] != nil
    }

    private func beginPatience(_ call: CallID, _ turn: inout Turn) {
        turn.add(.timer(.fetch(call: call), at: turn.fetchDeadline))
    }

    /// Shows the next part of everything newer, if that is still wanted.
    mutating func continueFetch(
        _ call: CallID, _ coverage: Coverage, _ turn: inout Turn
    ) {
        for index in all.indices where all[index].fetches[.next]?.call == call {
            serve(index, .next, coverage, &turn)
        }
    }

    /// Ends a fetch or a start with what it has. `false` when no such call waits.
    mutating func end(
        _ call: CallID, _ status: Status, short: Completion.ShortReason? = nil, _ turn: inout Turn
    ) -> Bool {
        for index in all.indices {
            if all[index].start?.call == call {
                finishStart(index, status, short: short, &turn)
                return true
            }
            for direction in [PageDirection.previous, .next] where all[index].fetches[direction]?.call == call {
                finishFetch(index, direction, status, short: short, &turn)
                return true
            }
        }
        return false
    }

    /// Nothing will come for now: fetches that a host waits for end with what they have.
    mutating func finishFetches(_ short: Completion.ShortReason, _ turn: inout Turn) {
        for index in all.indices { finishFetches(index, .ok, short: short, &turn) }
    }

    mutating func finishFetches(_ status: Status, _ turn: inout Turn) {
        for index in all.indices { finishFetches(index, status, &turn) }
    }

    private mutating func finishFetches(
        _ index: Int, _ status: Status, short: Completion.ShortReason? = nil, _ turn: inout Turn
    ) {
        if all[index].start != nil { finishStart(index, status, short: short, &turn) }
        for direction in [PageDirection.previous, .next] {
            finishFetch(index, direction, status, short: short, &turn)
        }
    }

    private mutating func finishFetch(
        _ index: Int, _ direction: PageDirection, _ status: Status, short: Completion.ShortReason?,
        _ turn: inout Turn
    ) {
        guard let fetch = all[index].fetches[direction] else { return }
        let mayComeLater = MessageWindow.mayComeLater(status, short)
        guard let call = fetch.call else {
            if !mayComeLater { all[index].fetches[direction] = nil }
            return
        }
        all[index].fetches[direction] = nil
        if fetch.isAlsoRefill, mayComeLater, !all[index].isLoaded {
            all[index].fetches[direction] = MessageWindow.Fetch(call: nil, wanted: all[index].filter.limit(direction))
        }
        if fetch.isOfStart { return pageOfStartEnded(index, status, short, &turn) }
        turn.add(.timer(.fetch(call: call), at: nil))
        if fetch.isOfAll { turn.add(.timer(.fetchAll(call: call), at: nil)) }
        let window = all[index]
        turn.complete(Completion(
            call: call, name: fetch.isOfAll ? .fetchAllNext : .fetch, status: status,
            hasMore: direction == .previous ? window.hasPrevious : window.hasNext, short: short, info: window.info))
    }

    /// Gives fetches that wait what the cache has now, and looks at every window's ends.
    mutating func serveAll(_ coverage: Coverage, _ turn: inout Turn) {
        for index in all.indices {
            serve(index, .previous, coverage, &turn)
            serve(index, .next, coverage, &turn)
            updateEdges(index, coverage, turn.context)
        }
    }

    /// Gives a waiting fetch what the cache has; completes it when it is satisfied or when nothing more can come.
    private mutating func serve(
        _ index: Int, _ direction: PageDirection, _ coverage: Coverage, _ turn: inout Turn
    ) {
        guard let fetch = all[index].fetches[direction] else { return }
        guard let chunk = MessageSource(coverage, turn.context).chunk(of: all[index]) else {
            if !turn.mayStillSync {
                finishFetch(index, direction, .ok, short: turn.shortReason, &turn)
            }
            return
        }
        // One row more than is shown tells whether there is more, without a second query.
        guard var rows = MessageSource(coverage, turn.context).rows(
            direction, of: all[index], chunk, limit: fetch.wanted + 1) else {
            return finishFetch(index, direction, .storage, short: nil, &turn)
        }
        let hasMore = rows.count > fetch.wanted
        if hasMore {
            if direction == .previous { rows.removeFirst() } else { rows.removeLast() }
        }
        all[index].isLoaded = true
        if let change = all[index].attach(rows, turn.rules) {
            turn.add(.event(all[index].change(change, Cause(fetch.call == nil ? .sync : .cache))))
            trim(index, growing: direction, &turn)
        }
        let wanted = fetch.wanted - (fetch.isOfAll ? 0 : rows.count)
        all[index].fetches[direction]?.wanted = wanted
        updateEdges(index, coverage, turn.context, known: (direction, hasMore))
        if fetch.isOfAll, let call = fetch.call {
            if !rows.isEmpty { beginPatience(call, &turn) }
            if hasMore { return turn.add(.timer(.fetchAll(call: call), at: turn.now.monotonic)) }
        }
        if wanted <= 0 { return finishFetch(index, direction, .ok, short: nil, &turn) }
        let isAtEnd = direction == .previous ? chunk.reachedFirst : chunk.reachedNewest
        if isAtEnd {
            finishFetch(index, direction, .ok, short: nil, &turn)
        } else if !turn.mayStillSync {
            finishFetch(index, direction, .ok, short: turn.shortReason, &turn)
        }
    }

    // MARK: Starting

    /// One whose page around the viewpoint the service has not told yet.
    var starting: MessageWindow? { all.first { $0.start?.isAnswered == false } }

    /// Shows the cached page around the viewpoint. Whether it waits for the service's.
    mutating func start(
        _ id: CollectionID, call: CallID, _ coverage: Coverage, _ turn: inout Turn
    ) -> Bool {
        guard let index = place(id) else { return false }
        let isFetching = [PageDirection.previous, .next].contains { all[index].fetches[$0]?.call != nil }
        guard all[index].start == nil, !isFetching else {
            turn.complete(Completion(call: call, name: .start, status: .duplicatedFetch, info: all[index].info))
            return false
        }
        let isAlsoRefill = all[index].isRefilling
        all[index].fetches = PerDirection()
        let isStandIn = !all[index].isLoaded && all[index].home(in: coverage.chunks) == nil
        all[index].start = MessageWindow.Start(call: call, isStandIn: isStandIn, isAlsoRefill: isAlsoRefill)
        let shown = all[index].window.count
        if !all[index].isLoaded { fetchPages(index, coverage, &turn) }
        guard let start = all[index].start else { return false }
        turn.tell(id, .cacheShown(call: call, count: all[index].window.count - shown))
        guard turn.mayStillSync else {
            finishStart(index, .ok, short: start.short ?? turn.shortReason, &turn)
            return false
        }
        turn.add(.timer(.fetch(call: call), at: turn.fetchDeadline))
        return true
    }

    /// The service told what stands around a place, and it is in the cache.
    mutating func answered(
        _ place: MessagePosition, _ coverage: Coverage, _ turn: inout Turn
    ) {
        for index in all.indices where all[index].start?.isAnswered == false && all[index].anchor == place {
            all[index].start?.isAnswered = true
            if all[index].start?.isStandIn == true, !isFilledUp(index, coverage) {
                replacePage(index, coverage, &turn)
            }
            finishStartIfDone(index, &turn)
        }
    }

    /// Whether what stood in for the newest messages has been filled up to them.
    private func isFilledUp(_ index: Int, _ coverage: Coverage) -> Bool {
        guard all[index].isFollowing, !all[index].window.isEmpty, let home = all[index].home(in: coverage.chunks) else {
            return false
        }
        return coverage.chunks.chunks[home].covers(all[index].anchor)
    }

    /// Turns what stood in for the page around the viewpoint into that page, and leaves alone what belongs to both.
    private mutating func replacePage(
        _ index: Int, _ coverage: Coverage, _ turn: inout Turn
    ) {
        let old = all[index]
        let fresh = MessageWindow(id: old.id, filter: old.filter, viewpoint: old.viewpoint)
        var missing = PerDirection<Int>()
        var page: [MessageRow] = []
        if let home = fresh.home(in: coverage.chunks) {
            for direction in [PageDirection.previous, .next] {
                let limit = old.filter.limit(direction)
                guard let found = MessageSource(coverage, turn.context).rows(
                    direction, of: fresh, coverage.chunks.chunks[home], limit: limit)
                else { return finishStart(index, .storage, short: nil, &turn) }
                page += found
                missing[direction] = limit - found.count
            }
        }
        let kept = Set(page.map(\.id))
        let change = all[index].standAgain(without: Set(old.window.rows.map(\.id)).subtracting(kept))
        if let change { turn.add(.event(all[index].change(change, Cause(.sync)))) }
        for change in all[index].merge(page, turn.rules) {
            turn.add(.event(all[index].change(change, Cause(.sync))))
        }
        updateEdges(index, coverage, turn.context)
        fetchPages(index, coverage, wanted: missing, &turn)
    }

    /// Both pages of a start; `wanted`: how many messages are missing, where it is not the whole page.
    private mutating func fetchPages(
        _ index: Int, _ coverage: Coverage, wanted: PerDirection<Int> = PerDirection(), _ turn: inout Turn
    ) {
        guard let call = all[index].start?.call else { return }
        for direction in [PageDirection.previous, .next] {
            let count = wanted[direction] ?? all[index].filter.limit(direction)
            guard count > 0 else {
                all[index].fetches[direction] = nil
                continue
            }
            all[index].fetches[direction] = MessageWindow.Fetch(call: call, wanted: count, isOfStart: true)
        }
        for direction in [PageDirection.previous, .next] { serve(index, direction, coverage, &turn) }
    }

    private mutating func pageOfStartEnded(
        _ index: Int, _ status: Status, _ short: Completion.ShortReason?, _ turn: inout Turn
    ) {
        if all[index].start?.short == nil { all[index].start?.short = short }
        guard status == .ok else { return finishStart(index, status, short: short, &turn) }
        finishStartIfDone(index, &turn)
    }

    private mutating func finishStartIfDone(_ index: Int, _ turn: inout Turn) {
        guard let start = all[index].start, start.isAnswered, all[index].fetches.isEmpty else { return }
        finishStart(index, .ok, short: start.short, &turn)
    }

    private mutating func finishStart(
        _ index: Int, _ status: Status, short: Completion.ShortReason?, _ turn: inout Turn
    ) {
        guard let start = all[index].start else { return }
        all[index].start = nil
        for direction in [PageDirection.previous, .next] where all[index].fetches[direction]?.isOfStart == true {
            all[index].fetches[direction] = nil
        }
        if start.isAlsoRefill, MessageWindow.mayComeLater(status, short), !all[index].isLoaded { all[index].refill() }
        turn.add(.timer(.fetch(call: start.call), at: nil))
        turn.complete(Completion(
            call: start.call, name: .start, status: status, short: short, info: all[index].info))
    }

    /// Looks whether more is to be had in either direction, from the cache or from the service. `known` says whether
    /// the cache has more in one direction, for who has just looked.
    private mutating func updateEdges(
        _ index: Int, _ coverage: Coverage, _ context: Context, known: (direction: PageDirection, hasMore: Bool)? = nil
    ) {
        let window = all[index]
        let source = MessageSource(coverage, context)
        guard let chunk = source.chunk(of: window) else { return }
        func hasMore(_ direction: PageDirection) -> Bool? {
            if let known, known.direction == direction { return known.hasMore }
            return source.rows(direction, of: window, chunk, limit: 1).map { !$0.isEmpty }
        }
        guard let isBefore = hasMore(.previous), let isAfter = hasMore(.next) else { return }
        if window.window.isEmpty, window.emptiedAt == nil { all[index].emptyEdge = chunk.end.position }
        all[index].hasPrevious = isBefore || !chunk.reachedFirst
        // Before its first fetch a window follows if it opened at the newest point.
        let isFollowing = !isAfter && (window.isFollowing || window.isLoaded && chunk.reachedNewest)
        all[index].isFollowing = isFollowing
        all[index].hasNext = !isFollowing && (isAfter || !chunk.reachedNewest)
    }

    private mutating func trim(
        _ index: Int, growing direction: PageDirection, _ turn: inout Turn
    ) {
        let capacity = turn.options.messageCollectionCapacity
        if let change = all[index].trim(to: capacity, growing: direction) {
            turn.add(.event(all[index].change(change, Cause(.capacity))))
        }
    }

    // MARK: Stored messages

    /// A page was stored.
    mutating func show(
        _ outcome: History.PageOutcome, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        remove(Set(outcome.gone), cause, &turn)
        for index in all.indices {
            merge(outcome.rows, index, cause, coverage, &turn)
            catchUp(index, cause, coverage, &turn)
        }
        serveAll(coverage, &turn)
    }

    /// A page that closes a hole brings what was missing in it. Who follows is shown what was cached behind it, too.
    private mutating func catchUp(
        _ index: Int, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        while all[index].isFollowing, all[index].isLoaded, let home = all[index].home(in: coverage.chunks) {
            let found = MessageSource(coverage, turn.context).rows(
                .next, of: all[index], coverage.chunks.chunks[home], limit: MessageWindows.partOfAll)
            guard let rows = found, !rows.isEmpty, let change = all[index].attach(rows, turn.rules) else { return }
            turn.add(.event(all[index].change(change, cause)))
            trim(index, growing: .next, &turn)
        }
    }

    /// A message was stored behind or inside what is complete. Who does not show that place is told of it.
    mutating func showArrival(
        _ message: MessageRecord, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        let place = coverage.chunks.index(covering: message.position)
        var aside: [Int] = []
        for index in all.indices {
            if all[index].home(in: coverage.chunks) == place, all[index].spans(message.position) {
                merge([message], index, cause, coverage, &turn)
            } else {
                aside.append(index)
            }
        }
        for index in aside {
            tellNewMessage(message, index, cause, coverage, &turn)
            updateEdges(index, coverage, turn.context)
        }
    }

    /// A message that is not contiguous with what is complete.
    func tellNewMessage(
        _ message: MessageRecord, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        for index in all.indices { tellNewMessage(message, index, cause, coverage, &turn) }
    }

    private func tellNewMessage(
        _ message: MessageRecord, _ index: Int, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        guard all[index].filter.matches(message) else { return }
        let json = all[index].shown(message.json, turn.rules)
        turn.tell(all[index].id, .newMessage(channelURL: coverage.channelURL, json: json, cause))
    }

    /// The content of stored messages changed.
    mutating func showChanged(
        _ messages: [MessageRecord], _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        guard !messages.isEmpty else { return }
        for index in all.indices { merge(messages, index, cause, coverage, &turn) }
    }

    /// An overlay on a stored message came or went.
    mutating func showAgain(
        _ message: MessageRecord, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        let shown = turn.overlays.shown(message, coverage.channelURL, turn.context)
        for index in all.indices {
            if let shown, all[index].filter.matches(shown) {
                let wasHidden = all[index].unhide(message.id)
                for change in all[index].putBack(shown, wasHidden: wasHidden, turn.rules) {
                    turn.add(.event(all[index].change(change, cause)))
                }
                if wasHidden { reach(message, index, cause, coverage, &turn) }
                merge([message], index, cause, coverage, &turn)
            } else if let change = all[index].hide(message) {
                turn.add(.event(all[index].change(change, cause)))
            }
        }
    }

    /// Lets a window reach back to a message that it hid at one of its ends, with whatever is cached in between.
    private mutating func reach(
        _ message: MessageRecord, _ index: Int, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        let window = all[index]
        guard let home = window.home(in: coverage.chunks) else { return }
        var chunk = coverage.chunks.chunks[home]
        guard chunk.covers(message.position), !window.spans(message.position) else { return }
        // Nothing beyond the message is meant.
        let isBefore = message.position <= window.lowerEnd
        if isBefore {
            chunk.start = HistoryEdge(message.position)
            chunk.reachedFirst = false
        } else {
            chunk.end = HistoryEdge(message.position)
        }
        var stretch = window
        if isBefore, window.window.isEmpty { stretch.emptiedAt = message.position.successor }
        let rows = MessageSource(coverage, turn.context).rows(
            isBefore ? .previous : .next, of: stretch, chunk, limit: turn.options.messageCollectionCapacity)
        guard let rows, let change = all[index].attach(rows, turn.rules) else { return }
        turn.add(.event(all[index].change(change, cause)))
        trim(index, growing: isBefore ? .previous : .next, &turn)
        updateEdges(index, coverage, turn.context)
    }

    mutating func remove(_ ids: Set<MessageID>, _ cause: Cause, _ turn: inout Turn) {
        for index in all.indices {
            if let change = all[index].remove(ids) { turn.add(.event(all[index].change(change, cause))) }
        }
    }

    /// History was cut.
    mutating func cut(before order: Int64, _ coverage: Coverage, _ turn: inout Turn) {
        for index in all.indices {
            let old = Set(all[index].window.rows.prefix { $0.position.order < order }.map(\.id))
            if let change = all[index].remove(old) {
                turn.add(.event(all[index].change(change, Cause(.eventMessageDeleted))))
            }
            updateEdges(index, coverage, turn.context)
        }
    }

    /// What the windows that a huge gap concerns look at, each once.
    var gapFilters: [MessageFilter] {
        var filters: [MessageFilter] = []
        for window in all where window.canHaveGap {
            let filter = window.filter.selection
            if !filter.isOfAll, !filters.contains(filter) { filters.append(filter) }
        }
        return filters
    }

    /// More is missing behind what is shown than the service fills, of what matches this filter; `nil`: of all.
    mutating func hugeGap(of filter: MessageFilter?, _ coverage: Coverage, _ turn: inout Turn) {
        for index in all.indices where all[index].canHaveGap {
            let selection = all[index].filter.selection
            guard filter.map({ $0 == selection }) ?? selection.isOfAll else { continue }
            // What was told last may stand behind the gap, of which nothing else is shown; it may be all that is shown.
            let home = all[index].home(in: coverage.chunks)
                ?? coverage.chunks.index(atOrBelow: all[index].upperEnd)
            if let home, let change = all[index].removeAll(behind: coverage.chunks.chunks[home].end.position) {
                turn.add(.event(all[index].change(change, Cause(.messageFill))))
            }
            all[index].isFollowing = false
            all[index].hasNext = true
            turn.tell(all[index].id, .hugeGap)
        }
    }

    private mutating func merge(
        _ records: [MessageRecord], _ index: Int, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        let nearest = all[index].window.isEmpty ? coverage.chunks.index(atOrBelow: all[index].anchor) : nil
        let home = all[index].isLoaded ? all[index].home(in: coverage.chunks) ?? nearest : nil
        guard home != nil || !all[index].window.isEmpty else { return }
        let records = turn.overlays.isEmpty
            ? records : records.compactMap { turn.overlays.shown($0, coverage.channelURL, turn.context) }
        var hasInserted = false
        for change in all[index].merge(records, in: home.map { coverage.chunks.chunks[$0] }, turn.rules) {
            if change.action == .insert { hasInserted = true }
            // What a fill finds changed was not missed, but seen again.
            let told = cause.source == .messageFill && change.action != .insert ? Cause(.sync) : cause
            turn.add(.event(all[index].change(change, told)))
        }
        if hasInserted { trim(index, growing: .next, &turn) }
    }
}
