import SyncModel
import SyncStore

/// The messages of one channel or of one thread, while collections show them: asks for what is missing, in the order in
/// which it matters.
///
/// A thread begins with the message that it answers, which pages of replies do not bring. Its changes are read from the
/// channel's log; what was missed is asked for page by page, since the gap is a matter of the whole channel.
///
/// After a login the change log brings edits and deletions, then the gap check brings what was missed, and only then
/// the background runs go on, in both directions from each collection's viewpoint.
final class Timeline {
    private static let pageSize = 100

    let id: HistoryID
    private(set) var history: History
    private(set) var windows = MessageWindows()
    var step: TimelineStep
    var gate = RetryGate()
    /// Raised when everything starts over, so that answers to older questions are dropped.
    var generation: UInt64 = 0
    /// The last page said nothing that was not known.
    private var hasToldNothing = false

    /// Of a thread: the message that it answers, as it was told last.
    private var parent: MessageRecord?

    /// `parent` as it is cached.
    init(_ id: HistoryID, history: History, parent: MessageRecord?) {
        self.id = id
        self.history = history
        self.parent = parent
        step = .first(of: id)
    }

    private var channelURL: ChannelURL { id.channelURL }

    /// Something is under way.
    var isBusy: Bool { step.isBusy }

    private var coverage: MessageWindows.Coverage {
        let isGapChecked = if case .pages = step { true } else { false }
        return MessageWindows.Coverage(
            channelURL: channelURL, channelKey: history.channelKey, chunks: history.chunks, isGapChecked: isGapChecked)
    }

    // MARK: Host

    func open(_ window: MessageWindow, _ turn: inout Turn) {
        windows.open(window)
        if let parent { windows.tellParent(parent.json, to: window.id, Cause(.cache), &turn) }
        resume(&turn)
    }

    func close(_ collection: CollectionID, _ turn: inout Turn) { windows.close(collection, &turn) }

    func fetch(
        _ collection: CollectionID, _ direction: PageDirection, call: CallID, _ turn: inout Turn
    ) {
        if windows.fetch(collection, direction, call: call, coverage, &turn) { resume(&turn) }
    }

    /// Everything that is newer than what the collection shows.
    func fetchAllNext(_ collection: CollectionID, call: CallID, _ turn: inout Turn) {
        if windows.fetch(collection, .next, isOfAll: true, call: call, coverage, &turn) {
            resume(&turn)
        }
    }

    func continueFetch(_ call: CallID, _ turn: inout Turn) {
        windows.continueFetch(call, coverage, &turn)
    }

    func setLimit(_ collection: CollectionID, _ limit: Int) -> CollectionInfo? { windows.setLimit(collection, limit) }

    func start(_ collection: CollectionID, call: CallID, _ turn: inout Turn) {
        if windows.start(collection, call: call, coverage, &turn) { resume(&turn) }
    }

    /// Ends a fetch or a start with what it has. `false` when no such call waits.
    func end(
        _ call: CallID, _ status: Status, short: Completion.ShortReason? = nil, _ turn: inout Turn
    ) -> Bool { windows.end(call, status, short: short, &turn) }

    func finishFetches(_ short: Completion.ShortReason, _ turn: inout Turn) {
        windows.finishFetches(short, &turn)
    }

    func end(_ turn: inout Turn) { windows.finishFetches(.closed, &turn) }

    func resetViewpoint(_ collection: CollectionID, _ viewpoint: Int64, _ turn: inout Turn) {
        windows.resetViewpoint(collection, viewpoint, &turn)
        resume(&turn)
    }

    func resync(_ collection: CollectionID, dropped: Int, _ turn: inout Turn) {
        windows.resync(collection, dropped: dropped, &turn)
    }

    // MARK: Session

    func sessionBegan() { history.sessionBegan() }

    /// The stream does not go on where it ended.
    func streamBroke() { history.streamBroke() }

    /// The stream leaves out messages: pages fill the hole. What a page under way says of the newest is old. `false`
    /// when that could not be stored.
    func take(hole older: String, _ page: MessagePage, _ turn: inout Turn) -> Bool {
        abandonAnswers()
        defer { resume(&turn) }
        guard id.isThread else { return take(page, hole: older, Cause(.messageFill), &turn) != .notStored }
        history.loseNewest()
        return true
    }

    /// What was stored since is not stored: the history is as it was.
    func restore(_ history: History) { self.history = history }

    func sessionEnded(_ turn: inout Turn) {
        history.sessionEnded()
        restart()
        gate.succeed()
        turn.add(.timer(.timeline(id), at: nil))
        windows.finishFetches(.offline, &turn)
    }

    /// Everything is asked again from the first step on.
    private func restart() {
        abandonAnswers()
        step = .first(of: id)
    }

    /// What is under way is given up: its answers will be dropped, and its step may be asked again.
    private func abandonAnswers() {
        generation += 1
        history.crossings = Crossings()
        step.abandon()
    }

    // MARK: The cache changed as a whole

    /// The cached messages are gone, from the file too: every window is emptied, and sync begins again. `refills`: no
    /// host asked for it, so what it showed is shown again as far as it is there.
    func startOver(_ cause: Cause, refills: Bool, _ turn: inout Turn) {
        history.forget()
        restart()
        windows.clear(cause, refills: refills, &turn)
        resume(&turn)
    }

    /// The channel is gone. Should it come back, everything begins again.
    func channelGone(_ cause: Cause, _ turn: inout Turn) {
        history.forget()
        restart()
        gate.succeed()
        turn.add(.timer(.timeline(id), at: nil))
        windows.channelGone(channelURL, cause, &turn)
    }

    /// The channel as hosts see it; `nil` when it is not known any more.
    func setChannel(_ json: [UInt8]?) { windows.setChannel(json) }

    func tellChannel(_ json: [UInt8], _ cause: Cause, _ turn: inout Turn) {
        guard windows.tellChannel(json, cause, &turn) else { return }
        // Its messages may be there already.
        windows.serveAll(coverage, &turn)
        resume(&turn)
    }

    /// History was cut at an order; `history` is what is left of it, as stored.
    func adopt(cut history: History, before order: Int64, _ turn: inout Turn) {
        self.history = history
        // A page under way may hold what is gone now: it is asked for again.
        abandonAnswers()
        windows.cut(before: order, coverage, &turn)
        if let parent, parent.position.order < order { parentGone(Cause(.eventMessageDeleted), &turn) }
        resume(&turn)
    }

    // MARK: Facts

    /// Writes a fact into the cache, as a part of the transaction of who calls. It counts when that is committed.
    func record(_ fact: MessageFact, _ context: Context, _ cache: CacheStore) throws(StoreError) -> RecordedFact {
        let recorded = try RecordedFact(fact, of: history, context.rules, cache)
        try PollCursor.note(recorded, fact, of: history, context, cache)
        return recorded
    }

    /// The fact is in the cache: tells the collections.
    func show(_ fact: MessageFact, _ recorded: RecordedFact, _ turn: inout Turn) {
        history = recorded.history
        switch fact.kind {
        case .arrived(let told, _):
            let message = recorded.arrived ?? told
            switch recorded.arrival {
            case .stray(isNew: true): windows.tellNewMessage(message, fact.cause, coverage, &turn)
            case .stored:
                // A page under way may be older than this message, and must not take it for deleted.
                history.crossings.note(fact)
                windows.showArrival(message, fact.cause, coverage, &turn)
            case .stray(isNew: false), .known, nil: break
            }
            return
        case .edited, .patched, .deleted: history.crossings.note(fact)
        case .changelog, .patchLog: break
        }
        windows.remove(recorded.deleted, fact.cause, &turn)
        windows.showChanged(recorded.changed, fact.cause, coverage, &turn)
        if id.isThread { showParent(recorded, fact.cause, &turn) }
    }

    private func showParent(
        _ recorded: RecordedFact, _ cause: Cause, _ turn: inout Turn
    ) {
        if recorded.deleted.contains(id.parentID) { return parentGone(cause, &turn) }
        guard let changed = recorded.changed.last(where: { $0.id == id.parentID }),
            changed.json != parent?.json
        else { return }
        parent = changed
        windows.tellParent(changed.json, cause, &turn)
    }

    private func parentGone(_ cause: Cause, _ turn: inout Turn) {
        parent = nil
        windows.tellParentRemoved(id.parentID, cause, &turn)
    }

    /// An overlay on a message came or went: it is shown as it is now.
    func showAgain(_ id: MessageID, _ cause: Cause, _ turn: inout Turn) {
        let key = history.channelKey
        let held = turn.storage.cached { (cache) throws(StoreError) in try cache.message(id: id, channel: key) }
        if let message = held ?? nil { windows.showAgain(message, cause, coverage, &turn) }
    }

    /// The fact could not be stored.
    func lose(_ fact: MessageFact, _ turn: inout Turn) {
        history.crossings.note(fact)
        switch fact.kind {
        case .arrived: loseNewest(&turn)
        case .edited, .patched, .deleted:
            // The change log tells it once more of what is cached.
            history.loseStrays()
            restart()
            retry(after: nil, &turn)
        // Asked for again by `changesTaken`.
        case .changelog, .patchLog: break
        }
    }

    private func loseNewest(_ turn: inout Turn) {
        history.loseNewest()
        retry(after: nil, &turn)
    }

    /// This user came into the channel again: messages may have been sent meanwhile that nobody told.
    func entered(_ turn: inout Turn) {
        history.loseNewest()
        restart()
        resume(&turn)
    }

    func sendBegan() { history.sendBegan() }

    /// In doubt: it may have arrived at the service without our having been told.
    func sendEnded(isInDoubt: Bool, _ turn: inout Turn) {
        if isInDoubt {
            let history = history
            let next = turn.storage.committed { (cache) throws(StoreError) -> History in
                var next = history
                try next.doubtNewest(cache)
                return next
            }
            if let next { self.history = next } else { self.history.loseNewest() }
        }
        history.sendEnded()
        if isInDoubt { resume(&turn) }
    }

    // MARK: Asking

    /// Asks what can be asked now. Calling it once too often does no harm.
    func resume(_ turn: inout Turn) {
        guard turn.canSync, !windows.isEmpty else { return }
        guard gate.isOpen(at: turn.now.monotonic) else {
            return turn.add(.timer(.timeline(id), at: gate.pausedUntil))
        }
        switch step {
        case .parent(isAsked: false): readParent(&turn)
        case .changes(isAsked: false): readChanges(&turn)
        case .polls(isAsked: false): readPolls(&turn)
        case .gap(isAsked: false): checkGap(&turn)
        case .parent, .changes, .polls, .gap: break
        case .pages:
            runPrevious(&turn)
            runNext(&turn)
        }
    }

    func ask(_ kind: MessageAsk.Kind, _ request: ServiceRequest, _ turn: inout Turn) {
        history.crossings.pageAsked()
        turn.add(.ask(
            .messages(MessageAsk(kind: kind, generation: generation), of: id), request))
    }

    private func readParent(_ turn: inout Turn) {
        step = .parent(isAsked: true)
        ask(.parent, .getMessage(channelURL: channelURL, messageID: id.parentID), &turn)
    }

    private var changesKey: String { "messages.changes.\(history.channelKey)" }

    private func readChanges(_ turn: inout Turn) {
        if turn.capabilities.messageChanges == .inStream {
            step = .gap(isAsked: false)
            return checkGap(&turn)
        }
        let key = changesKey
        let value = turn.storage.cached { (cache) throws(StoreError) in try cache.value(key) }
        guard let value else { return storeFailed(&turn) }
        let since = value.flatMap(ChangePoint.init(storedText:))
        let isKnown = since != nil && turn.capabilities.messageChanges == .log
        // What is cached may have changed since anybody knows when.
        guard isKnown || history.chunks.isEmpty else { return forgetCached(&turn) }
        guard let since, !history.chunks.isEmpty else {
            // Nothing is cached yet: changes count from this login, which is before the first page.
            let start = ChangePoint.time(turn.loginTime).storedText
            let done: Void? = turn.storage.cached { (cache) throws(StoreError) in try cache.setValue(key, start) }
            guard done != nil else { return storeFailed(&turn) }
            step = .gap(isAsked: false)
            return checkGap(&turn)
        }
        step = .changes(isAsked: true)
        ask(.changes(since: since), .messageChanges(channelURL: channelURL, since: since), &turn)
    }

    /// Nobody can tell which cached messages changed: they have to be asked for again.
    private func forgetCached(_ turn: inout Turn) {
        let key = history.channelKey
        let done: Void? = turn.storage.committed { (cache) throws(StoreError) in
            try cache.clearMessages(channel: key)
        }
        guard done != nil else { return storeFailed(&turn) }
        startOver(Cause(.messageChangelog), refills: true, &turn)
    }

    /// Asks what was missed while away, behind the newest message held.
    func checkGap(_ turn: inout Turn) {
        guard turn.capabilities.hasGapCheck, !id.isThread, windows.wantsNewest, let chunk = history.chunks.last,
            !chunk.reachedNewest, askGap(behind: chunk, of: nil, as: .gap(end: chunk.end), &turn)
        else { return beginPages(&turn) }
    }

    /// The gap is huge: asks whether it is so for what collections look at, one filter after the other. Those for which
    /// it is not go on following; the pages, which run to the newest anyway, bring them what they missed.
    private func checkGap(of filters: [MessageFilter], _ turn: inout Turn) {
        guard let filter = filters.first, let chunk = history.chunks.last, !chunk.reachedNewest else {
            return beginPages(&turn)
        }
        if !askGap(behind: chunk, of: filter, as: .filteredGap(filters), &turn) { storeFailed(&turn) }
    }

    /// Asks what is missing behind a chunk, of what matches a filter or of all; `false`: the cache cannot be read.
    private func askGap(
        behind chunk: ChunkList.Chunk, of filter: MessageFilter?, as kind: MessageAsk.Kind, _ turn: inout Turn
    ) -> Bool {
        let held = turn.storage.cached { (cache) throws(StoreError) in
            try history.held(atEndOf: chunk, filter, cache)
        }
        guard let held else { return false }
        step = .gap(isAsked: true)
        ask(
            kind,
            .messageGap(channelURL: channelURL, start: chunk.start, end: chunk.end, held: held, filter: filter), &turn)
        return true
    }

    private func beginPages(_ turn: inout Turn) {
        step = .pages(asked: [])
        resume(&turn)
    }

    private func runPrevious(_ turn: inout Turn) {
        guard case .pages(let asked) = step, !asked.contains(.previous) else { return }
        // A host that waits at a place of which nothing is known comes before the long way back of another collection.
        if let waiting = windows.starting ?? windows.stranded(history.chunks) { return askAround(waiting, &turn) }
        for window in windows.byUrgency(.previous) {
            guard let home = window.home(in: history.chunks) else { return askAround(window, &turn) }
            let chunk = history.chunks.chunks[home]
            let older = home > 0 ? history.chunks.chunks[home - 1].end : nil
            if !chunk.reachedFirst { return askPage(from: chunk.start, .previous, until: older, &turn) }
        }
    }

    private func runNext(_ turn: inout Turn) {
        guard case .pages(let asked) = step, !asked.contains(.next) else { return }
        for window in windows.byUrgency(.next) {
            guard let home = window.home(in: history.chunks) else { continue }
            let chunk = history.chunks.chunks[home]
            let newer = history.chunks.chunks.dropFirst(home + 1).first?.start
            if !chunk.reachedNewest { return askPage(from: chunk.end, .next, until: newer, &turn) }
        }
    }

    private func askPage(
        from edge: HistoryEdge, _ direction: PageDirection, until: HistoryEdge?, _ turn: inout Turn
    ) {
        guard case .pages(let asked) = step else { return }
        if history.isBySequence, edge.token.isEmpty { return findToken(of: edge, direction, &turn) }
        step = .pages(asked: asked.union([direction]))
        ask(
            .page(from: edge, direction),
            .messages(
                channelURL: channelURL, from: edge, direction: direction, limit: Timeline.pageSize,
                parentID: id.parentID, until: until),
            &turn)
    }

    /// The first page of a place about which nothing is known: a viewpoint, or what is shown outside of every chunk.
    private func askAround(_ window: MessageWindow, _ turn: inout Turn) {
        guard case .pages(asked: []) = step else { return }
        step = .pages(asked: [.previous, .next])
        ask(
            .around(place: window.place),
            .messagesAround(
                channelURL: channelURL, time: window.place.order, limit: Timeline.pageSize, parentID: id.parentID),
            &turn)
    }

    private func retry(after failure: ServiceFailure?, _ turn: inout Turn) {
        gate.fail(failure, at: turn.now.monotonic, turn.random)
        turn.add(.timer(.timeline(id), at: gate.pausedUntil))
    }

    /// Nobody knows when the store works again: a host that waits for what cannot be read or stored is told now.
    func storeFailed(_ turn: inout Turn) {
        windows.finishFetches(.storage, &turn)
        retry(after: nil, &turn)
    }

    // MARK: Answers. Of logs: Timeline+Logs

    /// An answer. What the change log says is given back as a fact: it enters where all facts enter, and the outcome is
    /// told by `changesTaken`.
    func receive(
        _ reply: ServiceReply, to ask: MessageAsk, _ turn: inout Turn
    ) -> MessageFact? {
        guard ask.generation == generation else { return nil }
        switch (ask.kind, reply) {
        case (.parent, .message(let message)):
            // What was told meanwhile is newer than the answer.
            let newest = history.crossings.applied(to: [message], turn.rules)
            for message in newest { history.isShown(message.id) }
            answerEnded(ask)
            gate.succeed()
            step = .changes(isAsked: false)
            guard message.id == id.parentID else { break }
            return MessageFact(
                channelURL: channelURL, kind: .edited(newest), cause: Cause(.sync), answerTo: id)
        case (.parent, .failure(let failure)) where failure.kind == .notFound || failure.kind.isForGood:
            answerEnded(ask)
            step = .changes(isAsked: false)
            if failure.kind == .notFound {
                return MessageFact(
                    channelURL: channelURL, kind: .deleted(ids: [id.parentID]), cause: Cause(.sync), answerTo: id)
            }
            resume(&turn)
        case (.changes(let since), .messageChanges(let changes)):
            let next = ChangePoint.behind(changes.next, hasMore: changes.hasMore, since, turn.loginTime)
            return MessageFact(
                channelURL: channelURL, kind: .changelog(updated: changes.updated, deleted: changes.deletedIDs),
                cause: Cause(.messageChangelog), answerTo: id, progress: (changesKey, next.point.storedText))
        case (.polls(let since), _): return receive(polls: reply, since: since, ask, &turn)
        case (.changes, .failure(let failure)) where failure.kind == .pageTokenExpired:
            answerEnded(ask)
            forgetCached(&turn)
        case (.gap, .gap(.huge)):
            answerEnded(ask)
            gate.succeed()
            windows.hugeGap(of: nil, coverage, &turn)
            checkGap(of: windows.gapFilters, &turn)
        case (.filteredGap(let filters), .gap(let gap)):
            answerEnded(ask)
            gate.succeed()
            // What the answer brings is no whole stretch of history: the pages bring it again.
            if case .huge = gap { windows.hugeGap(of: filters.first, coverage, &turn) }
            checkGap(of: Array(filters.dropFirst()), &turn)
        case (.filteredGap(let filters), .failure(let failure)) where failure.kind.isForGood:
            answerEnded(ask)
            windows.hugeGap(of: filters.first, coverage, &turn)
            checkGap(of: Array(filters.dropFirst()), &turn)
        case (.gap, .gap(.fill(let page))):
            let taken = take(page, by: ask.kind.road, Cause(.messageFill), &turn)
            answerEnded(ask)
            guard taken != .notStored else { break }
            gate.succeed()
            beginPages(&turn)
        case (.around(let place), .messages(let page)):
            var taken = take(page, by: ask.kind.road, Cause(.sync), &turn)
            // A host that starts wants the page also when all of it is known, and asks once.
            if taken == .known, windows.starting != nil { taken = .new }
            answerEnded(ask)
            if taken != .notStored { windows.answered(place, coverage, &turn) }
            pageEnded(taken, &turn)
        case (.page(_, let direction), .messages(let page)):
            let isFill = direction == .next && windows.isFollowing
            let taken = take(page, by: ask.kind.road, Cause(isFill ? .messageFill : .sync), &turn)
            answerEnded(ask)
            pageEnded(taken, &turn)
        case (.edge(let edge, let direction), _): receive(reply, for: edge, direction, ask, &turn)
        case (_, .failure(let failure)):
            answerEnded(ask)
            failed(ask, failure, &turn)
        default:
            answerEnded(ask)
            retry(after: nil, &turn)
        }
        return nil
    }

    /// An answer is no longer under way; its step may be asked again.
    func answerEnded(_ ask: MessageAsk) {
        history.crossings.pageEnded()
        switch (ask.kind, step) {
        case (.parent, .parent): step = .parent(isAsked: false)
        case (.changes, .changes): step = .changes(isAsked: false)
        case (.polls, .polls): step = .polls(isAsked: false)
        case (.gap, .gap), (.filteredGap, .gap): step = .gap(isAsked: false)
        case (_, .pages(let asked)): step = .pages(asked: asked.subtracting(ask.kind.directions))
        default: break
        }
    }

    /// What became of a page.
    private enum Taken {
        case notStored
        /// It says nothing that was not known, of messages and of where history is complete.
        case known
        case new
    }

    private func pageEnded(_ taken: Taken, _ turn: inout Turn) {
        switch taken {
        case .notStored: break
        case .known where hasToldNothing:
            // The same would be asked and answered without end.
            retry(after: nil, &turn)
        case .known, .new:
            hasToldNothing = taken == .known
            gate.succeed()
            resume(&turn)
        }
    }

    /// Takes in a page. One that cannot be stored is asked for again after a pause.
    private func take(
        _ page: MessagePage, by road: SequencePage.Road = .newest, hole older: String? = nil, _ cause: Cause,
        _ turn: inout Turn
    ) -> Taken {
        let history = history
        let result = turn.storage.committed { (cache) throws(StoreError) -> (History, History.PageOutcome) in
            var next = history
            let outcome = if let older {
                try next.take(hole: older, page, turn.rules, cache)
            } else {
                try next.take(page, by: road, turn.rules, cache)
            }
            try PollCursor.note(outcome.rows, of: next, turn.context, cache)
            return (next, outcome)
        }
        guard let (next, outcome) = result else {
            storeFailed(&turn)
            return .notStored
        }
        self.history = next
        let taken: Taken = next.chunks == history.chunks && next.stored == history.stored ? .known : .new
        for row in outcome.rows where row.senderID == turn.options.userID && history.mayBeAwaited(row) {
            turn.add(.ownMessageSeen(row, channelURL: channelURL))
        }
        windows.show(outcome, cause, coverage, &turn)
        // Progress is told of channels; what a thread caches is a part of it that may be there already.
        if id.isThread { return taken }
        let chunk = next.chunks.last
        turn.tell(.syncProgress(
            channelURL: channelURL, done: next.stored,
            isComplete: next.chunks.chunks.count == 1 && chunk?.reachedFirst == true && chunk?.reachedNewest == true))
        return taken
    }

    func failed(
        _ ask: MessageAsk, _ failure: ServiceFailure, _ turn: inout Turn
    ) {
        switch failure.kind {
        case .notFound where id.isThread:
            // Whether the channel is gone it is told by itself.
            if !isBusy { step = .pages(asked: []) }
            windows.finishFetches(.notFound, &turn)
        case .notFound:
            turn.add(.channels(ChannelFact(removed: [channelURL], cause: Cause(.channelRefresh))))
        case .refused, .tooLarge:
            // Asking again gives the same answer; a later login may differ.
            if !isBusy { step = .pages(asked: []) }
            windows.finishFetches(.error, &turn)
        default: retry(after: failure, &turn)
        }
    }
}
