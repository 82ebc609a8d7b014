import SyncModel
import SyncStore

/// Tells the host of messages of others, also of channels that no collection shows, until it acknowledges them.
///
/// The problem. A message that came while the host was away must be told later, and a message that was acknowledged
/// must not be told again, whatever happens in between: a lost connection, a kill, a full disk.
///
/// The rules.
/// - Each channel has a mark: its messages up to there have been examined, whether they were told or not. The mark is
///   moved in the transaction that stores what is to be told, and never past messages that are not known.
/// - So a live message moves the mark only when nothing can be missing before it. Otherwise, and whenever a channel
///   says that its last message is newer than the mark, the newest page of the channel is asked for; live messages that
///   come meanwhile are taken in after the page. That a page is wanted is stored in the channel's row, so that a kill
///   in between loses nothing.
/// - A channel may be deleted and made again under its URL while the client is offline, and messages of the new one may
///   be told before the change log says so. So stored messages stay until the log is read, or until the new channel is
///   known: then messages older than the new channel are removed.
/// - Only messages that can be the last message of a channel are told: so a channel's last message shows whether any of
///   them was missed.
/// - Messages that wait are in the file, in the order of their ids, and are told from there, a limited number at a
///   time; the host gets more when it has drained some. When a process starts, and when the host has lost events,
///   telling begins again with the first of them.
final class Notices: Machine {
    /// Messages of a page: the most that is told of a channel's messages that came while the client was offline.
    static let pageSize = NoticeStore.channelLimit
    /// Pages that are asked for at the same time; few, so that requests of hosts need not wait for them.
    private static let asksAtOnce = 2
    /// The most facts that may come while a page is under way; with more, the page is asked for again.
    private static let mostCrossing = 500

    /// A page that is under way.
    private struct Page {
        let number: UInt64
        /// Facts that came meanwhile, in order.
        var crossing: [MessageFact] = []
        /// The channel told of a newer message meanwhile, and the page may have been made before that message came.
        var isLate = false
    }

    /// Older messages are not told, except live ones; `nil`: there was no login with `notify` yet.
    private var since: Int64?
    private var asked: [ChannelURL: Page] = [:]
    /// The number of the last page that was asked for.
    private var pages: UInt64 = 0
    /// Channels whose page is to be asked for, first come first served.
    private var wanted: [ChannelURL] = []
    private var isWanted: Set<ChannelURL> = []
    /// The channels that earlier sessions left to be asked for have been read from the file.
    private var hasRead = false
    private var gate = RetryGate()
    /// The file has messages of channels that are not cached. They are forgotten once it is known that these channels
    /// are gone.
    private var hasUnsure = false
    /// The id of the last message that was told.
    private var cursor: Int64 = 0
    /// The file may have messages behind the cursor.
    private var hasUntold = true
    /// Events that the host has not drained yet.
    private var inQueue = 0

    /// A request for a page is in flight.
    var isBusy: Bool { !asked.isEmpty }

    // MARK: Life

    /// The process begins. Messages that this configuration does not tell are forgotten: otherwise a later
    /// configuration would tell all that came meanwhile.
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

    /// A session begins: reads what earlier sessions left to be asked for. At the first login with `notify`, no older
    /// message is told. `false` when the file cannot be read or written.
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
        // A kill may have prevented forgetting them.
        hasUnsure = Notices.asksForPages(turn.context)
        enqueue(left.wanted)
        return true
    }

    // MARK: Messages

    /// What is done with a fact about messages.
    enum Part: Equatable {
        case nothing
        /// The fact is applied to the file.
        case stored
        /// A page is under way that may be older than the fact, so the fact is applied again after the page.
        case crossing
        /// Something may be missing before the message, so the page is asked for.
        case wanting
    }

    /// `isSettled`: it is known what happened in the channel while the client was offline.
    func part(of fact: MessageFact, isSettled: Bool, _ context: Context) -> Part {
        guard context.options.notify != .none else { return .nothing }
        if asked[fact.channelURL] != nil { return .crossing }
        guard case .arrived(let message, let isInOrder) = fact.kind else { return .stored }
        // The page that will be asked for has this message.
        if isWanted.contains(fact.channelURL) { return .nothing }
        if isInOrder, isSettled || !Notices.asksForPages(context) { return .stored }
        return message.senderID == context.options.userID ? .nothing : .wanting
    }

    /// Stores the fact; called inside the caller's transaction.
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

    /// The fact is stored: does what follows in memory.
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
        // Otherwise something may be missing before the message, and the page will have it.
        guard isInOrder, !mark.isWanted else { return }
        try add([message], of: fact.channelURL, &mark, context, cache)
        try cache.notices.set(mark, of: fact.channelURL)
    }

    /// Adds the messages that stand behind the mark, and moves the mark.
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

    /// Whether the service says where messages stand. Otherwise messages come by the stream, which goes on over
    /// sessions.
    private static func hasPlaces(_ context: Context) -> Bool { context.capabilities.placement == .given }

    private static func asksForPages(_ context: Context) -> Bool {
        hasPlaces(context) && context.capabilities.messageChanges != .inStream
    }

    // MARK: Channels

    /// What follows from a fact about channels.
    struct Channels {
        /// These channels are gone, or another channel has their URL: a page under way may belong to the old one.
        var gone: [ChannelURL] = []
        /// Channels whose page has to be asked for.
        var wanting: [ChannelURL] = []
        /// These channels are gone as far as the change log has been read; its next page may have new channels with
        /// their URLs.
        var unsure: [ChannelURL] = []
    }

    /// Stores the fact; called inside the caller's transaction. `isSettled`: what happened while the client was offline
    /// is known.
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

    /// Another channel has the URL of one that is gone. Some of its messages may have been told already, and must not
    /// be told again under another id, so these and the mark stay. `true`: the channel's page has to be asked for.
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

    /// The time from which messages of a channel are told that did not come live; `nil`: none are told yet.
    private func floor(of channel: ChannelRecord?) -> Int64? {
        guard let since else { return nil }
        guard let channel else { return since }
        let membership = channel.membership
        return max(since, channel.messageOffset, membership.joinedAt > 0 ? membership.joinedAt : membership.invitedAt)
    }

    /// Messages before this time do not belong to the channel as this user sees it: they may be of an earlier channel
    /// with the same URL.
    private static func start(of channel: ChannelRecord, _ context: Context) -> Int64? {
        let start = hasPlaces(context) ? max(channel.createdAt, channel.messageOffset) : channel.messageOffset
        return start > 0 ? start : nil
    }

    /// The channels are stored: does what follows in memory.
    func stored(_ channels: Channels, _ turn: inout Turn) {
        for url in channels.gone {
            asked[url] = nil
            if isWanted.remove(url) != nil { wanted.removeAll { $0 == url } }
        }
        for url in channels.wanting { asked[url]?.isLate = true }
        enqueue(channels.wanting.filter { asked[$0] == nil })
        for url in channels.unsure {
            hasUnsure = true
            // The page under way may belong to the channel that is gone.
            if asked.removeValue(forKey: url) != nil { enqueue([url]) }
        }
        pump(&turn)
    }

    /// Forgets channels that are gone, once it is known what happened while the client was offline.
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

    /// Asks for whatever can be asked for now. An unnecessary call does no harm.
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

    /// The newest page of a channel, or the failure of its request.
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
            // The channel is gone, or this user may not see it any more.
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

    /// Takes in a page, and then the facts that came while it was under way. `nil`: the service has no page.
    private func store(_ page: MessagePage?, of url: ChannelURL, _ under: Page, _ turn: inout Turn) -> Bool {
        let context = turn.context
        let done: Void? = turn.storage.committed { (cache) throws(StoreError) in
            var mark = try cache.notices.mark(url)
            mark.isWanted = under.isLate
            if let page, let floor = floor(of: try cache.channels.channel(url)) {
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

    /// Called after every input: tells as many messages as the host has room for. `isSettled`: what happened while the
    /// client was offline is known.
    func tell(isSettled: Bool, _ turn: inout Turn) {
        if hasUnsure, isSettled, turn.isLoggedIn { forgetUnsure(&turn) }
        let (last, room) = (cursor, turn.options.noticesAtOnce - inQueue)
        guard turn.options.notify != .none, hasUntold, room > 0 else { return }
        let next = turn.storage.cached { (cache) throws(StoreError) in
            try cache.notices.notices(after: last, limit: room)
        }
        // If the file cannot be read now, a later input tries again.
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

    /// The host has drained this many of the events.
    func drained(_ count: Int) { inQueue = max(0, inQueue - count) }

    /// The host has lost events: every message that it has not acknowledged is told once more.
    func tellAgain() {
        cursor = 0
        hasUntold = true
    }

    /// The host has handled all messages up to an id.
    func acknowledge(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        let id = action.integer("id") ?? 0
        let last = turn.storage.committed { (cache) throws(StoreError) in
            let last = try cache.notices.lastID()
            if id <= last { try cache.notices.acknowledge(through: id) }
            return last
        }
        guard let last else { return ServiceActions.done(action, call, .storage, &turn) }
        let explanation = id <= last ? nil : "id: the largest of an event so far is \(last), not \(id)"
        ServiceActions.done(action, call, id <= last ? .ok : .notFound, explanation: explanation, &turn)
    }
}
