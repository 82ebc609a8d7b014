import SyncModel
import SyncStore

/// Keeps the cached channels true: lists all of them once, reads the change log after every login, and asks for single
/// channels of which an event says too little.
///
/// The problem. Answers are old the moment they arrive: an event may have told something newer of a channel while the
/// answer was on its way, and which of the two is newer cannot be told.
///
/// The rules.
/// - After a login the change log is read to its end, then the one-time listing goes on. The point up to which the log
///   was read is stored with the channels it told of.
/// - What events touch while an answer is under way crosses that answer. Such a channel is not taken from the answer
///   but asked for by itself (`ChannelRefresh`), and as long as one of those is in doubt neither the log's point nor
///   the listing's is stored: whatever ends before that reads both again from where they stood.
/// - When the log cannot be read from its point any more, everything is listed once more, and cached channels that the
///   listing did not name are asked for one by one: gone, or come while it was listed.
final class ChannelSync: Machine {
    static let pageSize = 100
    /// Pages of the listing without a channel, one after another, that are asked for without a pause.
    private static let mostEmptyPages = 3
    private static let changesKey = "channels.changes"
    private static let tokenKey = "channels.token"
    private static let completeKey = "channels.complete"
    /// There while a new listing has to find out which cached channels are gone.
    private static let relistKey = "channels.relist"

    /// The change log, in this session.
    private enum Log {
        case unread
        /// Asked from a point.
        case asked
        case read
    }

    private enum Listing {
        case due
        case asked
        case complete
    }

    private var log = Log.unread
    private var listing: Listing
    /// That the listing is complete stands in the store, too: what it left in doubt has been settled.
    private var isCompletionStored: Bool
    /// Both wait in it after a failure; the log is asked first.
    private var gate = RetryGate()
    private var emptyPages = 0
    /// How far the log has been read while some channels are in doubt.
    private var readTo: ChangePoint?
    /// The same of the listing: the token of its next page, empty at its end.
    private var listedTo: String?
    /// What a new listing has named so far; `nil` when none has to find out what is gone.
    private var listed: Set<ChannelURL>?
    /// Answers with several channels that are under way, those of collections included.
    private var answersUnderWay = 0
    /// Channels that facts touched while answers were under way: a fact is newer than what such an answer says.
    private var touched: Set<ChannelURL> = []
    private var refresh = ChannelRefresh()
    private var actions = AnswerCrossings()
    /// Channels of open message collections that are asked for when the log is read, which may bring them.
    private var starting: [ChannelURL] = []
    /// Those that need not be asked for on account of a collection any more in this session.
    private var fresh: Set<ChannelURL> = []

    init(_ storage: Storage) {
        let value = storage.cached { (cache) throws(StoreError) in try cache.value(ChannelSync.completeKey) } ?? nil
        isCompletionStored = value == "1"
        listing = isCompletionStored ? .complete : .due
    }

    /// Every channel of the user has been cached once.
    var isComplete: Bool {
        if case .complete = listing { true } else { false }
    }

    /// Something is asked, or waits to be asked.
    var isBusy: Bool {
        if case .asked = log { return true }
        if case .asked = listing { return true }
        return !refresh.isIdle
    }

    /// What came to a channel while away is known: what is told of it now is the next thing that happens there.
    func isSettled(_ url: ChannelURL) -> Bool { isRead && !refresh.isPlanned(url) }

    /// The same of all channels.
    var isSettled: Bool { isRead && refresh.isIdle }

    private var isRead: Bool {
        guard case .read = log else { return false }
        return isComplete
    }

    /// A channel is asked for by itself, or will be.
    func isPlanned(_ url: ChannelURL) -> Bool { refresh.isPlanned(url) }

    // MARK: Session

    /// The first login: changes count from here, before the first channel is cached, even while sync is paused.
    func sessionBegan(_ context: Context) {
        log = .unread
        if anchorLog(context) == true { log = .read }
        if context.capabilities.channelChanges == .asked { relist(context) }
    }

    /// Whether a point to read from had to be made; `nil` when that could not be stored.
    private func anchorLog(_ context: Context) -> Bool? {
        let point = context.storage.cached { (cache) throws(StoreError) in try cache.value(ChannelSync.changesKey) }
        guard let point else { return nil }
        if point != nil { return false }
        let urls = context.storage.cached { (cache) throws(StoreError) in try cache.channelURLs() }
        guard let urls else { return nil }
        // Channels without a point are of a session that could not store it, or it was damaged: no log tells what
        // became of them since.
        if !urls.isEmpty { return relist(context) ? true : nil }
        let done: Void? = context.storage.committed { (cache) throws(StoreError) in
            try cache.setValue(ChannelSync.changesKey, ChangePoint.time(context.loginTime).storedText)
        }
        return done == nil ? nil : true
    }

    func sessionEnded(_ turn: inout Turn) {
        log = .unread
        if !isCompletionStored { listing = .due }
        gate.succeed()
        readTo = nil
        listedTo = nil
        listed = nil
        answersUnderWay = 0
        touched = []
        refresh = ChannelRefresh()
        starting = []
        fresh = []
        turn.add(.timer(.channelSync, at: nil))
    }

    /// The cached channels and how far they are true are forgotten, on disk too: everything is listed again.
    func startOver(_ turn: inout Turn) {
        isCompletionStored = false
        sessionEnded(&turn)
        if turn.isLoggedIn { sessionBegan(turn.context) }
        pump(&turn)
    }

    /// Forgets in the store the channels and how far they are true; `false` when they stay.
    static func forgetStored(_ storage: Storage) -> Bool {
        let done: Void? = storage.committed { (cache) throws(StoreError) in
            try cache.forgetChannels()
            for key in [changesKey, tokenKey, completeKey, relistKey] { try cache.setValue(key, nil) }
            try StreamPoint.forget(cache)
        }
        return done != nil
    }

    // MARK: Asking

    /// Asks what can be asked now. Calling it once too often does no harm.
    func pump(_ turn: inout Turn) {
        guard turn.isLoggedIn else { return }
        refresh.pump(&turn)
        if let due = refresh.pausedUntil { turn.add(.timer(.channelSync, at: due)) }
        guard turn.canSync else { return }
        guard gate.isOpen(at: turn.now.monotonic) else {
            turn.add(.timer(.channelSync, at: gate.pausedUntil))
            return
        }
        switch log {
        case .asked: return
        case .unread: readLog(&turn)
        case .read: continueListing(&turn)
        }
    }

    private func readLog(_ turn: inout Turn) {
        guard turn.capabilities.channelChanges == .log else {
            log = .read
            return continueListing(&turn)
        }
        let stored = turn.storage.cached { (cache) throws(StoreError) in try cache.value(ChannelSync.changesKey) }
        guard let stored else { return retry(after: nil, &turn) }
        guard let since = readTo ?? stored.flatMap(ChangePoint.init(storedText:)) else {
            guard anchorLog(turn.context) != nil else { return retry(after: nil, &turn) }
            log = .read
            return continueListing(&turn)
        }
        log = .asked
        answersUnderWay += 1
        turn.add(.ask(.channelChanges(since: since), .channelChanges(since: since)))
    }

    private func continueListing(_ turn: inout Turn) {
        refreshStarting(&turn)
        guard case .due = listing else { return }
        let state = turn.storage.cached { (cache) throws(StoreError) in
            (token: try cache.value(ChannelSync.tokenKey) ?? "", isNew: try cache.hasValue(ChannelSync.relistKey))
        }
        guard let state else { return retry(after: nil, &turn) }
        // A listing that must find out what is gone starts over; any other loses at most one page by a kill.
        let startsOver = state.isNew && listed == nil
        if startsOver { listed = [] }
        listing = .asked
        answersUnderWay += 1
        turn.add(.ask(
            .channelListing,
            .listChannels(
                query: ChannelSync.everyChannel, token: startsOver ? "" : listedTo ?? state.token,
                limit: ChannelSync.pageSize)))
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

    /// A message collection is open on a cached channel, which is asked for once in a session: not everything that may
    /// have changed while away is in the log.
    func collectionStarted(_ url: ChannelURL, _ turn: inout Turn) {
        guard turn.isLoggedIn, !fresh.contains(url) else { return }
        starting.append(url)
        pump(&turn)
    }

    /// A message collection is open on a channel that is not cached. It is asked for whenever that happens: at once, or
    /// when the host lets sync go on, since the answer brings it into lists.
    func unknownStarted(_ url: ChannelURL, _ turn: inout Turn) {
        guard turn.isLoggedIn else { return }
        if turn.canSync { return want(url, Cause(.channelRefresh), &turn) }
        fresh.remove(url)
        starting.append(url)
    }

    private func refreshStarting(_ turn: inout Turn) {
        guard !starting.isEmpty else { return }
        for url in starting where fresh.insert(url).inserted { refresh.want(url, Cause(.channelRefresh)) }
        starting = []
        refresh.pump(&turn)
        if let due = refresh.pausedUntil { turn.add(.timer(.channelSync, at: due)) }
    }

    private func retry(after failure: ServiceFailure?, _ turn: inout Turn) {
        gate.fail(failure, at: turn.now.monotonic, turn.random)
        turn.add(.timer(.channelSync, at: gate.pausedUntil))
    }

    /// A collection asks for a page of its own: its answer can be crossed, too.
    func collectionAsked() { answersUnderWay += 1 }

    /// A host's action is asked: its answer can be crossed, too.
    func actionAsked(_ call: CallID) { actions.began(call) }

    /// The action is over. Gives the channels that its answer must not be believed about.
    func actionEnded(_ call: CallID) -> Set<ChannelURL> { actions.ended(call) }

    /// Asks for one channel unless that is done or planned already. For what the service tells by an event of its own:
    /// whatever is asked for behind that event has it.
    func recheck(_ url: ChannelURL, _ cause: Cause, _ turn: inout Turn) {
        guard !refresh.isPlanned(url) else { return }
        want(url, cause, &turn)
    }

    /// Asks for one channel. Calls for the same one share the answer.
    func want(_ url: ChannelURL, _ cause: Cause, _ turn: inout Turn) {
        guard turn.isLoggedIn else { return }
        refresh.want(url, cause)
        refresh.pump(&turn)
    }

    // MARK: Answers

    /// A part of an answer about several channels. Gives what is to be taken in; then `taken` has to be told.
    func arrived(_ part: AnswerParts.Part, _ context: Context) -> ChannelFact {
        switch part.ask {
        case .channelChanges(let since):
            changesArrived(
                part.changed, removed: part.removed, next: ChannelSync.next(part, since, context).point,
                isLast: part.isLast)
        case .channelPage(let collection):
            pageArrived(part.changed, collection: collection, next: part.next, isLast: part.isLast)
        default: listingArrived(part.changed, next: part.next, isLast: part.isLast, context)
        }
    }

    /// The part is in the cache, or could not be stored. Whether with it sync has had its answer.
    func taken(
        _ part: AnswerParts.Part, _ isStored: Bool, _ turn: inout Turn
    ) -> Bool {
        switch part.ask {
        case .channelChanges(let since):
            let next = ChannelSync.next(part, since, turn.context)
            changesTaken(isStored, next: next.point, isEnd: next.isEnd, isLast: part.isLast, &turn)
            return isStored && part.isLast && !part.hasMore
        case .channelPage:
            pageTaken(isLast: part.isLast || !isStored, &turn)
            return false
        default:
            listingTaken(isStored, isEnd: part.next.isEmpty, isLast: part.isLast, &turn)
            return isStored && part.isLast
        }
    }

    private static func next(
        _ part: AnswerParts.Part, _ since: ChangePoint, _ context: Context
    ) -> (point: ChangePoint, isEnd: Bool) {
        ChangePoint.behind(part.next, hasMore: part.hasMore, since, context.loginTime)
    }

    /// A part of a page of the listing; `next` counts with the last part. Gives what is to be taken in.
    private func listingArrived(
        _ channels: [ChannelRecord], next: String, isLast: Bool, _ context: Context
    ) -> ChannelFact {
        listed?.formUnion(channels.map(\.url))
        emptyPages = channels.isEmpty ? emptyPages + 1 : 0
        var fact = settle(channels, removed: [], cause: Cause(.sync))
        guard isLast else { return fact }
        listedTo = refresh.hasDoubts ? next : nil
        if listedTo == nil { fact.progress = [(ChannelSync.tokenKey, next.isEmpty ? nil : next)] }
        return fact
    }

    /// The page is in the cache, or could not be stored.
    private func listingTaken(
        _ isStored: Bool, isEnd: Bool, isLast: Bool, _ turn: inout Turn
    ) {
        guard isLast || !isStored else { return }
        answerEnded()
        listing = .due
        guard isStored else {
            listedTo = nil
            return retry(after: nil, &turn)
        }
        if !isEnd, emptyPages > ChannelSync.mostEmptyPages { return retry(after: nil, &turn) }
        gate.succeed()
        guard isEnd else { return pump(&turn) }
        if let named = listed {
            guard let cached = turn.storage.cached({ (cache) throws(StoreError) in try cache.channelURLs() }) else {
                listed = nil
                return retry(after: nil, &turn)
            }
            for url in cached where !named.contains(url) { refresh.doubt(url, isUnlisted: true) }
            listed = nil
        }
        listing = .complete
        storeProgress(turn.context)
        pump(&turn)
    }

    /// A part of the change log.
    private func changesArrived(
        _ changed: [ChannelRecord], removed: [ChannelURL], next: ChangePoint, isLast: Bool
    ) -> ChannelFact {
        var fact = settle(changed, removed: removed, cause: Cause(.channelChangelog))
        for channel in fact.changed { fresh.insert(channel.url) }
        if isLast, !refresh.hasDoubts { fact.progress = [(ChannelSync.changesKey, next.storedText)] }
        return fact
    }

    private func changesTaken(
        _ isStored: Bool, next: ChangePoint, isEnd: Bool, isLast: Bool, _ turn: inout Turn
    ) {
        guard isLast || !isStored else { return }
        answerEnded()
        log = .unread
        guard isStored else { return retry(after: nil, &turn) }
        gate.succeed()
        readTo = refresh.hasDoubts ? next : nil
        if isEnd { log = .read }
        pump(&turn)
    }

    /// A part of a page of a collection's own query. What facts touched stays as it is cached.
    private func pageArrived(_ channels: [ChannelRecord], collection: CollectionID, next: String, isLast: Bool)
        -> ChannelFact
    {
        var fact = ChannelFact(changed: channels.filter { !touched.contains($0.url) }, cause: Cause(.sync))
        for channel in fact.changed { actions.touch(channel.url) }
        for channel in channels where touched.contains(channel.url) { refresh.doubt(channel.url, isUnlisted: false) }
        fact.page = (collection, next, isLast)
        return fact
    }

    private func pageTaken(isLast: Bool, _ turn: inout Turn) {
        guard isLast else { return }
        answerEnded()
        refresh.pump(&turn)
    }

    /// The listing, the log or a collection's page failed.
    func failed(_ ask: Ask, _ failure: ServiceFailure?, _ turn: inout Turn) {
        answerEnded()
        switch ask {
        case .channelListing:
            listing = .due
            if failure?.kind == .pageTokenExpired {
                listed = nil
                listedTo = nil
                _ = turn.storage.cached { (cache) throws(StoreError) in try cache.setValue(ChannelSync.tokenKey, nil)
                }
            }
            retry(after: failure, &turn)
        case .channelChanges:
            log = .unread
            guard failure?.kind == .pageTokenExpired else { return retry(after: failure, &turn) }
            // Nobody can tell what was missed: list everything once more.
            guard relist(turn.context) else { return retry(after: nil, &turn) }
            pump(&turn)
        default: break
        }
    }

    @discardableResult
    private func relist(_ context: Context) -> Bool {
        let done: Void? = context.storage.committed { (cache) throws(StoreError) in
            try cache.setValue(ChannelSync.changesKey, ChangePoint.time(context.loginTime).storedText)
            try cache.setValue(ChannelSync.completeKey, nil)
            try cache.setValue(ChannelSync.tokenKey, nil)
            try cache.setValue(ChannelSync.relistKey, "1")
        }
        guard done != nil else { return false }
        listing = .due
        isCompletionStored = false
        readTo = nil
        listedTo = nil
        listed = nil
        return true
    }

    /// What of an answer can be taken as it is. The rest crossed a fact, and is asked for by itself.
    private func settle(_ changed: [ChannelRecord], removed: [ChannelURL], cause: Cause) -> ChannelFact {
        for url in changed.map(\.url) + removed where touched.contains(url) { refresh.doubt(url, isUnlisted: false) }
        let taken = changed.filter { !touched.contains($0.url) }
        // An answer about a single channel that is on its way may have been made before this one.
        for channel in taken {
            refresh.cross(channel.url)
            actions.touch(channel.url)
        }
        return ChannelFact(changed: taken, removed: removed.filter { !touched.contains($0) }, cause: cause)
    }

    private func answerEnded() {
        answersUnderWay = max(0, answersUnderWay - 1)
        if answersUnderWay == 0 { touched = [] }
    }

    /// The service's answer about one channel. Gives what is to be taken in, if anything.
    func channelArrived(
        _ url: ChannelURL, _ reply: ServiceReply, isCached: Bool, _ turn: inout Turn
    ) -> ChannelFact? {
        let fact = refresh.arrived(url, reply, isCached: isCached, turn.context)
        if fact == nil {
            storeProgress(turn.context)
            pump(&turn)
        }
        return fact
    }

    /// What an answer about one channel said is in the cache, or could not be stored.
    func channelTaken(_ url: ChannelURL, _ isStored: Bool, _ turn: inout Turn) {
        if isStored { refresh.settled(url) } else { refresh.failed(url, turn.context) }
        storeProgress(turn.context)
        pump(&turn)
    }

    /// Nothing in doubt any more: what was read of the log, and of a new listing, counts.
    private func storeProgress(_ context: Context) {
        guard !refresh.hasDoubts, readTo != nil || listedTo != nil || isComplete && !isCompletionStored
        else { return }
        let isComplete = isComplete
        let (readTo, listedTo) = (readTo, listedTo)
        let done: Void? = context.storage.committed { (cache) throws(StoreError) in
            if let readTo { try cache.setValue(ChannelSync.changesKey, readTo.storedText) }
            if let listedTo { try cache.setValue(ChannelSync.tokenKey, listedTo.isEmpty ? nil : listedTo) }
            if isComplete {
                try cache.setValue(ChannelSync.completeKey, "1")
                try cache.setValue(ChannelSync.relistKey, nil)
            }
        }
        guard done != nil else { return }
        self.readTo = nil
        self.listedTo = nil
        isCompletionStored = isComplete
    }

    // MARK: Facts

    /// Something newer than any answer under way was told of a channel.
    func touch(_ url: ChannelURL) {
        if answersUnderWay > 0 { touched.insert(url) }
        refresh.cross(url)
        actions.touch(url)
    }
}
