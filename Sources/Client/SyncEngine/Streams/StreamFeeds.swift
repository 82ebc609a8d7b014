import SyncModel
import SyncStreams

/// The streams of a client, and the collections that feed them.
///
/// What the engine tells of those collections goes here instead of to the host. What they need is asked with the
/// commands a host would use, between two inputs (`takeCommands`), so that no list is asked for anything while what it
/// told is still on its way.
struct StreamFeeds {
    private var streams = Streams()
    private var feeds: [UInt64: StreamFeed] = [:]
    private var databaseFeeds: [UInt64: DatabaseFeed] = [:]
    private var commands: [HostCommand] = []

    func whole(_ id: UInt64) -> StreamBatch? { streams.whole(id) }

    mutating func takeCommands() -> [HostCommand] {
        defer { commands = [] }
        return commands
    }

    // MARK: Host

    mutating func open(
        _ id: UInt64, _ spec: StreamSpec, _ function: (any RowFunction)?, _ turn: inout Turn
    ) {
        streams.open(id, spec, function, now: turn.now.monotonic)
        carryOut(&turn)
    }

    mutating func close(_ id: UInt64, _ turn: inout Turn) {
        streams.close(id)
        carryOut(&turn)
    }

    mutating func handle(
        _ request: StreamRequest, of id: UInt64, call: CallID, _ turn: inout Turn
    ) {
        streams.handle(request, of: id, call: call, now: turn.now.monotonic)
        // The longest that all pages together may take; each has its own patience besides.
        if streams.stream(fetching: call) == id { turn.add(.timer(.fetch(call: call), at: turn.fetchDeadline)) }
        carryOut(&turn)
    }

    /// The host waits no longer for more rows of a stream. Gives the call to a collection that is to end in its stead;
    /// what comes of that ends the host's.
    mutating func endFetch(
        _ call: CallID, _ status: Status, _ turn: inout Turn
    ) -> (isFound: Bool, asked: CallID?) {
        guard let id = streams.stream(fetching: call) else { return (false, nil) }
        if let input = databaseFeeds[id]?.endFetch(status) {
            self.feed(id, [input], &turn)
            return (true, nil)
        }
        guard let feed = feeds[id] else { return (false, nil) }
        if feed.isFetchingMore { return (true, feed.call) }
        guard let input = feeds[id]?.endWaitingFetch(status) else { return (false, nil) }
        streams.feed(id, input, now: turn.now.monotonic)
        carryOut(&turn)
        return (true, nil)
    }

    func resync(_ id: UInt64, dropped: Int, _ turn: inout Turn) {
        guard let whole = streams.whole(id) else { return }
        turn.tell(.host(id), .overflow(dropped: dropped))
        turn.tell(.host(id), .stream(.batch(whole)))
    }

    mutating func end(_ turn: inout Turn) {
        streams.end()
        carryOut(&turn)
        feeds = [:]
        databaseFeeds = [:]
        commands = []
    }

    // MARK: Sources

    /// The stream that an event feeds; `nil`: it is the host's.
    static func stream(of event: HostEvent) -> UInt64? {
        switch event {
        case .change(let change): change.collection.stream
        case .collection(let collection, _): collection.stream
        case .client(.database(.value(let listen, _, _))), .client(.database(.listenEnded(let listen, _))):
            listen.stream
        case .client: nil
        }
    }

    mutating func take(_ event: HostEvent, of id: UInt64, _ turn: inout Turn) {
        switch event {
        case .change(let change): take(change, of: id, &turn)
        case .collection(_, .hugeGap): commands += feeds[id]?.gapOpened() ?? []
        case .client(.database(.value(let listen, let node, let isCurrent))):
            let (inputs, more) = databaseFeeds[id]?.take(listen, node, isCurrent: isCurrent) ?? ([], [])
            commands += more
            feed(id, inputs, &turn)
        case .client(.database(.listenEnded(let listen, let failure))):
            feed(id, databaseFeeds[id]?.take(listen, ended: failure) ?? [], &turn)
        case .collection, .client: break
        }
    }

    /// The database is not reached, and has told a stream's listen nothing.
    mutating func takeUnheard(_ listen: CallID, _ turn: inout Turn) {
        guard let id = listen.stream, let (input, more) = databaseFeeds[id]?.takeUnheard(listen) else { return }
        commands += more
        feed(id, [input], &turn)
    }

    private mutating func feed(
        _ id: UInt64, _ inputs: [StreamInput], _ turn: inout Turn
    ) {
        for input in inputs { streams.feed(id, input, now: turn.now.monotonic) }
        carryOut(&turn)
    }

    private mutating func take(
        _ change: CollectionChange, of id: UInt64, _ turn: inout Turn
    ) {
        guard let input = feeds[id]?.take(change) else { return }
        // What was emptied can be had again, but for the messages of a channel that is gone.
        let isGone = change.list == .succeeded && change.info?.hasPrevious == false
        if change.action == .clear, change.cause.source != .viewpointReset, !isGone {
            commands += feeds[id]?.reload() ?? []
        }
        streams.feed(id, input, now: turn.now.monotonic)
        carryOut(&turn)
    }

    mutating func take(_ completion: Completion, of id: UInt64, _ turn: inout Turn) {
        guard let (input, more) = feeds[id]?.take(completion) else { return }
        commands += more
        guard let input else { return }
        streams.feed(id, input, now: turn.now.monotonic)
        carryOut(&turn)
    }

    mutating func syncResumed() {
        for id in feeds.keys.sorted() { commands += feeds[id]?.syncResumed() ?? [] }
    }

    // MARK: Time

    mutating func advance(_ turn: inout Turn) {
        streams.advance(now: turn.now.monotonic)
        carryOut(&turn)
    }

    private mutating func carryOut(_ turn: inout Turn) {
        for effect in streams.takeEffects() {
            switch effect {
            case .batch(let id, let batch, let delivery):
                for notice in batch.notices(delivery) { turn.tell(.host(id), .stream(notice)) }
            case .loaded(let id, let failure): turn.tell(.host(id), .stream(.loaded(failure)))
            case .open(let id, .database(let call), _):
                // What cannot be asked for the border has refused.
                guard case .listen(let location)? = (try? DatabaseRequest(call))?.operation else { break }
                let feed = DatabaseFeed(id, location, streams.spec(id))
                commands += feed.open()
                databaseFeeds[id] = feed
            case .open(let id, let source, let limit):
                var feed = StreamFeed(id, source, limit: limit)
                commands += feed.open()
                feeds[id] = feed
            case .close(let id) where databaseFeeds[id] != nil:
                commands += databaseFeeds.removeValue(forKey: id)?.close() ?? []
            case .close(let id):
                feeds[id] = nil
                commands.append(.removeCollection(id: .stream(id)))
            case .fetchMore(let id, let count, _) where databaseFeeds[id] != nil:
                let (input, more) = databaseFeeds[id]?.fetchMore(count) ?? (nil, [])
                commands += more
                if let input { feed(id, [input], &turn) }
            case .fetchMore(let id, let count, let direction): commands += feeds[id]?.fetchMore(count, direction) ?? []
            case .complete(let call, let reply):
                turn.add(.timer(.fetch(call: call), at: nil))
                turn.complete(Completion(
                    call: call, name: .streamCall, status: reply.status, result: reply.result,
                    explanation: reply.explanation))
            }
        }
        turn.add(.timer(.streams, at: streams.nextDeadline))
    }
}
