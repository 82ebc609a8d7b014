import SyncModel
import SyncStore

/// The channel collections: fetches from cache and service, and the changes that facts about channels make to the
/// lists.
final class ChannelLists: Machine {
    private static let cachePage = 100

    private var windows: [CollectionID: ChannelWindow] = [:]
    /// Every channel of the user is cached, so a list needs the service only where the cache cannot decide.
    private var isComplete = false

    /// In a fixed order, so that a run repeats.
    private var numbers: [CollectionID] { windows.keys.sorted() }

    func contains(_ id: CollectionID) -> Bool { windows[id] != nil }

    /// What every collection shows, for the simulator's checks.
    var all: [ChannelWindow] { numbers.compactMap { windows[$0] } }

    // MARK: Host

    func open(_ id: CollectionID, _ query: ChannelQuery) { windows[id] = ChannelWindow(id: id, query: query) }

    func close(_ id: CollectionID, _ turn: inout Turn) {
        finishFetch(id, .removed, &turn)
        windows[id] = nil
    }

    /// A host waits for a fetch of channels.
    var isAwaited: Bool { windows.values.contains { $0.fetch?.call != nil } }

    func fetch(_ id: CollectionID, call: CallID, _ turn: inout Turn) {
        guard let window = windows[id] else { return }
        guard window.fetch?.call == nil else {
            return turn.complete(Completion(call: call, name: .fetch, status: .duplicatedFetch, info: window.info))
        }
        let isAsked = window.fetch?.isAsking ?? false
        windows[id]?.fetch = ChannelWindow.Fetch(
            call: call, wanted: window.query.limit, isAsking: isAsked, isRefill: window.fetch?.isRefill ?? false)
        if isAsked {
            // An earlier fetch asked for this page and ended without waiting for it.
            standIn(id, &turn)
        } else {
            if isComplete, window.token == nil { lookForUnknown(id, turn.context) }
            continueFetch(id, &turn)
        }
        guard windows[id]?.fetch?.call != nil else { return }
        turn.add(.timer(.fetch(call: call), at: turn.fetchDeadline))
    }

    /// The call was canceled, or it timed out. After a timeout the fetch ends with what the cache has.
    func cancel(_ call: CallID, _ status: Status, _ turn: inout Turn) -> Bool {
        guard let id = collection(of: call) else { return false }
        guard status == .timeout else {
            finishFetch(id, status, &turn)
            return true
        }
        if windows[id]?.query.isDecidableFromCache == true { _ = showCached(id, &turn) }
        finishFetch(id, .ok, short: turn.isLoggedIn ? .error : .offline, &turn)
        return true
    }

    private func collection(of call: CallID) -> CollectionID? { numbers.first { windows[$0]?.fetch?.call == call } }

    /// Sets how many channels a fetch brings from now on. Returns the collection's new state.
    func setLimit(_ id: CollectionID, _ limit: Int) -> CollectionInfo? {
        windows[id]?.query.limit = limit
        return windows[id]?.info
    }

    func resync(_ id: CollectionID, dropped: Int, _ turn: inout Turn) {
        guard var window = windows[id] else { return }
        turn.tell(id, .overflow(dropped: dropped))
        for change in window.resync() { turn.tell(window.change(change, Cause(.overflow))) }
    }

    /// The cached channels are forgotten: every list is empty and begins again with its next fetch.
    func startOver(_ cause: Cause, _ turn: inout Turn) {
        isComplete = false
        for id in numbers {
            guard let window = windows[id] else { continue }
            let new = ChannelWindow(id: id, query: window.query)
            turn.tell(new.change(WindowChange(.clear, []), cause))
            finishFetch(id, .ok, short: .reset, &turn)
            windows[id] = new
        }
    }

    // MARK: Session

    /// Sync may continue, or has to stop: every fetch goes on with what is available now.
    func continueFetches(isInterrupted: Bool = false, _ turn: inout Turn) {
        for id in numbers where windows[id]?.fetch != nil {
            if isInterrupted { windows[id]?.fetch?.isAsking = false }
            if windows[id]?.fetch?.isWanted == false, windows[id]?.fetch?.isAsking == false { windows[id]?.fetch = nil }
            continueFetch(id, &turn)
        }
    }

    func sessionEnded(_ turn: inout Turn) { continueFetches(isInterrupted: true, &turn) }

    func end(_ turn: inout Turn) {
        for id in numbers { finishFetch(id, .closed, &turn) }
    }

    /// Whether the one-time listing is done. While channels are listed, a page of the service may skip a channel that
    /// moved between two pages. Once every channel is cached, the cache decides what a list shows, and the next pages
    /// come from it.
    func setComplete(_ isComplete: Bool, _ turn: inout Turn) {
        let isNews = isComplete && !self.isComplete
        self.isComplete = isComplete
        guard isComplete else { return }
        for id in numbers {
            takeOver(id, &turn)
            if isNews, windows[id]?.fetch?.isRefill == true { continueFetch(id, &turn) }
        }
    }

    // MARK: Fetching

    /// Continues a fetch. It is served from the cache if the cache is complete, or if the service cannot be asked;
    /// otherwise the list shows what is cached until the service's page corrects it.
    private func continueFetch(_ id: CollectionID, _ turn: inout Turn) {
        guard let window = windows[id], let fetch = window.fetch, fetch.isWanted, !fetch.isAsking else { return }
        if needsService(window), window.token != "" {
            if turn.canSync {
                standIn(id, &turn)
                return ask(id, &turn)
            }
            // An attempt to connect is under way: the cached channels are shown, and the rest comes after the login or
            // not at all.
            if !window.query.isDecidableFromCache, turn.mayStillSync { return }
        }
        guard window.query.isDecidableFromCache else {
            windows[id]?.isLoaded = true
            windows[id]?.hasNext = window.token != ""
            return finishFetch(id, .ok, short: window.token != "" ? turn.shortReason : nil, &turn)
        }
        guard showCached(id, &turn) else { return finishFetch(id, .storage, &turn) }
        guard let shown = windows[id] else { return }
        let isShort = (shown.fetch?.wanted ?? 0) > 0 && shown.hasNext
        if isShort, turn.mayStillSync, !turn.canSync { return }
        finishFetch(id, .ok, short: isShort ? turn.shortReason : nil, &turn)
    }

    private func needsService(_ window: ChannelWindow) -> Bool {
        !isComplete || window.needsService || !window.query.isDecidableFromCache || window.token?.isEmpty == false
    }

    /// Shows what the cache knows until the service's page comes; at most once for a fetch.
    private func standIn(_ id: CollectionID, _ turn: inout Turn) {
        guard let window = windows[id], window.query.isDecidableFromCache, window.fetch?.standIns == nil else { return }
        let shown = window.window.count
        // If the cache cannot be read now, the service's page brings the channels.
        guard showCached(id, &turn), let rows = windows[id]?.window.rows else { return }
        windows[id]?.fetch?.standIns = rows.dropFirst(shown).map(\.channel.url)
    }

    /// Shows the next channels of the cache; `false` when the store failed.
    private func showCached(_ id: CollectionID, _ turn: inout Turn) -> Bool {
        guard let window = windows[id], let fetch = window.fetch else { return true }
        let limit = fetch.wanted
        let query = window.query
        let page = turn.storage.cached { (cache) throws(StoreError) in
            try cache.channels.matching(
                query: query, userID: turn.options.userID, after: window.window.last?.channel, limit: limit + 1)
        }
        guard let page else { return false }
        let isKnown = isComplete && !window.needsService || window.token == ""
        windows[id]?.isLoaded = true
        windows[id]?.hasNext = page.count > limit || !isKnown
        let added = windows[id]?.add(page.prefix(limit).map(turn.shown), userID: turn.options.userID)
        windows[id]?.fetch?.wanted -= added?.items.count ?? 0
        if let added, let window = windows[id] { turn.tell(window.change(added, Cause(.cache))) }
        return true
    }

    private func ask(_ id: CollectionID, _ turn: inout Turn) {
        guard let window = windows[id] else { return }
        windows[id]?.fetch?.isAsking = true
        turn.add(.ask(
            .channelPage(collection: id),
            .listChannels(query: window.query, token: window.token ?? "", limit: window.query.limit)))
    }

    /// The page could not be loaded. The list shows cached channels instead: some channels are better than none.
    func pageFailed(_ id: CollectionID, _ turn: inout Turn) {
        guard windows[id]?.fetch?.isAsking == true else { return }
        windows[id]?.fetch?.isAsking = false
        guard windows[id]?.fetch?.isWanted == true else {
            windows[id]?.fetch = nil
            return
        }
        if isComplete, windows[id]?.token == nil { lookForUnknown(id, turn.context) }
        // Since it was asked for, every channel may have come into the cache, which decides then.
        if let window = windows[id], !needsService(window) { return continueFetch(id, &turn) }
        if windows[id]?.query.isDecidableFromCache == true { _ = showCached(id, &turn) }
        windows[id]?.isLoaded = true
        windows[id]?.hasNext = true
        finishFetch(id, .ok, short: turn.isLoggedIn ? .error : .offline, &turn)
    }

    /// The page could not be stored.
    func pageNotStored(_ id: CollectionID, _ turn: inout Turn) {
        windows[id]?.fetch?.isAsking = false
        finishFetch(id, .storage, &turn)
    }

    /// Checks whether, for some channel in the complete cache, only the service knows if it belongs to the list.
    private func lookForUnknown(_ id: CollectionID, _ context: Context) {
        guard let query = windows[id]?.query, query.mayNeedService else { return }
        let holdsUnknown = context.storage.cached { (cache) throws(StoreError) in
            try cache.channels.holdsUnknown(query, userID: context.options.userID)
        }
        windows[id]?.needsService = holdsUnknown ?? false
    }

    private func takeOver(_ id: CollectionID, _ turn: inout Turn) {
        guard windows[id]?.query.isDecidableFromCache == true, windows[id]?.token != nil else { return }
        lookForUnknown(id, turn.context)
        guard let window = windows[id], !window.needsService else { return }
        let query = window.query
        let last = window.hasNext ? window.window.last?.channel : nil
        var missing: [ChannelRecord] = []
        var behind: ChannelRecord?
        while !window.hasNext || last != nil {
            let after = behind
            let page = turn.storage.cached { (cache) throws(StoreError) in
                try cache.channels.matching(
                    query: query, userID: turn.options.userID, after: after, limit: ChannelLists.cachePage)
            }
            // The token stays, so that this is tried again.
            guard let page else { return }
            let part = last.map { last in page.prefix { query.areInIncreasingOrder($0, last) } } ?? page[...]
            missing += part
            behind = page.last
            if part.count < ChannelLists.cachePage { break }
        }
        windows[id]?.endServing()
        let changes = windows[id]?.fillIn(missing.map(turn.shown), userID: turn.options.userID) ?? []
        if let window = windows[id] {
            for change in changes { turn.tell(window.change(change, Cause(.sync))) }
        }
    }

    private func finishFetch(
        _ id: CollectionID, _ status: Status, short: Completion.ShortReason? = nil, _ turn: inout Turn
    ) {
        guard let window = windows[id], let fetch = window.fetch else { return }
        let isRefill = window.window.isEmpty && window.hasNext
            && WindowFetch.isStillWanted(after: status, short, isAlsoRefill: fetch.isRefill)
        let rest = ChannelWindow.Fetch(
            call: nil, wanted: isRefill ? window.query.limit : 0, isAsking: fetch.isAsking, isRefill: isRefill)
        windows[id]?.fetch = rest.isWanted || rest.isAsking ? rest : nil
        guard let call = fetch.call else { return }
        turn.add(.timer(.fetch(call: call), at: nil))
        turn.complete(Completion(
            call: call, name: .fetch, status: status, hasMore: window.hasNext, short: short, info: window.info))
    }

    // MARK: Facts

    /// Updates every collection with the new state of channels in the store.
    func show(_ fact: ChannelFact, _ turn: inout Turn) {
        let shown = fact.changed.map(turn.shown)
        let userID = turn.options.userID
        for id in numbers {
            if let page = fact.page, page.collection == id {
                if windows[id]?.fetch?.isWanted == true {
                    showPage(id, shown, fact, &turn)
                    continue
                }
                // No fetch waits for this page any more: it is treated like a page of the listing.
                if page.isLast { windows[id]?.fetch = nil }
            }
            let changes = fact.isListing ? windows[id]?.reconcileListed(shown, userID: userID)
                : windows[id]?.reconcile(shown, removed: fact.removed, userID: userID)
            if let window = windows[id] {
                for change in changes ?? [] { turn.tell(window.change(change, fact.cause)) }
            }
            if !fact.cause.facts.isEmpty { tellAgain(id, shown, beside: changes ?? [], fact.cause, &turn) }
        }
    }

    /// An event may leave the channel's data unchanged, as the end of a user's ban does. It is told all the same, as an
    /// update of the channel if the list shows it.
    private func tellAgain(
        _ id: CollectionID, _ channels: [ChannelRecord], beside changes: [WindowChange], _ cause: Cause,
        _ turn: inout Turn
    ) {
        let told = changes.flatMap { $0.items.map(\.id) }.keys
        let change = windows[id]?.restatement(of: channels.map(\.url).filter { !told.contains($0.text) })
        if let change, let window = windows[id] { turn.tell(window.change(change, cause)) }
    }

    /// A page of the collection's own query.
    private func showPage(
        _ id: CollectionID, _ shown: [ChannelRecord], _ fact: ChannelFact, _ turn: inout Turn
    ) {
        guard let page = fact.page, let fetch = windows[id]?.fetch, fetch.isAsking else { return }
        let userID = turn.options.userID
        var known: [ChannelRecord] = []
        for channel in shown where windows[id]?.contains(channel.url) == true { known.append(channel) }
        windows[id]?.isLoaded = true
        if page.isLast {
            windows[id]?.token = page.next
            windows[id]?.hasNext = !page.next.isEmpty
        }
        var changes = [windows[id]?.addServed(shown, userID: userID)].compactMap { $0 }
        // Channels that the list shows already may have moved.
        changes += windows[id]?.reconcile(known, removed: [], userID: userID) ?? []
        // If the cache is complete, it decides what the list shows; and after the service's last page no later page can
        // bring a channel that is dropped here.
        if page.isLast, !isComplete, !page.next.isEmpty {
            changes += [windows[id]?.dropStandIns(fetch.standIns ?? [])].compactMap { $0 }
        }
        if let window = windows[id] {
            for change in changes { turn.tell(window.change(change, fact.cause)) }
        }
        guard page.isLast else { return }
        windows[id]?.fetch?.isAsking = false
        if isComplete { takeOver(id, &turn) }
        // All of its channels changed while the page was under way, and each is asked for alone: the list goes on with
        // the next page, since a channel enters only before the end of what is shown.
        if let window = windows[id], window.window.isEmpty, window.hasNext { return continueFetch(id, &turn) }
        finishFetch(id, .ok, &turn)
    }
}
