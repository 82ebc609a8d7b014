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
    let id: HistoryID
    private(set) var history: History
    private(set) var windows = MessageWindows()
    var step: TimelineStep
    var gate = RetryGate()
    /// Raised when everything starts over, so that answers to older questions are dropped.
    var generation: UInt64 = 0
    /// The last page said nothing that was not known.
    private var hasToldNothing = false

    private var parent: ThreadParent

    /// `parent` as it is cached.
    init(_ id: HistoryID, history: History, parent: MessageRecord?) {
        self.id = id
        self.history = history
        self.parent = ThreadParent(id: id.parentID, message: parent)
        step = .first(of: id)
    }

    private var channelURL: ChannelURL { id.channelURL }

    /// Something is under way.
    var isBusy: Bool { step.isBusy }

    private var coverage: Coverage {
        let isGapChecked = if case .pages = step { true } else { false }
        return Coverage(
            channelURL: channelURL, channelKey: history.channelKey, chunks: history.chunks, isGapChecked: isGapChecked)
    }

    // MARK: Host

    func open(_ window: MessageWindow, _ turn: inout Turn) {
        windows.open(window)
        parent.tell(window, Cause(.cache), &turn)
        resume(&turn)
    }

    func close(_ collection: CollectionID, _ turn: inout Turn) { windows.close(collection, &turn) }

    /// `isOfAll`: everything that is newer than what the collection shows.
    func fetch(
        _ collection: CollectionID, _ direction: PageDirection, isOfAll: Bool = false, call: CallID,
        _ turn: inout Turn
    ) {
        if windows.fetch(collection, direction, isOfAll: isOfAll, call: call, coverage, &turn) { resume(&turn) }
    }

    func continueFetch(_ call: CallID, _ turn: inout Turn) { windows.continueFetch(call, coverage, &turn) }

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

    /// What was stored since is not stored: the history is as it was. `windows`: nobody has been told of it, and what
    /// is shown is as it was, too.
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

    /// The channel is not known any more.
    func forgetChannel() { windows.setChannel(nil) }

    /// The channel as hosts see it.
    func tellChannel(_ json: [UInt8], _ cause: Cause, _ turn: inout Turn) {
        let isBack = windows.setChannel(json)
        for window in windows.all { turn.tell(window.id, .channelUpdated(json: json, cause)) }
        guard isBack else { return }
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
        parent.cut(before: order, windows, &turn)
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
        var cause = fact.cause
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
        case .changelog: break
        case .patchLog: cause = PollCursor.cause(of: recorded.changed, turn.rules)
        }
        windows.remove(recorded.deleted, cause, &turn)
        windows.showChanged(recorded.changed, cause, coverage, &turn)
        if id.isThread { parent.show(recorded, cause, windows, &turn) }
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
        case .arrived:
            // A stream that goes on from a point tells it again.
            if !history.keepsNewest { history.loseNewest() }
            retry(after: nil, &turn)
        case .edited, .patched, .deleted:
            // The change log tells it once more of what is cached.
            history.loseStrays()
            restart()
            retry(after: nil, &turn)
        // Asked for again by `changesTaken`.
        case .changelog, .patchLog: break
        }
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

    /// Asks what can be asked now. Calling it once too often does no harm.
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
        case .pages: for direction in [PageDirection.previous, .next] { askPage(direction, &turn) }
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

    /// Nobody can tell which cached messages changed: they have to be asked for again.
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

    /// Nobody knows when the store works again: a host that waits for what cannot be read or stored is told now.
    func storeFailed(_ turn: inout Turn) {
        windows.finishFetches(.storage, &turn)
        retry(after: nil, &turn)
    }

    // MARK: Answers. Of logs: Timeline+Logs

    /// An answer. What a log or a thread's first message says is given back as a fact: it enters where all facts enter,
    /// and the outcome is told by `changesTaken`.
    func receive(_ reply: ServiceReply, to ask: MessageAsk, _ turn: inout Turn) -> MessageFact? {
        guard ask.generation == generation else { return nil }
        // It may have messages that the stream told and that are not stored: it is asked for again behind them.
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

    /// A failure, or an answer to another question.
    func notAnswered(_ ask: MessageAsk, _ reply: ServiceReply, _ turn: inout Turn) {
        answerEnded(ask)
        if case .failure(let failure) = reply { failed(ask, failure, &turn) } else { retry(after: nil, &turn) }
    }

    private func receive(parent reply: ServiceReply, _ ask: MessageAsk, _ turn: inout Turn) -> MessageFact? {
        switch reply {
        case .message(let message):
            // What was told meanwhile is newer than the answer.
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

    /// What the answer brings is no whole stretch of history: the pages bring it again.
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
        // A host that starts wants the page also when all of it is known, and asks once.
        if taken == .known, windows.starting != nil { taken = .new }
        answerEnded(ask)
        if taken != .notStored { windows.answered(place, coverage, &turn) }
        pageEnded(taken, &turn)
    }

    /// An answer is no longer under way; its step may be asked again.
    func answerEnded(_ ask: MessageAsk) {
        history.crossings.pageEnded()
        step.ended(ask.kind)
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
        // Progress is told of channels; what a thread caches is a part of it that may be there already.
        if id.isThread { return taken }
        turn.tell(.syncProgress(SyncProgress(
            channelURL: channelURL, done: next.stored, isComplete: next.chunks.isWhole)))
        return taken
    }

    func failed(_ ask: MessageAsk, _ failure: ServiceFailure, _ turn: inout Turn) {
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
