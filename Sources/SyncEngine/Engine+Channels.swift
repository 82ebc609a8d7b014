import SyncJSON
import SyncModel
import SyncStore

extension Engine {
    private static let pageSize = 100
    /// Before a channel is asked for once more that events changed while the answer was under way, in milliseconds.
    private static let refreshPause: Int64 = 500
    private static let changesKey = "channels.changes"
    private static let tokenKey = "channels.token"
    private static let completeKey = "channels.complete"
    /// There while a new listing has to find out which cached channels are gone.
    private static let relistKey = "channels.relist"

    // MARK: Collections

    func openChannelView(_ id: UInt64, _ query: ChannelQuery) {
        channelViews[id] = ChannelView(id: id, query: query)
        if canSync { pumpChannelChanges() }
    }

    func fetchChannels(_ view: ChannelView, call: UInt64) {
        guard view.call == nil else { return complete(call, "fetch", .duplicatedFetch, info: view.info) }
        view.call = call
        view.wanted = view.query.limit
        continueFetch(view)
    }

    /// Goes on with the fetch under way: from the cache when it is complete (or all there is), else from the service.
    func continueFetch(_ view: ChannelView) {
        guard let call = view.call, !view.isAsking else { return }
        let fromService = canSync
            && (!channels.isComplete || !view.query.isDecidableFromCache || view.token?.isEmpty == false)
        if fromService, view.token != "" { return askForPage(view) }
        guard view.query.isDecidableFromCache else {
            // Only the service can tell.
            if view.token != "", mayStillSync, !canSync { return }
            view.isLoaded = true
            view.hasNext = view.token != ""
            return finishFetch(view, short: view.hasNext ? shortReason : nil)
        }
        let limit = view.wanted
        let page = stored { () throws(StoreError) -> [ChannelRecord] in
            try cache.channels(query: view.query, userID: options.userID, after: view.shown.last, limit: limit + 1)
        }
        guard let page else {
            view.call = nil
            return complete(call, "fetch", .storage, info: view.info)
        }
        let isKnown = channels.isComplete || view.token == ""
        view.isLoaded = true
        view.hasNext = page.count > limit || !isKnown
        let fresh = page.prefix(limit).filter { view.index(of: $0.url) == nil }
        insert(Array(fresh), into: view, source: .cache)
        view.wanted -= fresh.count
        let isShort = view.wanted > 0 && view.hasNext
        // An attempt to connect is under way: what is cached is shown, the rest comes with the login or not at all.
        if isShort, mayStillSync, !canSync { return }
        finishFetch(view, short: isShort ? shortReason : nil)
    }

    private func askForPage(_ view: ChannelView) {
        view.isAsking = true
        channels.inFlight += 1
        ask(
            .listChannels(query: view.query, token: view.token ?? "", limit: view.query.limit)
        ) { [weak view, self] reply in
            channels.inFlight = max(0, channels.inFlight - 1)
            guard let view, channelViews[view.id] === view else { return }
            view.isAsking = false
            guard view.call != nil else { return }
            guard case .channels(let page) = reply else {
                // The cache stands in: better some channels than none.
                return fetchFromCacheAfterFailure(view)
            }
            let fresh = keepNewest(page.channels)
            let cuts = stored { () throws(StoreError) in try keep(fresh) }
            guard let cuts else { return finishFetch(view, status: .storage) }
            cutHistories(cuts)
            view.isLoaded = true
            view.token = page.next
            view.hasNext = !page.next.isEmpty
            for channel in fresh { show(channel, source: .sync, except: view) }
            insert(fresh.filter { view.index(of: $0.url) == nil }, into: view, source: .sync)
            takeOver(view)
            finishFetch(view, short: nil)
            forgetTouchedIfIdle()
        }
    }

    /// Pages of the service may skip a channel that moved between them. Once every channel is cached, the cache has the
    /// last word on what a view shows, and goes on with it.
    private func takeOver(_ view: ChannelView) {
        guard channels.isComplete, view.query.isDecidableFromCache, view.token != nil else { return }
        let last = view.hasNext ? view.shown.last : nil
        var missing: [ChannelRecord] = []
        var behind: ChannelRecord?
        while !view.hasNext || last != nil {
            let page = stored { () throws(StoreError) -> [ChannelRecord] in
                try cache.channels(query: view.query, userID: options.userID, after: behind, limit: Engine.pageSize)
            }
            // The token stays, and with it this is tried again.
            guard let page else { return }
            let part = last.map { last in page.prefix { view.query.areInIncreasingOrder($0, last) } } ?? page[...]
            missing += part.filter { view.index(of: $0.url) == nil }
            behind = page.last
            if part.count < Engine.pageSize { break }
        }
        view.token = nil
        insert(missing, into: view, source: .sync)
    }

    private func fetchFromCacheAfterFailure(_ view: ChannelView) {
        let limit = view.wanted
        let page = !view.query.isDecidableFromCache ? [] : stored { () throws(StoreError) -> [ChannelRecord] in
            try cache.channels(query: view.query, userID: options.userID, after: view.shown.last, limit: limit)
        }
        view.isLoaded = true
        view.hasNext = true
        insert((page ?? []).filter { view.index(of: $0.url) == nil }, into: view, source: .cache)
        finishFetch(view, short: connection.isLoggedIn ? "error" : "offline")
    }

    /// Inserts channels where they belong, as one event; the indices hold when applied in order.
    private func insert(_ added: [ChannelRecord], into view: ChannelView, source: EventSource) {
        var items: [CollectionChange.Item] = []
        for channel in added.map(typing.shown) where view.query.matches(channel, userID: options.userID) {
            let place = view.place(for: channel)
            view.shown.insert(channel, at: place)
            items.append(CollectionChange.Item(index: place, id: channel.url, json: channel.json))
        }
        if !items.isEmpty { emitChange(view, .insert, source, items) }
    }

    func emitChange(
        _ view: ChannelView, _ action: CollectionChange.Action, _ source: EventSource, _ items: [CollectionChange.Item]
    ) {
        emit(.event(.change(CollectionChange(
            collection: view.id, list: .channels, action: action, source: source, items: items, info: view.info))))
    }

    private func finishFetch(_ view: ChannelView, status: Completion.Status = .ok, short: String? = nil) {
        guard let call = view.call else { return }
        view.call = nil
        var members = [(key: "has_more", value: jsonText(view.hasNext))]
        if let short { members.append(("short", jsonText(short))) }
        complete(call, "fetch", status, members: members, info: view.info)
    }

    /// The connection or the sync went away: a fetch that waits for the service ends with what the cache has.
    func finishWaitingFetch(_ view: ChannelView, short: String) {
        guard view.call != nil else { return }
        view.isAsking = false
        continueFetch(view)
    }

    func finishFetches(of view: ChannelView, _ status: Completion.Status) { finishFetch(view, status: status) }

    func showAnew(_ view: ChannelView) {
        emitChange(view, .clear, .overflow, [])
        let items = view.shown.enumerated().map {
            CollectionChange.Item(index: $0.offset, id: $0.element.url, json: $0.element.json)
        }
        if !items.isEmpty { emitChange(view, .insert, .overflow, items) }
    }

    // MARK: Background sync

    /// The first login: changes count from here, before the first channel is cached, even while sync is paused.
    func anchorChannelChanges() {
        let isNew: Bool? = stored { () throws(StoreError) in
            if try cache.value(Engine.changesKey) != nil { return false }
            try cache.setValue(Engine.changesKey, ChangePoint.time(connection.info.loginTime).storedText)
            return true
        }
        if isNew == true { channels.hasChanges = true }
    }

    /// Reads the change log to its end, then lets the one-time listing go on.
    func pumpChannelChanges() {
        refreshUnsettled()
        guard canSync, !channels.isReadingChanges, !channels.hasChanges else { return pumpChannelSync() }
        let text: String? = stored { () throws(StoreError) in try cache.value(Engine.changesKey) } ?? nil
        guard let since = channels.readTo ?? text.flatMap(ChangePoint.init(storedText:)) else {
            anchorChannelChanges()
            return channels.hasChanges ? pumpChannelSync() : retryChannels(.channelChanges)
        }
        channels.isReadingChanges = true
        channels.inFlight += 1
        ask(.channelChanges(since: since)) { [self] reply in
            channels.isReadingChanges = false
            channels.inFlight = max(0, channels.inFlight - 1)
            switch reply {
            case .channelChanges(let changes): take(changes, since: since)
            case .failure(let failure) where failure.kind == .pageTokenExpired:
                // Nobody can tell what was missed: list everything once more.
                stored { () throws(StoreError) in
                    try cache.transaction { () throws(StoreError) in
                        try cache.setValue(Engine.changesKey, ChangePoint.time(connection.info.loginTime).storedText)
                        try cache.setValue(Engine.completeKey, nil)
                        try cache.setValue(Engine.tokenKey, nil)
                        try cache.setValue(Engine.relistKey, "1")
                    }
                }
                channels.isComplete = false
                channels.readTo = nil
                channels.listed = nil
                pumpChannelChanges()
            case .failure(let failure): retryChannels(.channelChanges, after: failure)
            default: retryChannels(.channelChanges)
            }
        }
    }

    private func take(_ changes: ChannelChanges, since: ChangePoint) {
        let crossed = Set(changes.updated.map(\.url) + changes.deletedURLs)
            .intersection(channels.touched.union(channels.gone))
        channels.unsettled.formUnion(crossed)
        let fresh = changes.updated.filter { !crossed.contains($0.url) }
        let deleted = changes.deletedURLs.filter { !crossed.contains($0) }
        let next = changes.next.isEmpty ? since : ChangePoint.token(changes.next)
        let isSettled = channels.unsettled.isEmpty
        let cuts: [HistoryCut]? = stored { () throws(StoreError) in
            try cache.transaction { () throws(StoreError) in
                for url in deleted { try cache.deleteChannel(url) }
                if isSettled { try cache.setValue(Engine.changesKey, next.storedText) }
                return try keep(fresh)
            }
        }
        guard let cuts else { return retryChannels(.channelChanges) }
        cutHistories(cuts)
        channels.readTo = isSettled ? nil : next
        channels.backoff.reset()
        for url in deleted { hide(url, source: .channelChangelog) }
        for channel in fresh { show(channel, source: .channelChangelog) }
        channels.refreshAgain.formUnion(crossed.filter { channels.refreshing[$0] != nil })
        refreshUnsettled()
        forgetTouchedIfIdle()
        if changes.hasMore, next != since { return pumpChannelChanges() }
        channels.hasChanges = true
        pumpChannelSync()
    }

    /// Asks for the channels in doubt, a few at a time.
    private func refreshUnsettled() {
        guard connection.isLoggedIn, !isClosed else { return }
        for url in channels.unsettled.sorted() {
            if channels.refreshing.count >= 8 { return }
            if channels.refreshing[url] == nil { refreshChannel(url, source: .channelChangelog) }
        }
    }

    /// A channel in doubt is now as the service has it, or gone.
    private func settled(_ url: String) {
        channels.unlisted.remove(url)
        guard channels.unsettled.remove(url) != nil else { return }
        refreshUnsettled()
        storeReading()
    }

    /// Nothing in doubt any more: what was read of the change log, and of a new listing, counts.
    private func storeReading() {
        guard channels.unsettled.isEmpty else { return }
        let done: Void? = stored { () throws(StoreError) in
            try cache.transaction { () throws(StoreError) in
                if let readTo = channels.readTo { try cache.setValue(Engine.changesKey, readTo.storedText) }
                if channels.isComplete {
                    try cache.setValue(Engine.completeKey, "1")
                    try cache.setValue(Engine.relistKey, nil)
                }
            }
        }
        if done != nil { channels.readTo = nil }
    }

    /// Lists every channel of the user once, in pages; a kill loses at most one page. A new listing that must find out
    /// what is gone starts over, though.
    func pumpChannelSync() {
        guard canSync, !channels.isComplete, !channels.isListing, channels.hasChanges else { return }
        let state = stored { () throws(StoreError) in
            (token: try cache.value(Engine.tokenKey) ?? "", isAnew: try cache.value(Engine.relistKey) != nil)
        }
        guard let state else { return retryChannels(.channelSync) }
        let startsAnew = state.isAnew && channels.listed == nil
        if startsAnew { channels.listed = [] }
        let token = startsAnew ? "" : state.token
        channels.isListing = true
        channels.inFlight += 1
        ask(.listChannels(query: Engine.everyChannel, token: token, limit: Engine.pageSize)) { [self] reply in
            channels.isListing = false
            channels.inFlight = max(0, channels.inFlight - 1)
            switch reply {
            case .channels(let page): take(page)
            case .failure(let failure) where failure.kind == .pageTokenExpired:
                stored { () throws(StoreError) in try cache.setValue(Engine.tokenKey, nil) }
                channels.listed = nil
                retryChannels(.channelSync, after: failure)
            case .failure(let failure): retryChannels(.channelSync, after: failure)
            default: retryChannels(.channelSync)
            }
        }
    }

    /// Everything this user may see, in an order that does not change while it is listed.
    private static let everyChannel: ChannelQuery = {
        var query = ChannelQuery()
        query.order = .chronological
        query.limit = pageSize
        query.hiddenChannels = .all
        query.includeChatNotification = true
        return query
    }()

    private func take(_ page: ChannelPage) {
        let fresh = keepNewest(page.channels)
        // After a gap in the change log an event says too little: what is cached before it may be old.
        if channels.listed != nil {
            channels.unsettled.formUnion(page.channels.map(\.url).filter { channels.touched.contains($0) })
        }
        let isLast = page.next.isEmpty
        channels.listed?.formUnion(page.channels.map(\.url))
        var unlisted: Set<String> = []
        let cuts: [HistoryCut]? = stored { () throws(StoreError) in
            try cache.transaction { () throws(StoreError) in
                let cuts = try keep(fresh)
                try cache.setValue(Engine.tokenKey, isLast ? nil : page.next)
                guard isLast else { return cuts }
                if let listed = channels.listed {
                    unlisted = Set(try cache.channelURLs()).subtracting(listed)
                } else {
                    try cache.setValue(Engine.completeKey, "1")
                }
                return cuts
            }
        }
        guard let cuts else { return retryChannels(.channelSync) }
        cutHistories(cuts)
        channels.backoff.reset()
        for channel in fresh { show(channel, source: .sync) }
        if isLast {
            channels.isComplete = true
            for view in sortedChannelViews { takeOver(view) }
            if channels.listed != nil {
                // Gone, or come while it was listed.
                channels.listed = nil
                channels.unlisted = unlisted
                channels.unsettled.formUnion(unlisted)
            }
        }
        refreshUnsettled()
        if isLast { storeReading() }
        forgetTouchedIfIdle()
        pumpChannelSync()
    }

    private func retryChannels(_ key: TimerQueue.Key, after failure: ServiceFailure? = nil) {
        guard canSync else { return }
        timers.set(key, at: now.monotonic + pause(&channels.backoff, after: failure))
    }

    /// How long to wait before a failed request is repeated.
    func pause(_ backoff: inout Backoff, after failure: ServiceFailure?) -> Int64 {
        let own = backoff.next(base: 1000, factor: 2, limit: 60_000, random: &random)
        if case .rateLimited(let asked)? = failure?.kind { return max(asked, own) }
        return own
    }

    // MARK: Single channels

    func cachedChannel(_ url: String) -> ChannelRecord? {
        (stored { () throws(StoreError) in try cache.channel(url) }) ?? nil
    }

    /// Asks for one channel; calls for the same one share the answer.
    func refreshChannel(_ url: String, source: EventSource) {
        guard connection.isLoggedIn else { return }
        if channels.refreshing[url] != nil {
            channels.refreshAgain.insert(url)
            return
        }
        channels.refreshing[url] = source
        ask(.getChannel(url: url)) { [self] reply in
            let source = channels.refreshing.removeValue(forKey: url) ?? source
            let again = channels.refreshAgain.remove(url) != nil
            switch reply {
            case .channel(let channel) where !again:
                if store(channel, source: source) { settled(url) } else { missedChannel() }
            case .channel(let channel):
                // Something happened meanwhile. Where events come faster than answers, that is so every time: the first
                // answer is better than nothing, and the next question waits a little.
                if cachedChannel(url) == nil { store(channel, source: source) }
                refreshLater(url)
            case .failure(let failure) where again && (failure.kind == .notFound || failure.kind == .refused):
                refreshLater(url)
            case .failure(let failure) where failure.kind == .notFound:
                removeChannel(url, source: source)
                settled(url)
            case .failure(let failure) where failure.kind == .refused:
                if channels.unlisted.contains(url) { removeChannel(url, source: source) }
                settled(url)
            case .failure(let failure) where connection.isLoggedIn: missedChannel(after: failure)
            default: break
            }
        }
    }

    private func refreshLater(_ url: String) {
        channels.unsettled.insert(url)
        timers.set(.channelChanges, at: now.monotonic + Engine.refreshPause)
    }

    /// Missed now means wrong later: let the change log bring it.
    private func missedChannel(after failure: ServiceFailure? = nil) {
        channels.hasChanges = false
        retryChannels(.channelChanges, after: failure)
    }

    /// Takes in a channel as it is now.
    @discardableResult
    func store(_ channel: ChannelRecord, source: EventSource) -> Bool {
        channels.gone.remove(channel.url)
        if channels.inFlight > 0 { channels.touched.insert(channel.url) }
        let cuts = stored { () throws(StoreError) in try keep([channel]) }
        guard let cuts else { return false }
        cutHistories(cuts)
        show(channel, source: source)
        return true
    }

    private typealias HistoryCut = (url: String, time: Int64, chunks: ChunkList)

    /// Puts channels into the cache. Gives those whose history was cut since they were put there before; their messages
    /// are gone from the cache then.
    private func keep(_ fresh: [ChannelRecord]) throws(StoreError) -> [HistoryCut] {
        let cuts = try cache.transaction { () throws(StoreError) in
            var cuts: [HistoryCut] = []
            for channel in fresh where channel.messageOffset > 0 {
                let before = try cache.channel(channel.url)?.messageOffset ?? 0
                guard channel.messageOffset > before else { continue }
                let chunks = try cutStoredHistory(channel.url, before: channel.messageOffset)
                cuts.append((channel.url, channel.messageOffset, chunks))
            }
            try cache.upsert(fresh)
            return cuts
        }
        // An answer on its way may have been made before this was.
        for channel in fresh where channels.refreshing[channel.url] != nil { channels.refreshAgain.insert(channel.url) }
        return cuts
    }

    private func cutHistories(_ cuts: [HistoryCut]) {
        for cut in cuts { cutShownHistory(cut.url, before: cut.time, cut.chunks) }
    }

    func patchChannel(_ channel: ChannelRecord, _ members: [ChannelPatch], source: EventSource) {
        guard let json = JSONSlice.setting(members.map { ($0.key, $0.value) }, in: channel.json),
            let changed = ChannelRecord(json: json)
        else { return }
        store(changed, source: source)
    }

    /// The channel is not this user's any more: out of views and cache, and who shows its messages is told.
    func removeChannel(_ url: String, source: EventSource) {
        if channels.inFlight > 0 { channels.gone.insert(url) }
        channels.touched.remove(url)
        stored { () throws(StoreError) in try cache.deleteChannel(url) }
        hide(url, source: source)
    }

    private func hide(_ url: String, source: EventSource) {
        typing.forget(url)
        for view in sortedChannelViews {
            guard let index = view.index(of: url) else { continue }
            view.shown.remove(at: index)
            emitChange(view, .remove, source, [CollectionChange.Item(index: index, id: url)])
        }
        if let timeline = timelines[url] { channelGone(timeline, source: source) }
    }

    /// Brings every collection up to date with a channel as it is stored.
    func show(_ stored: ChannelRecord, source: EventSource, except: ChannelView? = nil) {
        let channel = typing.shown(stored)
        for view in sortedChannelViews where view !== except {
            if let (action, item) = view.reconcile(channel, userID: options.userID) {
                emitChange(view, action, source, [item])
            }
        }
        if let except, except.index(of: channel.url) != nil,
            let (action, item) = except.reconcile(channel, userID: options.userID)
        {
            emitChange(except, action, source, [item])
        }
        for view in timelines[channel.url]?.views ?? [] {
            emit(.event(.collection(id: view.id, type: "channel_updated", members: [("channel", channel.json)])))
        }
    }

    /// A page as it would be had it been made now: what events have changed while it was under way is newer in the
    /// cache.
    private func keepNewest(_ page: [ChannelRecord]) -> [ChannelRecord] {
        page.compactMap { channel in
            if channels.gone.contains(channel.url) { return nil }
            return channels.touched.contains(channel.url) ? cachedChannel(channel.url) : channel
        }
    }

    private func forgetTouchedIfIdle() {
        guard channels.inFlight == 0 else { return }
        channels.gone = []
        channels.touched = []
    }
}

extension ChangePoint {
    /// As kept in the store: "t:" and a time, or "k:" and a token.
    init?(storedText text: String) {
        if text.hasPrefix("k:") {
            self = .token(String(text.dropFirst(2)))
        } else if text.hasPrefix("t:"), let time = Int64(text.dropFirst(2)) {
            self = .time(time)
        } else {
            return nil
        }
    }

    var storedText: String {
        switch self {
        case .token(let token): "k:" + token
        case .time(let time): "t:" + String(time)
        }
    }
}
