import SyncModel
import SyncStore

/// Tells the host of messages of others, also of channels that no collection shows, until it acknowledges them.
///
/// The problem. A message must be told that came while nobody was there to hear it, and one that was acknowledged must
/// not be told again; between the two there may be a lost connection, a kill and a full disk.
///
/// The rules.
/// - A channel has a mark: up to there its messages have been looked through, whether they were told or not. The mark
///   goes on in the transaction that stores what is to be told, and never passes over what is not known.
/// - So a message that comes live moves the mark only where nothing can be missing before it. Elsewhere, and whenever a
///   channel says that its last message is newer than the mark, the newest page of the channel is asked for, and what
///   comes live meanwhile is taken in behind it. That a channel has to be asked stands in its row, so that a kill in
///   between loses nothing.
/// - A channel may be deleted and made again under its URL while away, and messages of the new one told before the
///   change log says so. So what is held stays until the log is read, or the new channel is known: then what is older
///   than it goes.
/// - What can be the last message of a channel is told, and nothing else: so nothing of what was missed can hide.
/// - What waits stands in the file, in the order of its ids, and is told from there: so many events at a time as the
///   host has drained. At the start of a process, and when the host has lost events, it is told from the beginning.
final class Notices: Machine {
    /// Messages of a page, the most that is told of a channel that was away.
    static let pageSize = NoticeStore.channelLimit
    /// Pages that are asked for at the same time, so that they do not keep hosts' requests waiting.
    private static let asksAtOnce = 2
    /// So many facts may come while a page is under way; with more it is asked for again.
    private static let mostCrossing = 500

    /// A page that is under way.
    private struct Page {
        let number: UInt64
        /// What has come meanwhile, in its order.
        var crossing: [MessageFact] = []
        /// The channel has told of a newer message, which may have come when the page was made already.
        var isLate = false
    }

    /// From when on messages are told; `nil`: nobody has logged in yet.
    private var since: Int64?
    private var asked: [ChannelURL: Page] = [:]
    /// How many were asked for.
    private var pages: UInt64 = 0
    /// Channels whose page is to be asked for, first come first served.
    private var wanted: [ChannelURL] = []
    private var isWanted: Set<ChannelURL> = []
    /// What earlier sessions have left to be asked for has been read.
    private var hasRead = false
    private var gate = RetryGate()
    /// Some that are not cached are there, and are forgotten once it is known that they are gone.
    private var hasUnsure = false
    /// The last that was told.
    private var cursor: Int64 = 0
    /// There may be some behind it.
    private var hasUntold = true
    /// Events that wait to be drained.
    private var inQueue = 0

    /// It waits for an answer.
    var isBusy: Bool { !asked.isEmpty }

    // MARK: Life

    /// The process begins. What a configuration that wants to hear of nothing finds is forgotten: else a later one
    /// would be told of all that came meanwhile.
    func load(_ turn: inout Turn) {
        let notify = turn.options.notify
        since = turn.storage.cached { (cache) throws(StoreError) -> Int64? in
            switch notify {
            case .none: if try cache.notices.isUsed() { try cache.notices.clear() }
            case .mentions: if try cache.notices.isUsed() { try cache.notices.keepMentions() }
            case .all: break
            }
            return try cache.notices.since()
        } ?? nil
    }

    func sessionEnded(_ turn: inout Turn) {
        asked = [:]
        wanted = []
        isWanted = []
        hasRead = false
        gate = RetryGate()
        turn.add(.timer(.notices, at: nil))
    }

    /// The user has signed out: nothing is left in the file.
    func forgetAll(_ turn: inout Turn) {
        since = nil
        sessionEnded(&turn)
    }

    /// A session begins: what earlier ones have left to be asked for. The first one tells nothing of the past. `false`
    /// when it cannot be read or stored.
    private func read(_ turn: Turn) -> Bool {
        let loginTime = turn.loginTime
        let left = turn.storage.committed { (cache) throws(StoreError) in
            let since = try cache.notices.since()
            if since == nil { try cache.notices.setSince(loginTime) }
            return (since: since ?? loginTime, wanted: try cache.notices.wanted())
        }
        guard let left else { return false }
        since = left.since
        hasRead = true
        // A kill may have come before they were forgotten.
        hasUnsure = Notices.asksForPages(turn.context)
        enqueue(left.wanted)
        return true
    }

    // MARK: Messages

    /// What a fact about messages is here.
    enum Part: Equatable {
        case nothing
        /// It is stored.
        case stored
        /// The page that is under way may be older than it.
        case crossing
        /// Something may be missing before it: the page is asked for.
        case wanting
    }

    /// `isSettled`: it is known what came to the channel while away.
    func part(of fact: MessageFact, isSettled: Bool, _ context: Context) -> Part {
        guard context.options.notify != .none else { return .nothing }
        if asked[fact.channelURL] != nil { return .crossing }
        guard case .arrived(let message, let isInOrder) = fact.kind else { return .stored }
        // It will be in the page.
        if isWanted.contains(fact.channelURL) { return .nothing }
        if isInOrder, isSettled || !Notices.asksForPages(context) { return .stored }
        return message.senderID == context.options.userID ? .nothing : .wanting
    }

    /// Stores it, as a part of the transaction of who calls.
    func store(
        _ fact: MessageFact, _ part: Part, _ context: Context, _ cache: CacheStore
    ) throws(StoreError) {
        switch part {
        case .nothing: break
        case .crossing: try NoticeEdits(fact.channelURL, context, cache).apply(fact)
        case .stored: try take(fact, context, cache)
        case .wanting:
            var mark = try cache.notices.mark(fact.channelURL)
            mark.isWanted = true
            try cache.notices.set(mark, of: fact.channelURL)
        }
    }

    /// It is in the file.
    func stored(_ fact: MessageFact, _ part: Part, _ turn: inout Turn) {
        switch part {
        case .nothing, .stored: break
        case .crossing: asked[fact.channelURL]?.crossing.append(fact)
        case .wanting:
            enqueue([fact.channelURL])
            pump(&turn)
        }
    }

    private func take(_ fact: MessageFact, _ context: Context, _ cache: CacheStore) throws(StoreError) {
        guard case .arrived(let message, let isInOrder) = fact.kind else {
            return try NoticeEdits(fact.channelURL, context, cache).apply(fact)
        }
        var mark = try cache.notices.mark(fact.channelURL)
        // Else something may be missing before it. The page will have it.
        guard isInOrder, !mark.isWanted else { return }
        try add([message], of: fact.channelURL, &mark, context, cache)
        try cache.notices.set(mark, of: fact.channelURL)
    }

    /// Adds those behind the mark, and moves it.
    private func add(
        _ messages: [MessageRecord], of url: ChannelURL, _ mark: inout NoticeMark, _ context: Context,
        _ cache: CacheStore
    ) throws(StoreError) {
        let (rules, options) = (context.rules, context.options)
        for message in messages {
            if Notices.hasPlaces(context) {
                if let position = mark.position, message.position <= position { continue }
                mark.position = message.position
            }
            guard rules.isNotified(message, userID: options.userID, counting: context.counting) else { continue }
            let isMention = rules.mentions(options.userID, in: message.json)
            guard isMention || options.notify == .all, try cache.notices.notice(of: message.id, in: url) == nil
            else { continue }
            try cache.notices.add(
                StoredNotice(
                    channelURL: url, messageID: message.id, position: message.position, isMention: isMention,
                    missed: mark.missed, json: message.json),
                now: context.now.wall)
            mark.missed = MissedNotices()
            hasUntold = true
        }
    }

    /// A service that says where messages stand. The others' come by the stream, which goes on over sessions.
    private static func hasPlaces(_ context: Context) -> Bool { context.capabilities.placement == .given }

    private static func asksForPages(_ context: Context) -> Bool {
        hasPlaces(context) && context.capabilities.messageChanges != .inStream
    }

    // MARK: Channels

    /// What follows of a fact about channels.
    struct Channels {
        /// They are gone, or others are under their URLs: pages under way may be of those that were.
        var gone: [ChannelURL] = []
        /// Their pages have to be asked for.
        var wanting: [ChannelURL] = []
        /// They are gone as far as the change log has been read: its next page may have others under their URLs.
        var unsure: [ChannelURL] = []
    }

    /// Stores it, as a part of the transaction of who calls. `isSettled`: what happened while away is known.
    func store(
        _ fact: ChannelFact, _ replaced: [ChannelURL], isSettled: Bool, _ context: Context, _ cache: CacheStore
    ) throws(StoreError) -> Channels {
        guard context.options.notify != .none else { return Channels() }
        var channels = Channels(gone: replaced)
        if isSettled || !Notices.asksForPages(context) {
            channels.gone += fact.removed
        } else {
            channels.unsure = fact.removed
        }
        for url in fact.removed where channels.unsure.isEmpty { try cache.notices.forget(url) }
        for channel in fact.changed {
            if replaced.contains(channel.url) {
                if try replace(channel, context, cache) { channels.wanting.append(channel.url) }
                continue
            }
            if let start = Notices.start(of: channel, context) {
                try cache.notices.delete(before: start, in: channel.url)
            }
            guard let last = channel.lastMessage, let floor = floor(of: channel), last.position.order >= floor,
                Notices.asksForPages(context)
            else { continue }
            var mark = try cache.notices.mark(channel.url)
            if let position = mark.position, last.position <= position { continue }
            channels.wanting.append(channel.url)
            if mark.isWanted { continue }
            mark.isWanted = true
            try cache.notices.set(mark, of: channel.url)
        }
        return channels
    }

    /// Another channel is under the URL of one that is gone. Messages of it may have been told already, and must not be
    /// told by another number, so those and the mark stay. `true`: its page has to be asked for.
    private func replace(
        _ channel: ChannelRecord, _ context: Context, _ cache: CacheStore
    ) throws(StoreError) -> Bool {
        guard Notices.asksForPages(context) else {
            try cache.notices.forget(channel.url)
            return false
        }
        if let start = Notices.start(of: channel, context) { try cache.notices.delete(before: start, in: channel.url) }
        var mark = try cache.notices.mark(channel.url)
        mark.isWanted = true
        mark.missed = MissedNotices()
        try cache.notices.set(mark, of: channel.url)
        return true
    }

    /// From when on messages of a channel are told that did not come live; `nil`: not at all yet.
    private func floor(of channel: ChannelRecord?) -> Int64? {
        guard let since else { return nil }
        guard let channel else { return since }
        let membership = channel.membership
        return max(since, channel.messageOffset, membership.joinedAt > 0 ? membership.joinedAt : membership.invitedAt)
    }

    /// Before it no message belongs to a channel and this user: it may be another one than was known by its URL.
    private static func start(of channel: ChannelRecord, _ context: Context) -> Int64? {
        let start = hasPlaces(context) ? max(channel.createdAt, channel.messageOffset) : channel.messageOffset
        return start > 0 ? start : nil
    }

    /// It is in the file.
    func stored(_ channels: Channels, _ turn: inout Turn) {
        for url in channels.gone {
            asked[url] = nil
            if isWanted.remove(url) != nil { wanted.removeAll { $0 == url } }
        }
        for url in channels.wanting { asked[url]?.isLate = true }
        enqueue(channels.wanting.filter { asked[$0] == nil })
        for url in channels.unsure {
            hasUnsure = true
            // The page under way may be of the one that is gone.
            if asked.removeValue(forKey: url) != nil { enqueue([url]) }
        }
        pump(&turn)
    }

    /// Forgets channels that are gone, when what happened while away is known.
    private func forgetUnsure(_ turn: inout Turn) {
        let gone = turn.storage.committed { (cache) throws(StoreError) in
            let gone = try cache.notices.channelsNotCached()
            for url in gone { try cache.notices.forget(url) }
            return gone
        }
        guard let gone else { return }
        hasUnsure = false
        stored(Channels(gone: gone), &turn)
    }

    private func enqueue(_ urls: [ChannelURL]) { wanted += urls.filter { isWanted.insert($0).inserted } }

    /// Asks what can be asked now. Calling it once too often does no harm.
    func pump(_ turn: inout Turn) {
        guard turn.options.notify != .none, turn.isLoggedIn, !hasRead || !wanted.isEmpty else { return }
        guard gate.isOpen(at: turn.now.monotonic) else {
            return turn.add(.timer(.notices, at: gate.pausedUntil))
        }
        if !hasRead, !read(turn) {
            gate.fail(nil, at: turn.now.monotonic, turn.random)
            return turn.add(.timer(.notices, at: gate.pausedUntil))
        }
        while turn.canSync, asked.count < Notices.asksAtOnce, !wanted.isEmpty {
            let url = wanted.removeFirst()
            isWanted.remove(url)
            pages += 1
            asked[url] = Page(number: pages)
            turn.add(.ask(
                .notices(channelURL: url, number: pages),
                .messagesAround(channelURL: url, time: Int64.max, limit: Notices.pageSize)))
        }
    }

    /// The newest page of a channel, or why there is none.
    func receive(_ reply: ServiceReply, to number: UInt64, of url: ChannelURL, _ turn: inout Turn) {
        guard let under = asked[url], under.number == number else { return }
        asked[url] = nil
        switch reply {
        case .messages(let page) where under.crossing.count <= Notices.mostCrossing:
            guard store(page, of: url, under, &turn) else { return retry(url, nil, &turn) }
            gate.succeed()
            if under.isLate { enqueue([url]) }
        case .messages: enqueue([url])
        case .failure(let failure) where failure.kind == .notFound || failure.kind.isForGood:
            // The channel is gone, or not for this user any more.
            guard store(nil, of: url, under, &turn) else { return retry(url, nil, &turn) }
        case .failure(let failure): return retry(url, failure, &turn)
        default: return retry(url, nil, &turn)
        }
        pump(&turn)
    }

    private func retry(_ url: ChannelURL, _ failure: ServiceFailure?, _ turn: inout Turn) {
        enqueue([url])
        gate.fail(failure, at: turn.now.monotonic, turn.random)
        pump(&turn)
    }

    /// Takes in a page, and behind it what has come meanwhile. `nil`: the service has none.
    private func store(_ page: MessagePage?, of url: ChannelURL, _ under: Page, _ turn: inout Turn) -> Bool {
        let context = turn.context
        let done: Void? = turn.storage.committed { (cache) throws(StoreError) in
            var mark = try cache.notices.mark(url)
            mark.isWanted = under.isLate
            if let page, let floor = floor(of: try cache.channel(url)) {
                try NoticeEdits(url, context, cache).compare(with: page)
                mark.missed = try cache.notices.mark(url).missed
                let isWhole = page.reachedFirst
                    || page.messages.contains { $0.position.order < floor || $0.position <= mark.position ?? .first }
                if !isWhole, !page.messages.isEmpty { mark.missed.mayBeMore = true }
                try add(page.messages.filter { $0.position.order >= floor }, of: url, &mark, context, cache)
            }
            try cache.notices.set(mark, of: url)
            for fact in under.crossing { try take(fact, context, cache) }
        }
        return done != nil
    }

    // MARK: The host

    /// Behind every input: tells what the host has room for. `isSettled`: what happened while away is known.
    func tell(isSettled: Bool, _ turn: inout Turn) {
        if hasUnsure, isSettled, turn.isLoggedIn { forgetUnsure(&turn) }
        let (last, room) = (cursor, turn.options.noticesAtOnce - inQueue)
        guard turn.options.notify != .none, hasUntold, room > 0 else { return }
        let next = turn.storage.cached { (cache) throws(StoreError) in
            try cache.notices.notices(after: last, limit: room)
        }
        // What cannot be read now is told behind a later input.
        guard let next else { return }
        hasUntold = !next.isEmpty
        for notice in next {
            cursor = notice.id
            inQueue += 1
            turn.tell(.messageReceived(ReceivedMessage(
                id: notice.id, channelURL: notice.channelURL,
                channel: turn.storage.channel(notice.channelURL).map { turn.shown($0).json }, json: notice.json,
                isMention: notice.isMention, missed: notice.missed)))
        }
    }

    /// The host has taken so many of the events.
    func drained(_ count: Int) { inQueue = max(0, inQueue - count) }

    /// The host has lost events: what it has not acknowledged is told once more.
    func tellAgain() {
        cursor = 0
        hasUntold = true
    }

    /// The host is done with all up to a number.
    func acknowledge(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        let id = action.integer("id") ?? 0
        let isKnown = turn.storage.committed { (cache) throws(StoreError) in
            guard try id <= cache.notices.lastID() else { return false }
            try cache.notices.acknowledge(through: id)
            return true
        }
        guard let isKnown else { return ServiceActions.done(action, call, .storage, &turn) }
        let explanation = isKnown ? nil : "id: no message was told by it"
        ServiceActions.done(action, call, isKnown ? .ok : .notFound, explanation: explanation, &turn)
    }
}
