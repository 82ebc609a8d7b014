import SyncModel
import SyncStore

/// Decides which request a timeline sends next: from what is complete, what its collections want and what the service
/// offers.
struct MessageQuestions {
    enum Question {
        case ask(MessageAsk.Kind, ServiceRequest)
        /// This step has nothing to ask: go on with the next one.
        case goOn(TimelineStep)
        /// Nothing is cached yet: the change log is to be read from this login.
        case changesFromNow
        /// Nobody can tell which cached messages changed.
        case changesUnknown
        /// The message at an edge that has lost its token is gone, so the token cannot be found.
        case edgeLost(HistoryEdge, PageDirection)
        case cacheUnreadable
    }

    private static let pageSize = 100

    let id: HistoryID
    let history: History
    let windows: MessageWindows
    let context: Context

    private var channelURL: ChannelURL { id.channelURL }
    private var chunks: ChunkList { history.chunks }

    // MARK: What changed, and what was missed

    var parent: Question { .ask(.parent, .getMessage(channelURL: channelURL, messageID: id.parentID)) }

    var changes: Question {
        if context.capabilities.messageChanges == .inStream { return .goOn(.gap(isAsked: false)) }
        guard let since = ChangeCursor.read(history, context.storage) else { return .cacheUnreadable }
        let isKnown = since != nil && context.capabilities.messageChanges == .log
        // It is not known since when cached messages may have changed.
        guard isKnown || chunks.isEmpty else { return .changesUnknown }
        guard let since, !chunks.isEmpty else { return .changesFromNow }
        return .ask(.changes(since: since), .messageChanges(channelURL: channelURL, since: since))
    }

    var polls: Question {
        guard let since = PollCursor.read(history, context.storage) else { return .cacheUnreadable }
        guard let since else { return .goOn(.gap(isAsked: false)) }
        return .ask(.polls(since: since), .pollChanges(channelURL: channelURL, since: since))
    }

    /// Asks for what was missed while offline, behind the newest cached message.
    var gap: Question {
        guard context.capabilities.hasGapCheck, !id.isThread, windows.wantsNewest, let chunk = chunks.last,
            !chunk.reachedNewest, let request = gap(behind: chunk, of: nil)
        else { return .goOn(.pages(asked: [])) }
        return .ask(.gap(end: chunk.end), request)
    }

    /// The gap is huge: asks whether it is also huge for the filters of collections, one filter after the other.
    /// Collections whose filter has no huge gap go on following; the pages, which are loaded up to the newest anyway,
    /// bring the messages they missed.
    func gap(of filters: [MessageFilter]) -> Question {
        guard let filter = filters.first, let chunk = chunks.last, !chunk.reachedNewest else {
            return .goOn(.pages(asked: []))
        }
        guard let request = gap(behind: chunk, of: filter) else { return .cacheUnreadable }
        return .ask(.filteredGap(filters), request)
    }

    /// The request for what is missing behind a chunk, for a filter or for all messages; `nil`: the cache cannot be
    /// read.
    private func gap(behind chunk: ChunkList.Chunk, of filter: MessageFilter?) -> ServiceRequest? {
        let held = context.storage.cached { (cache) throws(StoreError) in
            try CachedHistory.held(history, atEndOf: chunk, filter, cache)
        }
        return held.map {
            .messageGap(channelURL: channelURL, start: chunk.start, end: chunk.end, held: $0, filter: filter)
        }
    }

    // MARK: Pages

    /// The next page in a direction; `asked`: directions with a page under way. `nil`: no page is wanted.
    func page(_ direction: PageDirection, asked: Set<PageDirection>) -> Question? {
        // A channel that is only prefetched has one request in flight.
        if asked.contains(direction) || windows.isPrefetched && !asked.isEmpty { return nil }
        return direction == .previous ? older(isAlone: asked.isEmpty) : newer
    }

    /// A host that waits for messages at an unknown place is served before older pages that another collection needs.
    private func older(isAlone: Bool) -> Question? {
        if let waiting = windows.starting ?? stranded { return isAlone ? page(around: waiting) : nil }
        for window in byUrgency(.previous) {
            guard let home = window.home(in: chunks) else { return isAlone ? page(around: window) : nil }
            let chunk = chunks.chunks[home]
            // Messages shown before the chunk were in a chunk earlier; they count as right again when pages have
            // reached them.
            let isInside = window.window.first.map { chunk.covers($0.position) } ?? true
            if window.fetches[.previous] == nil, isInside, isEnough(chunk, for: window) { continue }
            let older = home > 0 ? chunks.chunks[home - 1].end : nil
            if !chunk.reachedFirst { return page(from: chunk.start, .previous, until: older) }
        }
        return nil
    }

    /// Whether background sync stops here: the cache is full and has the newest messages of this channel, or older
    /// messages are too old to be kept, or as many as wanted are prefetched. Only a host that fetches gets older ones.
    private func isEnough(_ chunk: ChunkList.Chunk, for window: MessageWindow) -> Bool {
        if let since = context.keptSince, chunk.start.position.order < since { return true }
        let floor = context.isCacheFull ? context.options.cacheFloor : Int.max
        let wanted = min(floor, window.most ?? Int.max)
        guard wanted < Int.max else { return false }
        let count = context.storage.cached { (cache) throws(StoreError) in
            try cache.messageCount(
                channel: history.channelKey, from: chunk.start.position, through: chunk.end.position)
        }
        return count.map { $0 >= wanted } ?? true
    }

    private var newer: Question? {
        for window in byUrgency(.next) {
            guard let home = window.home(in: chunks) else { continue }
            let chunk = chunks.chunks[home]
            let newer = chunks.chunks.dropFirst(home + 1).first?.start
            if !chunk.reachedNewest { return page(from: chunk.end, .next, until: newer) }
        }
        return nil
    }

    /// Windows with a waiting fetch come first, then the others; each group in the order in which they were opened.
    private func byUrgency(_ direction: PageDirection) -> [MessageWindow] {
        windows.all.filter { $0.fetches[direction] != nil } + windows.all.filter { $0.fetches[direction] == nil }
    }

    /// A window whose fetch waits at a place that no chunk covers.
    private var stranded: MessageWindow? {
        windows.all.first { !$0.fetches.isEmpty && $0.home(in: chunks) == nil }
    }

    private func page(from edge: HistoryEdge, _ direction: PageDirection, until: HistoryEdge?) -> Question {
        if history.isBySequence, edge.token.isEmpty { return token(of: edge, direction) }
        return .ask(
            .page(from: edge, direction),
            .messages(
                channelURL: channelURL, from: edge, direction: direction, limit: MessageQuestions.pageSize,
                parentID: id.parentID, until: until))
    }

    /// Asks for the token of an edge that has lost it; the service finds it by the message at this edge.
    private func token(of edge: HistoryEdge, _ direction: PageDirection) -> Question {
        let message = context.storage.cached { (cache) throws(StoreError) in
            try CachedHistory.message(at: edge, of: history, direction, cache)
        }
        guard let message else { return .cacheUnreadable }
        guard let message else { return .edgeLost(edge, direction) }
        return .ask(
            .edge(edge, direction),
            .edge(channelURL: channelURL, messageID: message, direction: direction, parentID: id.parentID))
    }

    /// The first page at a place that no chunk covers: a viewpoint, or messages shown outside of every chunk.
    private func page(around window: MessageWindow) -> Question {
        .ask(
            .around(place: window.place),
            .messagesAround(
                channelURL: channelURL, time: window.place.order, limit: MessageQuestions.pageSize,
                parentID: id.parentID))
    }
}
