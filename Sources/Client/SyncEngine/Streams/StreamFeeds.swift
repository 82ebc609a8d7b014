import SyncModel
import SyncRealtime
import SyncStreams

/// The streams of a client, and what feeds them.
///
/// What the engine tells about these collections comes here instead of to the host, as a `FedNotice`. Their requests
/// are sent between two inputs (`takeAsks`), so that no list is asked for anything before its last notices have arrived
/// here.
final class StreamFeeds {
    private var streams = Streams()
    private var feeds: [UInt64: StreamFeed] = [:]
    private var databaseFeeds: [UInt64: DatabaseFeed] = [:]
    /// The database locations of streams that are being opened.
    private var places: [UInt64: DatabaseLocation] = [:]
    private var asks: [(stream: UInt64, ask: StreamAsk)] = []

    func whole(_ id: UInt64) -> StreamBatch? { streams.whole(id) }

    func takeAsks() -> [(stream: UInt64, ask: StreamAsk)] {
        defer { asks = [] }
        return asks
    }

    private func ask(_ new: [StreamAsk], of stream: UInt64) { asks += new.map { (stream, $0) } }

    // MARK: Host

    /// - Parameter place: what a stream over the database shows.
    func open(
        _ id: UInt64, _ spec: StreamSpec, _ function: (any RowFunction)?, _ place: DatabaseLocation?,
        _ turn: inout Turn
    ) {
        places[id] = place
        streams.open(id, spec, function, now: turn.now.monotonic)
        carryOut(&turn)
        places[id] = nil
    }

    func close(_ id: UInt64, _ turn: inout Turn) {
        streams.close(id)
        carryOut(&turn)
    }

    func handle(
        _ request: StreamRequest, of id: UInt64, call: CallID, _ turn: inout Turn
    ) {
        streams.handle(request, of: id, call: call, now: turn.now.monotonic)
        // The limit for all pages together; each page has its own timeout besides.
        if streams.stream(fetching: call) == id { turn.add(.timer(.fetch(call: call), at: turn.fetchDeadline)) }
        carryOut(&turn)
    }

    /// The host's fetch of more rows ends. If the collection is being asked, returns the call to the collection, which
    /// the caller ends; that end then completes the host's call.
    func endFetch(
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

    func end(_ turn: inout Turn) {
        streams.end()
        carryOut(&turn)
        feeds = [:]
        databaseFeeds = [:]
        asks = []
    }

    // MARK: Sources

    func take(_ notice: FedNotice, of id: UInt64, _ turn: inout Turn) {
        switch notice {
        case .changed(let change): take(change, of: id, &turn)
        case .gapOpened: ask(feeds[id]?.gapOpened() ?? [], of: id)
        case .ended(let completion):
            guard let (input, more) = feeds[id]?.take(completion) else { return }
            ask(more, of: id)
            if let input { feed(id, [input], &turn) }
        case .value(let listen, let node, let isCurrent):
            guard let (inputs, more) = databaseFeeds[id]?.take(listen, node, isCurrent: isCurrent) else { return }
            ask(more, of: id)
            feed(id, inputs, &turn)
        case .listenEnded(let listen, let failure):
            feed(id, databaseFeeds[id]?.take(listen, ended: failure) ?? [], &turn)
        case .unheard(let listen):
            guard let (inputs, more) = databaseFeeds[id]?.takeUnheard(listen) else { return }
            ask(more, of: id)
            feed(id, inputs, &turn)
        }
    }

    private func feed(
        _ id: UInt64, _ inputs: [StreamInput], _ turn: inout Turn
    ) {
        for input in inputs { streams.feed(id, input, now: turn.now.monotonic) }
        carryOut(&turn)
    }

    private func take(
        _ change: CollectionChange, of id: UInt64, _ turn: inout Turn
    ) {
        guard let input = feeds[id]?.take(change) else { return }
        // The rows of an emptied list can be loaded again, except the messages of a channel that is gone.
        let isGone = change.list == .succeeded && change.info?.hasPrevious == false
        if change.action == .clear, change.cause.source != .viewpointReset, !isGone {
            ask(feeds[id]?.reload() ?? [], of: id)
        }
        streams.feed(id, input, now: turn.now.monotonic)
        carryOut(&turn)
    }

    func syncResumed() {
        for id in feeds.keys.sorted() { ask(feeds[id]?.syncResumed() ?? [], of: id) }
    }

    // MARK: Time

    func advance(_ turn: inout Turn) {
        streams.advance(now: turn.now.monotonic)
        carryOut(&turn)
    }

    private func carryOut(_ turn: inout Turn) {
        for effect in streams.takeEffects() {
            switch effect {
            case .batch(let id, let batch, let delivery):
                for notice in batch.notices(delivery) { turn.tell(.host(id), .stream(notice)) }
            case .loaded(let id, let failure): turn.tell(.host(id), .stream(.loaded(failure)))
            case .open(let id, let source, let limit): open(id, source, limit)
            case .close(let id) where databaseFeeds[id] != nil:
                ask(databaseFeeds.removeValue(forKey: id)?.close() ?? [], of: id)
            case .close(let id):
                feeds[id] = nil
                ask([.closeList], of: id)
            case .fetchMore(let id, let count, _) where databaseFeeds[id] != nil:
                let (input, more) = databaseFeeds[id]?.fetchMore(count) ?? (nil, [])
                ask(more, of: id)
                if let input { feed(id, [input], &turn) }
            case .fetchMore(let id, let count, let direction):
                ask(feeds[id]?.fetchMore(count, direction) ?? [], of: id)
            case .complete(let call, let reply):
                turn.add(.timer(.fetch(call: call), at: nil))
                turn.complete(Completion(
                    call: call, name: .streamCall, status: reply.status, result: reply.result,
                    explanation: reply.explanation))
            }
        }
        turn.add(.timer(.streams, at: streams.nextDeadline))
    }

    private func open(_ id: UInt64, _ source: ExternalSource, _ limit: Int?) {
        if case .database = source {
            // Without a location, the stream was refused before it came here.
            guard let place = places[id] else { return }
            let feed = DatabaseFeed(id, place, streams.spec(id))
            ask(feed.open(), of: id)
            databaseFeeds[id] = feed
        } else {
            var feed = StreamFeed(id, source, limit: limit)
            ask(feed.open(), of: id)
            feeds[id] = feed
        }
    }
}
