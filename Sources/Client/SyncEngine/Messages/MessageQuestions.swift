import SyncModel
import SyncStore

/// What a timeline asks next, from what is complete, what its collections want and what the service can tell.
struct MessageQuestions {
    enum Question {
        case ask(MessageAsk.Kind, ServiceRequest)
        /// This step has nothing to ask.
        case goOn(TimelineStep)
        /// Nothing is cached yet: changes count from this login.
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
        // What is cached may have changed since anybody knows when.
        guard isKnown || chunks.isEmpty else { return .changesUnknown }
        guard let since, !chunks.isEmpty else { return .changesFromNow }
        return .ask(.changes(since: since), .messageChanges(channelURL: channelURL, since: since))
    }

    var polls: Question {
        guard let since = PollCursor.read(history, context.storage) else { return .cacheUnreadable }
        guard let since else { return .goOn(.gap(isAsked: false)) }
        return .ask(.polls(since: since), .pollChanges(channelURL: channelURL, since: since))
    }

    /// What was missed while away, behind the newest message held.
    var gap: Question {
        guard context.capabilities.hasGapCheck, !id.isThread, windows.wantsNewest, let chunk = chunks.last,
            !chunk.reachedNewest, let request = gap(behind: chunk, of: nil)
        else { return .goOn(.pages(asked: [])) }
        return .ask(.gap(end: chunk.end), request)
    }

    /// The gap is huge: whether it is so for what collections look at, one filter after the other. Those for which it
    /// is not go on following; the pages, which run to the newest anyway, bring them what they missed.
    func gap(of filters: [MessageFilter]) -> Question {
        guard let filter = filters.first, let chunk = chunks.last, !chunk.reachedNewest else {
            return .goOn(.pages(asked: []))
        }
        guard let request = gap(behind: chunk, of: filter) else { return .cacheUnreadable }
        return .ask(.filteredGap(filters), request)
    }

    /// What is missing behind a chunk, of what matches a filter or of all; `nil`: the cache cannot be read.
    private func gap(behind chunk: ChunkList.Chunk, of filter: MessageFilter?) -> ServiceRequest? {
        let held = context.storage.cached { (cache) throws(StoreError) in
            try history.held(atEndOf: chunk, filter, cache)
        }
        return held.map {
            .messageGap(channelURL: channelURL, start: chunk.start, end: chunk.end, held: $0, filter: filter)
        }
    }

    // MARK: Pages

    /// The next page in a direction, while others are under way; `nil`: none is wanted.
    func page(_ direction: PageDirection, asked: Set<PageDirection>) -> Question? {
        // A channel that nobody looks at has one request under way.
        if asked.contains(direction) || windows.isPrefetched && !asked.isEmpty { return nil }
        return direction == .previous ? older(isAlone: asked.isEmpty) : newer
    }

    /// A host that waits at a place of which nothing is known comes before the long way back of another collection.
    private func older(isAlone: Bool) -> Question? {
        if let waiting = windows.starting ?? stranded { return isAlone ? page(around: waiting) : nil }
        for window in byUrgency(.previous) {
            guard let home = window.home(in: chunks) else { return isAlone ? page(around: window) : nil }
            let chunk = chunks.chunks[home]
            // What is shown before it was complete once, and is known to be right when pages have come so far.
            let isInside = window.window.first.map { chunk.covers($0.position) } ?? true
            if window.fetches[.previous] == nil, isInside, isEnough(chunk, for: window) { continue }
            let older = home > 0 ? chunks.chunks[home - 1].end : nil
            if !chunk.reachedFirst { return page(from: chunk.start, .previous, until: older) }
        }
        return nil
    }

    /// The cache is full and has the newest of this channel, or it has all that is not too old to be kept, or as many
    /// as are prefetched: the long way back is for those who ask for it.
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

    /// Those whose fetch waits come first, then in the order they were opened.
    private func byUrgency(_ direction: PageDirection) -> [MessageWindow] {
        windows.all.filter { $0.fetches[direction] != nil } + windows.all.filter { $0.fetches[direction] == nil }
    }

    /// One whose fetch waits at a place of which nothing is known.
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

    /// An edge has lost its token: the service tells it by the message that stands there.
    private func token(of edge: HistoryEdge, _ direction: PageDirection) -> Question {
        let message = context.storage.cached { (cache) throws(StoreError) in
            try history.message(at: edge, direction, cache)
        }
        guard let message else { return .cacheUnreadable }
        guard let message else { return .edgeLost(edge, direction) }
        return .ask(
            .edge(edge, direction),
            .edge(channelURL: channelURL, messageID: message, direction: direction, parentID: id.parentID))
    }

    /// The first page of a place about which nothing is known: a viewpoint, or what is shown outside of every chunk.
    private func page(around window: MessageWindow) -> Question {
        .ask(
            .around(place: window.place),
            .messagesAround(
                channelURL: channelURL, time: window.place.order, limit: MessageQuestions.pageSize,
                parentID: id.parentID))
    }
}
