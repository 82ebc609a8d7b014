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

    /// What is asked next, or is under way. One step at a time; pages in both directions at once.
    private enum Step {
        case parent(isAsked: Bool)
        case changes(isAsked: Bool)
        case gap(isAsked: Bool)
        case pages(asked: Set<PageDirection>)
    }

    let id: HistoryID
    private(set) var history: History
    private(set) var windows = MessageWindows()
    private var step: Step
    private var gate = RetryGate()
    /// Raised when everything starts over, so that answers to older questions are dropped.
    private var generation: UInt64 = 0

    /// Of a thread: the message that it answers, as it was told last.
    private var parent: MessageRecord?

    /// `parent` as it is cached.
    init(_ id: HistoryID, history: History, parent: MessageRecord?) {
        self.id = id
        self.history = history
        self.parent = parent
        step = Timeline.firstStep(of: id)
    }

    private static func firstStep(of id: HistoryID) -> Step {
        id.isThread ? .parent(isAsked: false) : .changes(isAsked: false)
    }

    private var channelURL: String { id.channelURL }

    /// Something is under way.
    var isBusy: Bool {
        switch step {
        case .parent(let isAsked), .changes(let isAsked), .gap(let isAsked): isAsked
        case .pages(let asked): !asked.isEmpty
        }
    }

    private var coverage: MessageWindows.Coverage {
        var isGapChecked = false
        if case .pages = step { isGapChecked = true }
        return MessageWindows.Coverage(
            channelURL: channelURL, channelKey: history.channelKey, chunks: history.chunks, isGapChecked: isGapChecked)
    }

    // MARK: Host

    func open(_ window: MessageWindow, _ context: Context, _ effects: inout Effects) {
        windows.open(window)
        if let parent { windows.tellParent(parent.json, to: window.id, Cause(.cache), context, &effects) }
        resume(context, &effects)
    }

    func close(_ collection: UInt64, _ effects: inout Effects) { windows.close(collection, &effects) }

    func fetch(
        _ collection: UInt64, _ direction: PageDirection, call: UInt64, _ context: Context, _ effects: inout Effects
    ) {
        if windows.fetch(collection, direction, call: call, coverage, context, &effects) { resume(context, &effects) }
    }

    /// Everything that is newer than what the collection shows.
    func fetchAllNext(_ collection: UInt64, call: UInt64, _ context: Context, _ effects: inout Effects) {
        if windows.fetch(collection, .next, isOfAll: true, call: call, coverage, context, &effects) {
            resume(context, &effects)
        }
    }

    func continueFetch(_ call: UInt64, _ context: Context, _ effects: inout Effects) {
        windows.continueFetch(call, coverage, context, &effects)
    }

    func setLimit(_ collection: UInt64, _ limit: Int) -> CollectionInfo? { windows.setLimit(collection, limit) }

    func start(_ collection: UInt64, call: UInt64, _ context: Context, _ effects: inout Effects) {
        if windows.start(collection, call: call, coverage, context, &effects) { resume(context, &effects) }
    }

    /// Ends a fetch or a start with what it has. `false` when no such call waits.
    func end(
        _ call: UInt64, _ status: Status, short: Completion.ShortReason? = nil, _ effects: inout Effects
    ) -> Bool { windows.end(call, status, short: short, &effects) }

    func finishFetches(_ short: Completion.ShortReason, _ effects: inout Effects) {
        windows.finishFetches(short, &effects)
    }

    func end(_ effects: inout Effects) { windows.finishFetches(.closed, &effects) }

    func resetViewpoint(_ collection: UInt64, _ viewpoint: Int64, _ context: Context, _ effects: inout Effects) {
        windows.resetViewpoint(collection, viewpoint, &effects)
        resume(context, &effects)
    }

    func resync(_ collection: UInt64, dropped: Int, _ effects: inout Effects) {
        windows.resync(collection, dropped: dropped, &effects)
    }

    // MARK: Session

    func sessionBegan() { history.sessionBegan() }

    func sessionEnded(_ effects: inout Effects) {
        history.sessionEnded()
        restart()
        gate.succeed()
        effects.add(.timer(.timeline(id), at: nil))
        windows.finishFetches(.offline, &effects)
    }

    /// Everything is asked again from the first step on.
    private func restart() {
        abandonAnswers()
        step = Timeline.firstStep(of: id)
    }

    /// What is under way is given up: its answers will be dropped, and its step may be asked again.
    private func abandonAnswers() {
        generation += 1
        history.crossings = Crossings()
        switch step {
        case .parent: step = .parent(isAsked: false)
        case .changes: step = .changes(isAsked: false)
        case .gap: step = .gap(isAsked: false)
        case .pages: step = .pages(asked: [])
        }
    }

    // MARK: The cache changed as a whole

    /// The cached messages are gone, from the file too: every window is emptied, and sync begins again.
    func startOver(_ cause: Cause, _ context: Context, _ effects: inout Effects) {
        history.forget()
        restart()
        windows.clear(cause, &effects)
        resume(context, &effects)
    }

    /// The channel is gone. Should it come back, everything begins again.
    func channelGone(_ cause: Cause, _ effects: inout Effects) {
        history.forget()
        restart()
        gate.succeed()
        effects.add(.timer(.timeline(id), at: nil))
        windows.channelGone(channelURL, cause, &effects)
    }

    /// The channel as hosts see it; `nil` when it is not known any more.
    func setChannel(_ json: [UInt8]?) { windows.setChannel(json) }

    func tellChannel(_ json: [UInt8], _ cause: Cause, _ effects: inout Effects) {
        windows.tellChannel(json, cause, &effects)
    }

    /// History was cut at an order; `history` is what is left of it, as stored.
    func adopt(cut history: History, before order: Int64, _ context: Context, _ effects: inout Effects) {
        self.history = history
        // A page under way may hold what is gone now: it is asked for again.
        abandonAnswers()
        windows.cut(before: order, coverage, context, &effects)
        if let parent, parent.position.order < order { parentGone(Cause(.eventMessageDeleted), &effects) }
        resume(context, &effects)
    }

    // MARK: Facts

    /// Writes a fact into the cache, as a part of the transaction of who calls. It counts when that is committed.
    func record(_ fact: MessageFact, _ context: Context, _ cache: CacheStore) throws(StoreError) -> RecordedFact {
        try RecordedFact(fact, of: history, context.rules, cache)
    }

    /// The fact is in the cache: tells the collections.
    func show(_ fact: MessageFact, _ recorded: RecordedFact, _ context: Context, _ effects: inout Effects) {
        history = recorded.history
        switch fact.kind {
        case .arrived(let message, _):
            switch recorded.arrival {
            case .stray(isNew: true): windows.tellNewMessage(message, fact.cause, coverage, context, &effects)
            case .stored:
                // A page under way may be older than this message, and must not take it for deleted.
                history.crossings.note(fact)
                windows.showArrival(message, fact.cause, coverage, context, &effects)
            case .stray(isNew: false), .known, nil: break
            }
            return
        case .edited, .patched, .deleted: history.crossings.note(fact)
        case .changelog: break
        }
        windows.remove(recorded.deleted, fact.cause, &effects)
        windows.showChanged(recorded.changed, fact.cause, coverage, context, &effects)
        if id.isThread { showParent(recorded, fact.cause, context, &effects) }
    }

    private func showParent(
        _ recorded: RecordedFact, _ cause: Cause, _ context: Context, _ effects: inout Effects
    ) {
        if recorded.deleted.contains(id.parentID) { return parentGone(cause, &effects) }
        guard let changed = recorded.changed.last(where: { $0.id.isByteEqual(to: id.parentID) }),
            changed.json != parent?.json
        else { return }
        parent = changed
        windows.tellParent(changed.json, cause, context, &effects)
    }

    private func parentGone(_ cause: Cause, _ effects: inout Effects) {
        parent = nil
        windows.tellParentRemoved(id.parentID, cause, &effects)
    }

    /// An overlay on a message came or went: it is shown as it is now.
    func showAgain(_ id: String, _ cause: Cause, _ context: Context, _ effects: inout Effects) {
        let key = history.channelKey
        let held = context.storage.cached { (cache) throws(StoreError) in try cache.message(id: id, channel: key) }
        if let message = held ?? nil { windows.showAgain(message, cause, coverage, context, &effects) }
    }

    /// The fact could not be stored.
    func lose(_ fact: MessageFact, _ context: Context, _ effects: inout Effects) {
        history.crossings.note(fact)
        switch fact.kind {
        case .arrived: loseNewest(context, &effects)
        case .edited, .patched, .deleted:
            // The change log tells it once more of what is cached.
            history.loseStrays()
            restart()
            retry(after: nil, context, &effects)
        // Asked for again by `changesTaken`.
        case .changelog: break
        }
    }

    private func loseNewest(_ context: Context, _ effects: inout Effects) {
        history.loseNewest()
        retry(after: nil, context, &effects)
    }

    /// This user came into the channel again: messages may have been sent meanwhile that nobody told.
    func entered(_ context: Context, _ effects: inout Effects) {
        history.loseNewest()
        restart()
        resume(context, &effects)
    }

    func sendBegan() { history.sendBegan() }

    /// In doubt: it may have arrived at the service without our having been told.
    func sendEnded(isInDoubt: Bool, _ context: Context, _ effects: inout Effects) {
        if isInDoubt {
            let history = history
            let next = context.storage.committed { (cache) throws(StoreError) -> History in
                var next = history
                try next.doubtNewest(cache)
                return next
            }
            if let next { self.history = next } else { self.history.loseNewest() }
        }
        history.sendEnded()
        if isInDoubt { resume(context, &effects) }
    }

    // MARK: Asking

    /// Asks what can be asked now. Calling it once too often does no harm.
    func resume(_ context: Context, _ effects: inout Effects) {
        guard context.canSync, !windows.isEmpty else { return }
        guard gate.isOpen(at: context.now.monotonic) else {
            return effects.add(.timer(.timeline(id), at: gate.pausedUntil))
        }
        switch step {
        case .parent(isAsked: false): readParent(&effects)
        case .changes(isAsked: false): readChanges(context, &effects)
        case .gap(isAsked: false): checkGap(context, &effects)
        case .parent, .changes, .gap: break
        case .pages:
            runPrevious(&effects)
            runNext(&effects)
        }
    }

    private func ask(_ kind: MessageAsk.Kind, _ request: ServiceRequest, _ effects: inout Effects) {
        history.crossings.pageAsked()
        effects.add(.ask(
            .messages(MessageAsk(kind: kind, generation: generation), of: id), request))
    }

    private func readParent(_ effects: inout Effects) {
        step = .parent(isAsked: true)
        ask(.parent, .getMessage(channelURL: channelURL, messageID: id.parentID), &effects)
    }

    private var changesKey: String { "messages.changes.\(history.channelKey)" }

    private func readChanges(_ context: Context, _ effects: inout Effects) {
        let key = changesKey
        let value = context.storage.cached { (cache) throws(StoreError) in try cache.value(key) }
        guard let value else { return retry(after: nil, context, &effects) }
        let since = value.flatMap(ChangePoint.init(storedText:))
        let isKnown = since != nil && context.capabilities.hasMessageChanges
        // What is cached may have changed since anybody knows when.
        guard isKnown || history.chunks.isEmpty else { return forgetCached(context, &effects) }
        guard let since, !history.chunks.isEmpty else {
            // Nothing is cached yet: changes count from this login, which is before the first page.
            let start = ChangePoint.time(context.loginTime).storedText
            let done: Void? = context.storage.cached { (cache) throws(StoreError) in try cache.setValue(key, start) }
            guard done != nil else { return retry(after: nil, context, &effects) }
            step = .gap(isAsked: false)
            return checkGap(context, &effects)
        }
        step = .changes(isAsked: true)
        ask(.changes(since: since), .messageChanges(channelURL: channelURL, since: since), &effects)
    }

    /// Nobody can tell which cached messages changed: they have to be asked for again.
    private func forgetCached(_ context: Context, _ effects: inout Effects) {
        let key = history.channelKey
        let done: Void? = context.storage.committed { (cache) throws(StoreError) in
            try cache.clearMessages(channel: key)
        }
        guard done != nil else { return retry(after: nil, context, &effects) }
        startOver(Cause(.messageChangelog), context, &effects)
    }

    /// Asks what was missed while away, behind the newest message held.
    private func checkGap(_ context: Context, _ effects: inout Effects) {
        let key = history.channelKey
        guard context.capabilities.hasGapCheck, !id.isThread, windows.wantsNewest, let chunk = history.chunks.last,
            !chunk.reachedNewest,
            let held = context.storage.cached({ (cache) throws(StoreError) in
                // Of what the service is asked for, only this is held; less than one, when it has been deleted.
                try cache.messageCount(
                    channel: key, from: MessagePosition(order: chunk.end.position.order, tie: Int64.min),
                    through: chunk.end.position)
            })
        else { return beginPages(context, &effects) }
        step = .gap(isAsked: true)
        ask(
            .gap(end: chunk.end),
            .messageGap(channelURL: channelURL, start: chunk.start, end: chunk.end, held: held), &effects)
    }

    private func beginPages(_ context: Context, _ effects: inout Effects) {
        step = .pages(asked: [])
        resume(context, &effects)
    }

    private func runPrevious(_ effects: inout Effects) {
        guard case .pages(let asked) = step, !asked.contains(.previous) else { return }
        // A host that waits at a place of which nothing is known comes before the long way back of another collection.
        if let waiting = windows.starting ?? windows.stranded(history.chunks) { return askAround(waiting, &effects) }
        for window in windows.byUrgency(.previous) {
            guard let home = window.home(in: history.chunks) else { return askAround(window, &effects) }
            let chunk = history.chunks.chunks[home]
            if !chunk.reachedFirst { return askPage(from: chunk.start, .previous, &effects) }
        }
    }

    private func runNext(_ effects: inout Effects) {
        guard case .pages(let asked) = step, !asked.contains(.next) else { return }
        for window in windows.byUrgency(.next) {
            guard let home = window.home(in: history.chunks) else { continue }
            let chunk = history.chunks.chunks[home]
            if !chunk.reachedNewest { return askPage(from: chunk.end, .next, &effects) }
        }
    }

    private func askPage(from edge: HistoryEdge, _ direction: PageDirection, _ effects: inout Effects) {
        guard case .pages(let asked) = step else { return }
        step = .pages(asked: asked.union([direction]))
        ask(
            .page(from: edge, direction),
            .messages(
                channelURL: channelURL, from: edge, direction: direction, limit: Timeline.pageSize,
                parentID: id.parentID),
            &effects)
    }

    /// The first page of a viewpoint about which nothing is known.
    private func askAround(_ window: MessageWindow, _ effects: inout Effects) {
        guard case .pages(asked: []) = step else { return }
        step = .pages(asked: [.previous, .next])
        ask(
            .around(anchor: window.anchor),
            .messagesAround(
                channelURL: channelURL, time: window.viewpoint, limit: Timeline.pageSize, parentID: id.parentID),
            &effects)
    }

    private func retry(after failure: ServiceFailure?, _ context: Context, _ effects: inout Effects) {
        gate.fail(failure, at: context.now.monotonic, context.random)
        effects.add(.timer(.timeline(id), at: gate.pausedUntil))
    }

    // MARK: Answers

    /// An answer. What the change log says is given back as a fact: it enters where all facts enter, and the outcome is
    /// told by `changesTaken`.
    func receive(
        _ reply: ServiceReply, to ask: MessageAsk, _ context: Context, _ effects: inout Effects
    ) -> MessageFact? {
        guard ask.generation == generation else { return nil }
        switch (ask.kind, reply) {
        case (.parent, .message(let message)):
            // What was told meanwhile is newer than the answer.
            let newest = history.crossings.applied(to: [message], context.rules)
            answerEnded(ask)
            gate.succeed()
            step = .changes(isAsked: false)
            guard message.id.isByteEqual(to: id.parentID) else { break }
            return MessageFact(
                channelURL: channelURL, kind: .edited(newest), cause: Cause(.sync), answerTo: id)
        case (.parent, .failure(let failure)) where failure.kind == .notFound || failure.kind == .refused:
            answerEnded(ask)
            step = .changes(isAsked: false)
            if failure.kind == .notFound {
                return MessageFact(
                    channelURL: channelURL, kind: .deleted(ids: [id.parentID]), cause: Cause(.sync), answerTo: id)
            }
            resume(context, &effects)
        case (.changes(let since), .messageChanges(let changes)):
            let next = changes.next.isEmpty ? since : ChangePoint.token(changes.next)
            return MessageFact(
                channelURL: channelURL, kind: .changelog(updated: changes.updated, deleted: changes.deletedIDs),
                cause: Cause(.messageChangelog), answerTo: id, progress: (changesKey, next.storedText))
        case (.changes, .failure(let failure)) where failure.kind == .pageTokenExpired:
            answerEnded(ask)
            forgetCached(context, &effects)
        case (.gap, .gap(.huge)):
            answerEnded(ask)
            gate.succeed()
            windows.hugeGap(coverage, &effects)
            beginPages(context, &effects)
        case (.gap, .gap(.fill(let page))):
            let isTaken = take(page, Cause(.messageFill), context, &effects)
            answerEnded(ask)
            guard isTaken else { break }
            gate.succeed()
            beginPages(context, &effects)
        case (.around(let anchor), .messages(let page)):
            let isTaken = take(page, Cause(.sync), context, &effects)
            answerEnded(ask)
            if isTaken { windows.answered(anchor, coverage, context, &effects) }
            pageTaken(isTaken, context, &effects)
        case (.page(_, .previous), .messages(let page)):
            let isTaken = take(page, Cause(.sync), context, &effects)
            answerEnded(ask)
            pageTaken(isTaken, context, &effects)
        case (.page(_, .next), .messages(let page)):
            let isTaken = take(page, Cause(windows.isFollowing ? .messageFill : .sync), context, &effects)
            answerEnded(ask)
            pageTaken(isTaken, context, &effects)
        case (_, .failure(let failure)):
            answerEnded(ask)
            failed(ask, failure, context, &effects)
        default:
            answerEnded(ask)
            retry(after: nil, context, &effects)
        }
        return nil
    }

    /// The fact made of the change log is in the cache, or could not be stored.
    func changesTaken(
        _ isStored: Bool, _ changes: MessageChanges, to ask: MessageAsk, _ context: Context, _ effects: inout Effects
    ) {
        guard ask.generation == generation, case .changes(let since) = ask.kind else { return }
        answerEnded(ask)
        guard isStored else { return retry(after: nil, context, &effects) }
        gate.succeed()
        let isAtEnd = !changes.hasMore || changes.next.isEmpty || ChangePoint.token(changes.next) == since
        if isAtEnd { step = .gap(isAsked: false) }
        resume(context, &effects)
    }

    /// An answer is no longer under way; its step may be asked again.
    private func answerEnded(_ ask: MessageAsk) {
        history.crossings.pageEnded()
        switch (ask.kind, step) {
        case (.parent, .parent): step = .parent(isAsked: false)
        case (.changes, .changes): step = .changes(isAsked: false)
        case (.gap, .gap): step = .gap(isAsked: false)
        case (.around, .pages): step = .pages(asked: [])
        case (.page(_, let direction), .pages(let asked)): step = .pages(asked: asked.subtracting([direction]))
        default: break
        }
    }

    private func pageTaken(_ isTaken: Bool, _ context: Context, _ effects: inout Effects) {
        guard isTaken else { return }
        gate.succeed()
        resume(context, &effects)
    }

    /// Takes in a page; `false` when it could not be stored, and then it is asked for again after a pause.
    private func take(
        _ page: MessagePage, _ cause: Cause, _ context: Context, _ effects: inout Effects
    ) -> Bool {
        let history = history
        let taken = context.storage.committed { (cache) throws(StoreError) -> (History, History.PageOutcome) in
            var next = history
            let outcome = try next.take(page, context.rules, cache)
            return (next, outcome)
        }
        guard let (next, outcome) = taken else {
            retry(after: nil, context, &effects)
            return false
        }
        self.history = next
        for row in outcome.rows where !row.requestID.isEmpty && row.senderID.isByteEqual(to: context.options.userID) {
            effects.add(.ownMessageSeen(row, channelURL: channelURL))
        }
        windows.show(outcome, cause, coverage, context, &effects)
        // Progress is told of channels; what a thread caches is a part of it that may be there already.
        if id.isThread { return true }
        let chunk = next.chunks.last
        effects.tell(.syncProgress(
            channelURL: channelURL, done: next.stored,
            isComplete: next.chunks.chunks.count == 1 && chunk?.reachedFirst == true && chunk?.reachedNewest == true))
        return true
    }

    private func failed(
        _ ask: MessageAsk, _ failure: ServiceFailure, _ context: Context, _ effects: inout Effects
    ) {
        switch failure.kind {
        case .notFound where id.isThread:
            // Whether the channel is gone it is told by itself.
            if !isBusy { step = .pages(asked: []) }
            windows.finishFetches(.notFound, &effects)
        case .notFound:
            effects.add(.channels(ChannelFact(removed: [channelURL], cause: Cause(.channelRefresh))))
        case .refused:
            // Asking again gives the same answer; a later login may differ.
            if !isBusy { step = .pages(asked: []) }
            windows.finishFetches(.error, &effects)
        default: retry(after: failure, context, &effects)
        }
    }
}
