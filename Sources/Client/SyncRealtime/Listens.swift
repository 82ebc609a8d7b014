import SyncModel
import SyncTree

/// What the host listens to, and the event streams of the service by which it is told.
///
/// The shown value of a place is the one that the service's stream has told, with the writes on top that the stream may
/// not have told yet. Only streams change the copy of the service's value: an answer to a write comes by another
/// connection, in any order, so an answer in the copy could replace a newer value by an older one.
struct Listens {
    /// What an event of a stream says.
    struct Heard: Equatable {
        let feed: UInt64
        /// The places whose values it has told; `nil` when it has told none.
        var places: [TreePath]?
        /// It is the first event of the stream, with the whole value.
        var isWhole = false
        /// The listen ends: the service refuses it, or the value is too large.
        var ending: DatabaseFailure?
    }

    /// A value that a stream has told, which is to be kept.
    struct Told: Equatable {
        let feed: UInt64
        let place: KeptPlace
        let node: TreeNode
    }

    /// A value with at least this many bytes is told once for all changes that came together.
    private static let largeValue = 256 << 10

    private(set) var feeds = FeedTable()
    private(set) var all = ListenTable()
    private var lastFeed: UInt64 = 0
    /// Listens with large values that have changed since they were told. Each is told once for all changes that came
    /// together: while an output holds a value, the next change has to copy its list of children.
    private var untold: Set<UInt64> = []
    private var unkept: [Told] = []
    /// How many writes have been applied so far to compute values, for tests.
    private(set) var laid = 0

    // MARK: The host

    /// Listens to a place; gives the listen's number.
    ///
    /// - Parameter kept: the value that an earlier run has kept, which is asked for when no stream has one.
    mutating func add(
        _ location: DatabaseLocation, _ writes: PendingWrites, _ turn: inout DatabaseTurn, kept: () -> TreeNode?
    ) -> UInt64 {
        let id = turn.nextNumber()
        let wider = feeds.ordered.first { $0.covers(location) }
        let kept = wider?.server == nil ? kept() : nil
        let feed = wider?.id ?? makeFeed(location, server: kept)
        all[id] = Listen(id: id, location: location, feed: feed, kept: kept)
        tell(id, writes, &turn)
        connect(&turn)
        tellUnheard(feed, &turn)
        return id
    }

    /// Ends a listen; gives the feed that it has used.
    mutating func remove(_ id: UInt64) -> UInt64? { all.remove(id)?.feed }

    /// Ends all listens. The values that streams have told stay known.
    mutating func removeAll() { all = ListenTable() }

    private mutating func makeFeed(_ location: DatabaseLocation, server: TreeNode?) -> UInt64 {
        lastFeed &+= 1
        feeds[lastFeed] = Feed(id: lastFeed, location: location, server: server)
        return lastFeed
    }

    /// Ends a feed that no listen to its place uses any more. Listens to places within it get feeds of their own, which
    /// go on from the value that it has told.
    ///
    /// - Returns: the feeds that go on; `nil` when the feed is still used. The caller then tells their values by
    ///   `tell`.
    mutating func release(_ id: UInt64, _ writes: PendingWrites, _ turn: inout DatabaseTurn) -> [UInt64]? {
        let left = all.users(of: id)
        guard let feed = feeds[id], !left.contains(where: { $0.location == feed.location }) else { return nil }
        keepValue(of: id, writes)
        feeds[id]?.isCurrent = false
        keepValues(within: id, turn.now)
        feeds[id] = nil
        if let stream = feed.stream { turn.output(.transport(.closeStream(stream))) }
        var made: [UInt64] = []
        for listen in left.sorted(by: { ($0.location.path.keys.count, $0.id) < ($1.location.path.keys.count, $1.id) }) {
            if let wider = made.first(where: { feeds[$0]?.covers(listen.location) == true }) {
                all[listen.id]?.feed = wider
                continue
            }
            let server = feed.server?[feed.location.path.relative(listen.location.path)]
            let new = makeFeed(listen.location, server: server ?? listen.kept)
            all[listen.id]?.feed = new
            made.append(new)
        }
        return made
    }

    /// Ends the listens to a feed's own place; gives them. Listens to places within may still be allowed.
    mutating func end(_ feed: UInt64) -> (place: KeptPlace, listens: [UInt64])? {
        guard let location = feeds[feed]?.location else { return nil }
        feeds[feed]?.unkeptSince = nil
        let ended = all.users(of: feed).filter { $0.location == location }.map(\.id)
        for id in ended { all[id] = nil }
        return (KeptPlace(location), ended)
    }

    /// The host has signed out: nothing is known any more.
    mutating func signOut(_ turn: inout DatabaseTurn) {
        for feed in feeds.ordered { if let stream = feed.stream { turn.output(.transport(.closeStream(stream))) } }
        for id in all.ids { turn.output(.listenEnded(listen: id, .signedOut)) }
        (feeds, all) = (FeedTable(), ListenTable())
    }

    // MARK: Streams

    /// Opens the streams that are due.
    mutating func connect(_ turn: inout DatabaseTurn) {
        guard turn.access.mayAsk, !feeds.closed.isEmpty else { return }
        for id in feeds.closed.sorted() {
            guard var feed = feeds[id], case .closed = feed.connection, feed.gate.isOpen(at: turn.now.monotonic)
            else { continue }
            let stream = turn.nextNumber()
            feed.connection = .opening(stream: stream)
            feed.parser = EventStreamParser()
            feeds[id] = feed
            let request = turn.access.request("GET", feed.location, accept: "text/event-stream")
            turn.output(.transport(.openStream(stream, request)))
        }
    }

    /// There is a network again: pauses of streams end.
    mutating func reconnect(_ turn: inout DatabaseTurn) {
        for id in feeds.ids { feeds[id]?.gate.succeed() }
        connect(&turn)
    }

    /// Ends a feed's stream; it is opened again when it is needed.
    mutating func close(_ id: UInt64, _ writes: PendingWrites, _ turn: inout DatabaseTurn) {
        guard let stream = feeds[id]?.stream else { return }
        turn.output(.transport(.closeStream(stream)))
        disconnect(id)
        hearsNoMore(id, writes, &turn)
    }

    mutating func opened(_ stream: UInt64, _ turn: inout DatabaseTurn) {
        guard let id = feeds.feed(of: stream) else { return }
        feeds[id]?.connection = .open(stream: stream, heardAt: turn.now.monotonic)
        turn.access.reached()
    }

    /// A stream is not opened. Gives the feed when the service refuses it for good.
    mutating func refused(
        _ stream: UInt64, _ response: TransportResponse, _ writes: PendingWrites, _ turn: inout DatabaseTurn
    ) -> (feed: UInt64, failure: DatabaseFailure)? {
        guard let id = feeds.feed(of: stream) else { return nil }
        feeds[id]?.connection = .closed
        switch turn.access.judge(response) {
        case .redirected: connect(&turn)
        case .tokenRejected: turn.needToken()
        case .refused(let failure): return (id, failure)
        case .ill, .done: lost(id, response, writes, &turn)
        }
        return nil
    }

    mutating func lost(_ stream: UInt64, _ writes: PendingWrites, _ turn: inout DatabaseTurn) {
        guard let id = feeds.feed(of: stream) else { return }
        disconnect(id)
        lost(id, nil, writes, &turn)
    }

    private mutating func lost(
        _ id: UInt64, _ response: TransportResponse?, _ writes: PendingWrites, _ turn: inout DatabaseTurn
    ) {
        feeds[id]?.gate.fail(DatabaseAccess.retryAfter(response), at: turn.now.monotonic, turn.random)
        turn.access.returnToStart()
        hearsNoMore(id, writes, &turn)
        tellUnheard(id, &turn)
    }

    /// Closes a stream that has been silent for too long, or that sends something which cannot be taken. The stream is
    /// opened again later.
    private mutating func giveUp(_ stream: UInt64, _ writes: PendingWrites, _ turn: inout DatabaseTurn) {
        turn.output(.transport(.closeStream(stream)))
        lost(stream, writes, &turn)
    }

    /// Drops the part of an event that is not complete.
    private mutating func disconnect(_ id: UInt64) {
        feeds[id]?.connection = .closed
        feeds[id]?.parser = EventStreamParser()
    }

    private mutating func hearsNoMore(_ id: UInt64, _ writes: PendingWrites, _ turn: inout DatabaseTurn) {
        feeds[id]?.isCurrent = false
        keepValue(of: id, writes)
        keepValues(within: id, turn.now)
        tell(feed: id, writes, &turn)
    }

    // MARK: Events

    /// The events that are complete with these bytes. Each is taken by `take`, and after the last one `checkRoom` looks
    /// at what is left.
    mutating func frames(
        _ stream: UInt64, _ bytes: [UInt8], _ writes: PendingWrites, _ turn: inout DatabaseTurn
    ) -> [EventStreamParser.Frame] {
        guard let id = feeds.feed(of: stream) else { return [] }
        feeds[id]?.connection = .open(stream: stream, heardAt: turn.now.monotonic)
        do throws(EventStreamParser.TooLong) {
            return try feeds[id]?.parser.feed(bytes) ?? []
        } catch {
            giveUp(stream, writes, &turn)
            return []
        }
    }

    /// Takes one event; `nil` when the stream is not this feed's any more.
    mutating func take(
        _ frame: EventStreamParser.Frame, of stream: UInt64, _ writes: PendingWrites, _ turn: inout DatabaseTurn
    ) -> Heard? {
        guard let id = feeds.feed(of: stream) else { return nil }
        var heard = Heard(feed: id)
        var size = 0
        do throws(TreeError) {
            let event = try StreamEvent(frame)
            size = event?.bytes ?? 0
            switch event {
            case nil, .keepAlive: break
            case .put(let path, let node):
                // Until the whole value has come, a change of a part is ignored.
                if path.isRoot || feeds[id]?.isCurrent == true {
                    change([TreeWrite(path: path, node: node)], &heard, turn.now)
                }
            case .patch(let changes): if feeds[id]?.isCurrent == true { change(changes, &heard, turn.now) }
            case .cancelled(let reason): heard.ending = DatabaseFailure(status: 401, message: reason)
            case .revoked:
                close(id, writes, &turn)
                turn.needToken()
            }
        } catch where error.reason == .size {
            heard.ending = .tooLarge(turn.options.valueLimit)
        } catch {
            // An event that cannot be read may have changed anything, so the whole value has to be told again.
            giveUp(stream, writes, &turn)
            return nil
        }
        if heard.ending == nil { heard.ending = excess(id, grownBy: size, turn.options.valueLimit) }
        return heard
    }

    private mutating func change(_ changes: [TreeWrite], _ heard: inout Heard, _ now: Moment) {
        // Held here alone, the value is changed without a copy of it.
        guard var feed = feeds.remove(heard.feed) else { return }
        var node = feed.server ?? .empty
        feed.server = nil
        for change in changes { node.set(change.path, change.node) }
        feed.server = node
        heard.isWhole = !feed.isCurrent
        heard.places = changes.map { feed.location.path + $0.path }
        feed.isCurrent = true
        feed.gate.succeed()
        if feed.unkeptSince == nil { feed.unkeptSince = now.monotonic }
        feeds[feed.id] = feed
    }

    /// A value may be as large as an answer. A listen ends when the value of its place grows beyond that.
    private mutating func excess(_ id: UInt64, grownBy bytes: Int, _ limit: Int) -> DatabaseFailure? {
        guard let size = feeds[id]?.size else { return nil }
        feeds[id]?.size = size + bytes
        guard size + bytes > limit else { return nil }
        let exact = feeds[id]?.server?.bytes ?? 0
        feeds[id]?.size = exact
        return exact > limit ? .tooLarge(limit) : nil
    }

    /// The incomplete events of all streams together may take as many bytes as all answers together: beyond that, this
    /// stream is closed, and opened again later.
    mutating func checkRoom(_ stream: UInt64, _ writes: PendingWrites, _ turn: inout DatabaseTurn) {
        guard let id = feeds.feed(of: stream), let held = feeds[id]?.parser.heldBytes, held > 1 << 20 else { return }
        let all = feeds.values.reduce(0) { $0 + $1.parser.heldBytes }
        if all > TransportRequest.answersLimit { giveUp(stream, writes, &turn) }
    }

    // MARK: Time

    /// When there is something to do without an input, by the monotonic clock.
    func nextDeadline(_ turn: DatabaseTurn) -> Int64? {
        var next: Int64?
        for feed in feeds.values {
            switch feed.connection {
            case .closed: if turn.access.mayAsk { next = Moment.earlier(next, feed.gate.pausedUntil) }
            case .opening: break
            case .open(_, let heardAt): next = Moment.earlier(next, heardAt + turn.options.silence)
            }
            next = Moment.earlier(next, feed.unkeptSince.map { $0 + turn.options.keeping })
        }
        return next
    }

    /// Ends streams that have been silent for too long, and gives values to keep that have waited long enough.
    mutating func advance(_ writes: PendingWrites, _ turn: inout DatabaseTurn) {
        for id in feeds.ids {
            guard let feed = feeds[id] else { continue }
            if let since = feed.unkeptSince, since + turn.options.keeping <= turn.now.monotonic {
                keepValue(of: id, writes)
            }
            guard case .open(let stream, let heardAt) = feed.connection,
                heardAt + turn.options.silence <= turn.now.heard
            else { continue }
            giveUp(stream, writes, &turn)
        }
    }

    // MARK: Keeping

    /// Gives `store` the values that are to be kept since the last time. When `store` says that one could not be kept,
    /// that value is tried again after the same time.
    mutating func keepValues(_ now: Moment, _ store: (Told) -> Bool) {
        let told = unkept
        unkept = []
        for told in told where !store(told) { feeds[told.feed]?.unkeptSince = now.monotonic }
    }

    /// Gives all values to keep that are not kept yet.
    mutating func keepValues(_ writes: PendingWrites) {
        for id in feeds.ids { keepValue(of: id, writes) }
    }

    /// The service has accepted a write: the values that it changes are kept with it.
    mutating func keepValues(with write: PendingWrite, _ writes: PendingWrites, _ now: Moment) {
        for id in feeds.ids where feeds[id].map({ write.touches($0.location.path) }) == true {
            feeds[id]?.unkeptSince = now.monotonic
            keepValue(of: id, writes)
        }
    }

    /// A write is forgotten. The value was kept with the write on top; without it, it may be another one.
    mutating func keepValues(without write: PendingWrite, _ now: Moment) {
        for feed in feeds.values where feed.server != nil && feed.location.path.touches(write.record.path) {
            feeds[feed.id]?.unkeptSince = feed.unkeptSince ?? now.monotonic
        }
    }

    /// A wider stream has ended: the feeds within it are kept by themselves from now on.
    private mutating func keepValues(within id: UInt64, _ now: Moment) {
        guard let wider = feeds[id] else { return }
        for feed in feeds.values where feed.id != id && feed.isCurrent && wider.spans(feed.location) {
            feeds[feed.id]?.unkeptSince = feed.unkeptSince ?? now.monotonic
        }
    }

    /// The value that a feed's stream has told is to be kept, with the writes that the service has accepted since; all
    /// other writes are kept in the queue.
    private mutating func keepValue(of id: UInt64, _ writes: PendingWrites) {
        guard let feed = feeds[id], feed.unkeptSince != nil else { return }
        feeds[id]?.unkeptSince = nil
        // A place within a wider stream is kept with that stream's value, since it is not known which of the two is
        // newer.
        let isPart = feeds.values.contains { $0.isCurrent && $0.location != feed.location && $0.spans(feed.location) }
        guard !isPart, let node = feed.view(feed.location, writes.accepted, laid: &laid) else { return }
        unkept.append(Told(feed: id, place: KeptPlace(feed.location), node: node))
    }

    // MARK: Telling

    /// Tells the values of the listens of some feeds.
    mutating func tell(feeds ids: [UInt64], _ writes: PendingWrites, _ turn: inout DatabaseTurn) {
        for id in ids { tell(feed: id, writes, &turn) }
    }

    private mutating func tell(feed id: UInt64, _ writes: PendingWrites, _ turn: inout DatabaseTurn) {
        for listen in all.users(of: id) { tell(listen.id, writes, &turn) }
    }

    /// Tells the host the value of a listen, if it differs from what the host was told.
    private mutating func tell(_ id: UInt64, _ writes: PendingWrites, _ turn: inout DatabaseTurn) {
        guard var listen = all[id], let feed = feeds[listen.feed],
            let node = feed.view(listen.location, writes, kept: listen.kept, laid: &laid)
        else { return }
        if let told = listen.told, told.node == node, told.isCurrent == feed.isCurrent { return }
        listen.told = (node, feed.isCurrent)
        all[id] = listen
        output(listen, &turn)
    }

    /// Tells the listens of a feed that has no stream, and no value of the service yet, that it is not reached.
    mutating func tellUnheard(_ id: UInt64, _ turn: inout DatabaseTurn) {
        guard case .closed? = feeds[id]?.connection else { return }
        for listen in all.users(of: id) where listen.told?.isCurrent != true {
            // A large value that waits to be told comes first.
            if untold.remove(listen.id) != nil, let told = listen.told {
                turn.output(.value(listen: listen.id, told.node, isCurrent: told.isCurrent))
            }
            turn.output(.unheard(listen: listen.id))
        }
    }

    /// Tells every listen whose value may have changed at these places. Only the value at these places is computed
    /// again; otherwise, with many writes waiting, each change would put all of them on top of the value.
    mutating func tell(changedAt places: [TreePath], _ writes: PendingWrites, _ turn: inout DatabaseTurn) {
        for id in all.ids {
            guard let location = all[id]?.location, places.contains(where: { location.path.touches($0) }) else {
                continue
            }
            guard let parts = parts(of: id, at: places, writes) else {
                tell(id, writes, &turn)
                continue
            }
            // Held here alone, the value is changed without a copy of it.
            guard var listen = all.remove(id) else { continue }
            var isOther = false
            for part in parts where listen.told?.node[part.path] != part.node {
                listen.told?.node.set(part.path, part.node)
                isOther = true
            }
            all[id] = listen
            if isOther { output(listen, &turn) }
        }
    }

    /// The values at these places within a listen, by paths from its place; `nil` when the whole value has to be
    /// computed again.
    private mutating func parts(of id: UInt64, at places: [TreePath], _ writes: PendingWrites) -> [TreeWrite]? {
        guard let listen = all[id], let feed = feeds[listen.feed] else { return nil }
        return listen.parts(at: places, feed, writes, laid: &laid)
    }

    /// Tells a listen's value, a large one with the next `takeUntold`.
    private mutating func output(_ listen: Listen, _ turn: inout DatabaseTurn) {
        guard let told = listen.told else { return }
        if told.node.estimatedBytes >= Listens.largeValue {
            untold.insert(listen.id)
        } else {
            untold.remove(listen.id)
            turn.output(.value(listen: listen.id, told.node, isCurrent: told.isCurrent))
        }
    }

    /// Takes the large values that have changed since the last time.
    mutating func takeUntold() -> [DatabaseOutput] {
        defer { untold = [] }
        return untold.sorted().compactMap { id in
            all[id]?.told.map { .value(listen: id, $0.node, isCurrent: $0.isCurrent) }
        }
    }

    // MARK: What is known

    /// The value of a location as streams have told it, with own writes; with `isCurrent` only from streams that are
    /// open and have told their whole value.
    mutating func view(_ location: DatabaseLocation, isCurrent: Bool, _ writes: PendingWrites) -> TreeNode? {
        let telling = feeds.ordered.filter { $0.isCurrent || !isCurrent }
        for feed in telling where feed.covers(location) {
            if let view = feed.view(location, writes, laid: &laid) { return view }
        }
        guard let query = location.query else { return nil }
        // When the whole place is known, so are the children of a query.
        let whole = DatabaseLocation(location.path)
        for feed in telling where feed.covers(whole) {
            if let view = feed.view(whole, writes, laid: &laid) { return query.tree.window(of: view) }
        }
        return nil
    }
}
