import SyncModel
import SyncStore

/// The messages of one channel or of one thread, while collections show them: asks for what is missing, most important
/// first.
///
/// A thread begins with its parent message, which pages of replies do not bring. Its changes are read from the
/// channel's log; missed replies are asked for page by page, because the gap check is only for whole channels.
///
/// After a login the change log brings edits and deletions, then the gap check brings missed messages, and only then
/// background sync goes on, in both directions from each collection's viewpoint.
final class Timeline {
    let id: HistoryID
    private(set) var history: History
    var windows = MessageWindows()
    var step: TimelineStep
    var gate = RetryGate()
    /// Increased when everything starts over, so that answers to earlier requests are dropped.
    var generation: UInt64 = 0
    /// The last page told nothing new.
    private var hasToldNothing = false

    private(set) var parent: ThreadParent

    /// `parent`: the parent message as it is cached.
    init(_ id: HistoryID, history: History, parent: MessageRecord?) {
        self.id = id
        self.history = history
        self.parent = ThreadParent(id: id.parentID, message: parent)
        step = .first(of: id)
    }

    private var channelURL: ChannelURL { id.channelURL }

    /// A request is in flight.
    var isBusy: Bool { step.isBusy }

    var coverage: Coverage {
        let isGapChecked = if case .pages = step { true } else { false }
        return Coverage(
            channelURL: channelURL, channelKey: history.channelKey, chunks: history.chunks, isGapChecked: isGapChecked)
    }

    // MARK: Session

    func end(_ turn: inout Turn) { windows.finishFetches(.closed, &turn) }

    func sessionBegan() { history.sessionBegan() }

    /// The stream does not go on where it ended.
    func streamBroke() { history.streamBroke() }

    /// The stream skips messages: pages fill the hole. A page under way is out of date about which message is the
    /// newest. `false` when that could not be stored.
    func take(hole older: String, _ page: MessagePage, _ turn: inout Turn) -> Bool {
        abandonAnswers()
        defer { resume(&turn) }
        guard id.isThread else { return take(page, hole: older, Cause(.messageFill), &turn) != .notStored }
        history.loseNewest()
        return true
    }

    /// A transaction failed: the history goes back to what it was. `windows`: nobody was told of the changes, so the
    /// windows go back, too.
    func restore(_ history: History, _ windows: MessageWindows? = nil) {
        self.history = history
        if let windows { self.windows.showAgain(asIn: windows) }
    }

    func sessionEnded(_ turn: inout Turn) {
        history.sessionEnded()
        restart()
        gate.succeed()
        turn.add(.timer(.timeline(id), at: nil))
        windows.finishFetches(.offline, &turn)
    }

    /// Everything is asked for again, from the first step on.
    private func restart() {
        abandonAnswers()
        step = .first(of: id)
    }

    /// Requests in flight are given up: their answers will be dropped, and the step may be asked again.
    private func abandonAnswers() {
        generation += 1
        history.crossings = Crossings()
        step.abandon()
    }

    // MARK: The cache changed as a whole

    /// The cached messages are gone, from the file too: every window is emptied, and sync begins again. `refills`: no
    /// host asked for this, so windows that showed messages load a page again.
    func startOver(_ cause: Cause, refills: Bool, _ turn: inout Turn) {
        history.forget()
        restart()
        windows.clear(cause, refills: refills, &turn)
        resume(&turn)
    }

    /// The channel is gone. If it comes back, everything begins again.
    func channelGone(_ cause: Cause, _ turn: inout Turn) {
        history.forget()
        restart()
        gate.succeed()
        turn.add(.timer(.timeline(id), at: nil))
        windows.channelGone(channelURL, cause, &turn)
    }

    /// The channel is not known any more.
    func forgetChannel() { windows.setChannel(nil) }

    /// Tells the channel as hosts see it.
    func tellChannel(_ json: [UInt8], _ cause: Cause, _ turn: inout Turn) {
        let isBack = windows.setChannel(json)
        for window in windows.all { turn.tell(window.id, .channelUpdated(json: json, cause)) }
        guard isBack else { return }
        // The cache may have messages of the channel already. Of a thread, its parent is asked for.
        windows.serveAll(coverage, &turn)
        resume(&turn)
    }

    /// The history was cut at an order; `history` is the rest of it, as stored.
    func adopt(cut history: History, before order: Int64, _ turn: inout Turn) {
        self.history = history
        // A page under way may have messages that are gone now: it is asked for again.
        abandonAnswers()
        windows.cut(before: order, coverage, &turn)
        parent.cut(before: order, windows, &turn)
        resume(&turn)
    }

    // MARK: Facts

    /// Writes a fact to the cache; called inside the caller's transaction. The result is valid when that is committed.
    func record(_ fact: MessageFact, _ context: Context, _ cache: CacheStore) throws(StoreError) -> RecordedFact {
        let recorded = try RecordedFact(fact, of: history, context.rules, cache)
        try PollCursor.note(recorded, fact, of: history, context, cache)
        return recorded
    }

    /// The fact was stored: tells the collections.
    func show(_ fact: MessageFact, _ recorded: RecordedFact, _ turn: inout Turn) {
        history = recorded.history
        var cause = fact.cause
        switch fact.kind {
        case .arrived(let told, _):
            let message = recorded.arrived ?? told
            switch recorded.arrival {
            case .stray(isNew: true): windows.tellNewMessage(message, fact.cause, coverage, &turn)
            case .stored:
                // A page under way may be older than this message; its absence there does not mean that it was deleted.
                history.crossings.note(fact)
                windows.showArrival(message, fact.cause, coverage, &turn)
            case .stray(isNew: false), .known, nil: break
            }
            return
        case .edited, .patched, .deleted: history.crossings.note(fact)
        case .changelog: break
        case .patchLog: cause = PollCursor.cause(of: recorded.changed, turn.rules)
        }
        windows.remove(recorded.deleted, cause, &turn)
        windows.showChanged(recorded.changed, cause, coverage, &turn)
        if id.isThread { parent.show(recorded, cause, windows, &turn) }
    }

    /// An overlay on a message came or went: the message is shown as it is now.
    func showAgain(_ id: MessageID, _ cause: Cause, _ turn: inout Turn) {
        let key = history.channelKey
        let held = turn.storage.cached { (cache) throws(StoreError) in try cache.message(id: id, channel: key) }
        if let message = held ?? nil { windows.showAgain(message, cause, coverage, &turn) }
    }

    /// The fact could not be stored.
    func lose(_ fact: MessageFact, _ turn: inout Turn) {
        history.crossings.note(fact)
        switch fact.kind {
        case .arrived:
            // A stream that goes on from a point tells the message again.
            if !history.keepsNewest { history.loseNewest() }
            retry(after: nil, &turn)
        case .edited, .patched, .deleted:
            // The change log tells this change again if the message is cached.
            history.loseStrays()
            restart()
            retry(after: nil, &turn)
        // `changesTaken` asks for the page again.
        case .changelog, .patchLog: break
        }
    }

    /// This user joined the channel again: messages may have been sent meanwhile without being told.
    func entered(_ turn: inout Turn) {
        history.loseNewest()
        restart()
        resume(&turn)
    }

    func sendBegan() { history.sendBegan() }

    /// `isInDoubt`: the service may have the message, though no answer said so.
    func sendEnded(isInDoubt: Bool, _ turn: inout Turn) {
        if isInDoubt, !history.keepsNewest {
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

    /// Asks for whatever can be asked for now. An unnecessary call does no harm.
    func resume(_ turn: inout Turn) {
        guard turn.canSync, turn.context.stream == .goesOn, !windows.isEmpty else { return }
        guard gate.isOpen(at: turn.now.monotonic) else {
            return turn.add(.timer(.timeline(id), at: gate.pausedUntil))
        }
        switch step {
        case .parent(isAsked: false): put(questions(turn.context).parent, &turn)
        case .changes(isAsked: false): put(questions(turn.context).changes, &turn)
        case .polls(isAsked: false): put(questions(turn.context).polls, &turn)
        case .gap(isAsked: false): put(questions(turn.context).gap, &turn)
        case .parent, .changes, .polls, .gap: break
        case .pages:
            for direction in [PageDirection.previous, .next] { askPage(direction, &turn) }
            if case .pages(let asked) = step, asked.isEmpty { windows.serveRefills(coverage, &turn) }
        }
    }

    private func askPage(_ direction: PageDirection, _ turn: inout Turn) {
        guard case .pages(let asked) = step else { return }
        if let question = questions(turn.context).page(direction, asked: asked) { put(question, &turn) }
    }

    private func questions(_ context: Context) -> MessageQuestions {
        MessageQuestions(id: id, history: history, windows: windows, context: context)
    }

    private func put(_ question: MessageQuestions.Question, _ turn: inout Turn) {
        switch question {
        case .ask(let kind, let request):
            step.asked(kind)
            history.crossings.pageAsked()
            turn.add(.ask(.messages(MessageAsk(kind: kind, generation: generation), of: id), request))
        case .goOn(let next): goOn(next, &turn)
        case .changesFromNow:
            guard ChangeCursor.begin(id, history, turn.context) else { return storeFailed(&turn) }
            goOn(.gap(isAsked: false), &turn)
        case .changesUnknown: forgetCached(&turn)
        case .edgeLost(let edge, let direction): take(nil, for: edge, direction, &turn)
        case .cacheUnreadable: storeFailed(&turn)
        }
    }

    private func goOn(_ next: TimelineStep, _ turn: inout Turn) {
        step = next
        resume(&turn)
    }

    /// It is not known which cached messages changed, so all of them are asked for again.
    private func forgetCached(_ turn: inout Turn) {
        let key = history.channelKey
        let done: Void? = turn.storage.committed { (cache) throws(StoreError) in
            try cache.clearMessages(channel: key)
        }
        guard done != nil else { return storeFailed(&turn) }
        startOver(Cause(.messageChangelog), refills: true, &turn)
    }

    private func retry(after failure: ServiceFailure?, _ turn: inout Turn) {
        gate.fail(failure, at: turn.now.monotonic, turn.random)
        turn.add(.timer(.timeline(id), at: gate.pausedUntil))
    }

    /// It is not known when the store works again, so calls that wait end now with the error.
    func storeFailed(_ turn: inout Turn) {
        windows.finishFetches(.storage, &turn)
        retry(after: nil, &turn)
    }

    // MARK: Answers. Of logs: Timeline+Logs

    /// An answer. The content of a log, or the parent of a thread, is returned as a fact, so that it enters by
    /// `FactRecorder`, which then calls `changesTaken`.
    func receive(_ reply: ServiceReply, to ask: MessageAsk, _ turn: inout Turn) -> MessageFact? {
        guard ask.generation == generation else { return nil }
        // The answer may have messages that the stream told and that are not stored: it is asked for again after them.
        guard turn.context.stream == .goesOn else {
            abandonAnswers()
            return nil
        }
        switch (ask.kind, reply) {
        case (.parent, _): return receive(parent: reply, ask, &turn)
        case (.changes(let since), .messageChanges(let changes)):
            return ChangeCursor.fact(changes, since: since, of: id, history, turn.context)
        case (.polls(let since), _): return receive(polls: reply, since: since, ask, &turn)
        case (.changes, .failure(let failure)) where failure.kind == .pageTokenExpired:
            answerEnded(ask)
            forgetCached(&turn)
        case (.gap, .gap(let gap)): receive(gap, ask, &turn)
        case (.filteredGap(let filters), _): receive(gapOf: filters, reply, ask, &turn)
        case (.around(let place), .messages(let page)): receive(page, around: place, ask, &turn)
        case (.page(_, let direction), .messages(let page)):
            let isFill = direction == .next && windows.isFollowing
            let taken = take(page, by: ask.kind.road, Cause(isFill ? .messageFill : .sync), &turn)
            answerEnded(ask)
            pageEnded(taken, &turn)
        case (.edge(let edge, let direction), _): receive(reply, for: edge, direction, ask, &turn)
        default: notAnswered(ask, reply, &turn)
        }
        return nil
    }

    /// A failure, or an answer of the wrong kind.
    func notAnswered(_ ask: MessageAsk, _ reply: ServiceReply, _ turn: inout Turn) {
        answerEnded(ask)
        if case .failure(let failure) = reply { failed(ask, failure, &turn) } else { retry(after: nil, &turn) }
    }

    private func receive(parent reply: ServiceReply, _ ask: MessageAsk, _ turn: inout Turn) -> MessageFact? {
        switch reply {
        case .message(let message):
            // Facts that came meanwhile are newer than the answer.
            let newest = history.crossings.applied(to: [message], turn.rules)
            for message in newest { history.isShown(message.id) }
            answerEnded(ask)
            gate.succeed()
            step = .changes(isAsked: false)
            guard message.id == id.parentID else { break }
            return MessageFact(channelURL: channelURL, kind: .edited(newest), cause: Cause(.sync), answerTo: id)
        case .failure(let failure) where failure.kind == .notFound || failure.kind.isForGood:
            answerEnded(ask)
            step = .changes(isAsked: false)
            if failure.kind == .notFound {
                return MessageFact(
                    channelURL: channelURL, kind: .deleted(ids: [id.parentID]), cause: Cause(.sync), answerTo: id)
            }
            resume(&turn)
        default: notAnswered(ask, reply, &turn)
        }
        return nil
    }

    private func receive(_ gap: MessageGap, _ ask: MessageAsk, _ turn: inout Turn) {
        switch gap {
        case .huge:
            answerEnded(ask)
            gate.succeed()
            windows.hugeGap(of: nil, coverage, &turn)
            put(questions(turn.context).gap(of: windows.gapFilters), &turn)
        case .fill(let page):
            let taken = take(page, by: ask.kind.road, Cause(.messageFill), &turn)
            answerEnded(ask)
            guard taken != .notStored else { return }
            gate.succeed()
            goOn(.pages(asked: []), &turn)
        }
    }

    /// The messages in this answer are no complete range: the pages bring them again.
    private func receive(
        gapOf filters: [MessageFilter], _ reply: ServiceReply, _ ask: MessageAsk, _ turn: inout Turn
    ) {
        var isHuge = true
        switch reply {
        case .gap(let gap):
            if case .fill = gap { isHuge = false }
            gate.succeed()
        case .failure(let failure) where failure.kind.isForGood: break
        default: return notAnswered(ask, reply, &turn)
        }
        answerEnded(ask)
        if isHuge { windows.hugeGap(of: filters.first, coverage, &turn) }
        put(questions(turn.context).gap(of: Array(filters.dropFirst())), &turn)
    }

    private func receive(
        _ page: MessagePage, around place: MessagePosition, _ ask: MessageAsk, _ turn: inout Turn
    ) {
        var taken = take(page, by: ask.kind.road, Cause(.sync), &turn)
        // A host that starts wants this page even if all of it is known, and it is asked for only once.
        if taken == .known, windows.starting != nil { taken = .new }
        answerEnded(ask)
        if taken != .notStored { windows.answered(place, coverage, &turn) }
        pageEnded(taken, &turn)
    }

    /// The answer has come; its step may be asked again.
    func answerEnded(_ ask: MessageAsk) {
        history.crossings.pageEnded()
        step.ended(ask.kind)
    }

    /// The result of storing a page.
    private enum Taken {
        case notStored
        /// The page told nothing new, about messages or about where the history is complete.
        case known
        case new
    }

    private func pageEnded(_ taken: Taken, _ turn: inout Turn) {
        switch taken {
        case .notStored: break
        case .known where hasToldNothing:
            // Without a pause, the same request and answer would repeat without end.
            retry(after: nil, &turn)
        case .known, .new:
            hasToldNothing = taken == .known
            gate.succeed()
            resume(&turn)
        }
    }

    /// Stores a page. If that fails, the page is asked for again after a pause.
    private func take(
        _ page: MessagePage, by road: SequencePage.Road = .newest, hole older: String? = nil, _ cause: Cause,
        _ turn: inout Turn
    ) -> Taken {
        guard let stored = StoredPage(page, by: road, hole: older, of: history, turn.context) else {
            storeFailed(&turn)
            return .notStored
        }
        let (before, next) = (history, stored.history)
        history = next
        for row in stored.outcome.rows where row.senderID == turn.options.userID && before.mayBeAwaited(row) {
            turn.add(.ownMessageSeen(row, channelURL: channelURL))
        }
        windows.show(stored.outcome, cause, coverage, &turn)
        let taken: Taken = stored.isNews ? .new : .known
        // Progress is told for channels only; what a thread caches may be cached for its channel already.
        if id.isThread { return taken }
        turn.tell(.syncProgress(SyncProgress(
            channelURL: channelURL, done: next.stored, isComplete: next.chunks.isWhole)))
        return taken
    }

    func failed(_ ask: MessageAsk, _ failure: ServiceFailure, _ turn: inout Turn) {
        switch failure.kind {
        case .notFound where id.isThread:
            // If the channel is gone, too, this is found by another request.
            if !isBusy { step = .pages(asked: []) }
            windows.finishFetches(.notFound, &turn)
        case .notFound:
            turn.add(.channels(ChannelFact(removed: [channelURL], cause: Cause(.channelRefresh))))
        case .refused, .tooLarge:
            // A retry would get the same answer; a later session may not.
            if !isBusy { step = .pages(asked: []) }
            windows.finishFetches(.error, &turn)
        default: retry(after: failure, &turn)
        }
    }
}
