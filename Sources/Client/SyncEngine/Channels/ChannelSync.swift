import SyncModel
import SyncStore

/// Keeps the cached channels current: lists all of them once, reads the change log after every login, and asks for
/// single channels when an event says too little about them.
///
/// The problem. Answers are old when they arrive: an event may have told something newer about a channel meanwhile, and
/// nobody can tell which of the two is newer.
///
/// The rules.
/// - After a login the change log is read to its end, then the one-time listing goes on. The point up to which the log
///   was read is stored together with the channels it told of.
/// - A channel that events touch while an answer is under way crosses this answer. It is not taken from the answer but
///   asked for alone (`ChannelRefresh`). While such a channel is in doubt, neither the point of the log nor that of the
///   listing is stored: after a restart or a new session, both are read again from the stored points.
/// - When the log cannot be read from its point any more, all channels are listed again, and cached channels that the
///   listing did not name are asked for one by one: they are gone, or were added during the listing.
final class ChannelSync: Machine {
    static let pageSize = 100
    /// After more empty pages of the listing in a row than this, the next one is asked for after a pause.
    private static let mostEmptyPages = 3
    private static let changesKey = "channels.changes"
    private static let tokenKey = "channels.token"
    private static let completeKey = "channels.complete"
    /// This key exists while a new listing has to find out which cached channels are gone.
    private static let relistKey = "channels.relist"

    /// The state of the change log in this session.
    private enum Log {
        case unread
        /// A page of the log was asked for.
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
    /// The store, too, says that the listing is complete, since all channels that it left in doubt are settled.
    private var isCompletionStored: Bool
    /// The pause after a failure, for both the log and the listing; the log is asked first.
    private var gate = RetryGate()
    private var emptyPages = 0
    /// How far the log has been read, to be stored when no channel is in doubt any more.
    private var readTo: ChangePoint?
    /// The same for the listing: the token of its next page, empty at its end.
    private var listedTo: String?
    /// The channels that a new listing has named so far; `nil` when no listing has to find out which channels are gone.
    private var listed: Set<ChannelURL>?
    /// Answers about several channels that are under way, including pages of collections.
    private var answersUnderWay = 0
    /// Channels that facts touched while answers were under way: the facts are newer than these answers.
    private var touched: Set<ChannelURL> = []
    private var refresh = ChannelRefresh()
    private var actions = AnswerCrossings()
    /// Channels of open message collections. They are asked for when the log has been read, unless the log brings them.
    private var starting: [ChannelURL] = []
    /// Channels that need not be asked for again in this session when a collection opens.
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

    /// A request is in flight, or a channel waits to be asked for.
    var isBusy: Bool {
        if case .asked = log { return true }
        if case .asked = listing { return true }
        return !refresh.isIdle
    }

    /// It is known what happened in a channel while the client was offline: nothing is missing before the next fact.
    func isSettled(_ url: ChannelURL) -> Bool { isRead && !refresh.isPlanned(url) }

    /// The same, for all channels.
    var isSettled: Bool { isRead && refresh.isIdle }

    private var isRead: Bool {
        guard case .read = log else { return false }
        return isComplete
    }

    /// The channel is asked for alone, or will be.
    func isPlanned(_ url: ChannelURL) -> Bool { refresh.isPlanned(url) }

    // MARK: Session

    /// A session begins. At the first one the log starts at the login: stored before any channel, even while sync is
    /// paused.
    func sessionBegan(_ context: Context) {
        log = .unread
        if anchorLog(context) == true { log = .read }
        if context.knowsChannelsByListing { relist(context) }
    }

    /// Whether a new point to read the log from was stored; `nil` when that failed.
    private func anchorLog(_ context: Context) -> Bool? {
        let point = context.storage.cached { (cache) throws(StoreError) in try cache.value(ChannelSync.changesKey) }
        guard let point else { return nil }
        if point != nil { return false }
        let urls = context.storage.cached { (cache) throws(StoreError) in try cache.channels.urls() }
        guard let urls else { return nil }
        // There are channels but no point: an earlier session could not store it, or it was damaged. No log tells what
        // happened to these channels since.
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

    /// The cached channels and the sync state were forgotten, on disk too: all channels are listed again.
    func startOver(_ turn: inout Turn) {
        isCompletionStored = false
        sessionEnded(&turn)
        if turn.isLoggedIn { sessionBegan(turn.context) }
        pump(&turn)
    }

    /// Removes the channels and the sync state from the store; `false` when they could not be removed.
    static func forgetStored(_ storage: Storage) -> Bool {
        let done: Void? = storage.committed { (cache) throws(StoreError) in
            try cache.channels.forget()
            for key in [changesKey, tokenKey, completeKey, relistKey] { try cache.setValue(key, nil) }
            try StreamPoint.forget(cache)
        }
        return done != nil
    }

    // MARK: Asking

    /// Asks for whatever can be asked for now. An unnecessary call does no harm.
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
        if case .asked = listing {} else if refresh.needsListing, relist(turn.context) { refresh.willBeListed() }
        guard case .due = listing else { return }
        let state = turn.storage.cached { (cache) throws(StoreError) in
            (token: try cache.value(ChannelSync.tokenKey) ?? "", isNew: try cache.hasValue(ChannelSync.relistKey))
        }
        guard let state else { return retry(after: nil, &turn) }
        // In a new process, a listing that must find out which channels are gone starts over.
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

    /// All channels that this user may see, in an order that does not change during the listing.
    private static let everyChannel: ChannelQuery = {
        var query = ChannelQuery()
        query.order = .chronological
        query.limit = pageSize
        query.hiddenChannels = .all
        query.includeChatNotification = true
        return query
    }()

    /// A message collection opened on a cached channel. The channel is asked for once in a session, because the log
    /// does not have everything that may have changed while the client was offline.
    func collectionStarted(_ url: ChannelURL, _ turn: inout Turn) {
        guard turn.isLoggedIn, !fresh.contains(url) else { return }
        starting.append(url)
        pump(&turn)
    }

    /// A message collection opened on a channel that is not cached. Each time, the channel is asked for at once, or
    /// when the host resumes sync, because the answer adds the channel to lists.
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

    /// A collection asks for a page of its own: facts can cross its answer, too.
    func collectionAsked() { answersUnderWay += 1 }

    /// An action is sent: facts can cross its answer, too.
    func actionAsked(_ call: CallID) { actions.began(call) }

    /// The action is over. Returns the channels about which its answer may be out of date.
    func actionEnded(_ call: CallID) -> Set<ChannelURL> { actions.ended(call) }

    /// Asks for one channel, unless it is asked for already. For changes told by an event of the service: every answer
    /// to a request sent after the event includes the change.
    func recheck(_ url: ChannelURL, _ cause: Cause, _ turn: inout Turn) {
        guard !refresh.isPlanned(url) else { return }
        want(url, cause, &turn)
    }

    /// Asks for one channel. Several calls for the same channel share one request.
    func want(_ url: ChannelURL, _ cause: Cause, _ turn: inout Turn) {
        guard turn.isLoggedIn else { return }
        refresh.want(url, cause)
        refresh.pump(&turn)
    }

    // MARK: Answers

    /// A part of an answer about several channels. Returns the fact to store; the caller then calls `taken`.
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

    /// The part was stored, or could not be. Returns whether the answer is complete with it, for the log or the
    /// listing.
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

    /// A part of a page of the listing; `next` counts only with the last part. Returns the fact to store.
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

    /// The page was stored, or could not be.
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
            guard let cached = turn.storage.cached({ (cache) throws(StoreError) in try cache.channels.urls() }) else {
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

    /// A part of a page of a collection's own query. Channels that facts touched stay as they are cached.
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

    /// The request for the listing, the log or a collection's page failed.
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
            // Nobody can tell which changes were missed: all channels are listed again.
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

    /// The part of an answer that can be stored as it is. Channels that crossed a fact are asked for one by one.
    private func settle(_ changed: [ChannelRecord], removed: [ChannelURL], cause: Cause) -> ChannelFact {
        for url in changed.map(\.url) + removed where touched.contains(url) { refresh.doubt(url, isUnlisted: false) }
        let taken = changed.filter { !touched.contains($0.url) }
        // An answer about a single channel that is under way may have been made before this one.
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

    /// The service's answer about one channel. Returns the fact to store, if there is one.
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

    /// The answer about one channel was stored, or could not be.
    func channelTaken(_ url: ChannelURL, _ isStored: Bool, _ turn: inout Turn) {
        if isStored { refresh.settled(url) } else { refresh.failed(url, turn.context) }
        storeProgress(turn.context)
        pump(&turn)
    }

    /// Stores how far the log and the listing have been read, if no channel is in doubt any more.
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

    /// A fact told something about a channel that is newer than any answer under way.
    func touch(_ url: ChannelURL) {
        if answersUnderWay > 0 { touched.insert(url) }
        refresh.cross(url)
        actions.touch(url)
    }
}
