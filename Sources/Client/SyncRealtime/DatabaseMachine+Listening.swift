import SyncJSON
import SyncModel
import SyncTree

extension DatabaseMachine {
    /// Opens the streams that are due.
    func connect() {
        guard mayAsk, !feeds.closed.isEmpty else { return }
        for id in feeds.closed.sorted() {
            guard var feed = feeds[id], case .closed = feed.connection, feed.gate.isOpen(at: now.monotonic)
            else { continue }
            let stream = nextID()
            feed.connection = .opening(stream: stream)
            feed.parser = EventStreamParser()
            feeds[id] = feed
            output(.transport(.openStream(stream, request("GET", feed.location, accept: "text/event-stream"))))
        }
    }

    /// Ends a feed's stream; it is opened again when it is needed.
    func close(_ id: UInt64) {
        guard let stream = feeds[id]?.stream else { return }
        output(.transport(.closeStream(stream)))
        disconnect(id)
        hearsNoMore(id)
    }

    /// Drops the part of an event that is not complete.
    private func disconnect(_ id: UInt64) {
        feeds[id]?.connection = .closed
        feeds[id]?.parser = EventStreamParser()
    }

    private func hearsNoMore(_ id: UInt64) {
        feeds[id]?.isCurrent = false
        keepValue(of: id)
        keepValues(within: id)
        tell(feed: id)
    }

    func streamOpened(_ stream: UInt64) {
        guard let id = feeds.feed(of: stream) else { return }
        feeds[id]?.connection = .open(stream: stream, heardAt: now.monotonic)
        redirects = 0
    }

    func streamBytes(_ stream: UInt64, _ bytes: [UInt8]) {
        guard let id = feeds.feed(of: stream) else { return }
        feeds[id]?.connection = .open(stream: stream, heardAt: now.monotonic)
        do {
            for frame in try feeds[id]?.parser.feed(bytes) ?? [] {
                guard feeds[id]?.stream == stream else { return }
                if let event = try StreamEvent(frame) { take(event, id) }
                checkSize(of: id, grownBy: frame.data.count)
            }
            try checkRoom(for: id)
        } catch {
            // An event that cannot be read may have changed anything, so the whole value has to be told again.
            output(.transport(.closeStream(stream)))
            streamLost(stream)
        }
    }

    /// The incomplete events of all streams may take as many bytes together as all answers.
    private func checkRoom(for id: UInt64) throws(EventStreamParser.TooLong) {
        guard let held = feeds[id]?.parser.heldBytes, held > 1 << 20 else { return }
        let all = feeds.values.reduce(0) { $0 + $1.parser.heldBytes }
        if all > TransportRequest.answersLimit { throw EventStreamParser.TooLong() }
    }

    /// A value may be as large as an answer: a listen to a place that grows beyond that ends.
    private func checkSize(of id: UInt64, grownBy bytes: Int) {
        guard let size = feeds[id]?.size else { return }
        feeds[id]?.size = size + bytes
        guard size + bytes > options.valueLimit else { return }
        let exact = feeds[id]?.server?.bytes ?? 0
        feeds[id]?.size = exact
        if exact > options.valueLimit { end(id, .tooLarge(options.valueLimit)) }
    }

    private func take(_ event: StreamEvent, _ id: UInt64) {
        guard let isCurrent = feeds[id]?.isCurrent else { return }
        switch event {
        case .keepAlive: return
        case .put(let path, let node):
            // Until the whole value has come, a change of a part is ignored.
            if path.isRoot || isCurrent { change(id, [TreeWrite(path: path, node: node)]) }
        case .patch(let writes): if isCurrent { change(id, writes) }
        case .cancelled(let reason): end(id, DatabaseFailure(status: 401, message: reason))
        case .revoked:
            close(id)
            needToken()
        }
    }

    private func change(_ id: UInt64, _ writes: [TreeWrite]) {
        // Held here alone, the value is changed without a copy of it.
        guard var feed = feeds.remove(id) else { return }
        var node = feed.server ?? .empty
        feed.server = nil
        for write in writes { node.set(write.path, write.node) }
        feed.server = node
        let isWhole = !feed.isCurrent
        feed.isCurrent = true
        feed.gate.succeed()
        if feed.unkeptSince == nil { feed.unkeptSince = now.monotonic }
        feeds[id] = feed
        notice(feed, changedAt: writes.map { feed.location.path + $0.path }, isWhole: isWhole)
    }

    func streamRefused(_ stream: UInt64, _ response: TransportResponse) {
        guard let id = feeds.feed(of: stream) else { return }
        feeds[id]?.connection = .closed
        switch judge(response) {
        case .redirected: connect()
        case .tokenRejected: needToken()
        case .refused(let failure): end(id, failure)
        case .ill, .done: lost(id, response)
        }
    }

    func streamLost(_ stream: UInt64) {
        guard let id = feeds.feed(of: stream) else { return }
        disconnect(id)
        lost(id, nil)
    }

    private func lost(_ id: UInt64, _ response: TransportResponse?) {
        feeds[id]?.gate.fail(response.flatMap { retryAfter($0) }, at: now.monotonic, random)
        returnToStart()
        hearsNoMore(id)
        tellUnheard(id)
    }

    /// The service refuses the listen, or the value is too large. Listens to places within may still be allowed.
    private func end(_ id: UInt64, _ failure: DatabaseFailure) {
        guard let location = feeds[id]?.location else { return }
        // A value that may not be read any more must not stay in the cache.
        drop(KeptPlace(location))
        feeds[id]?.unkeptSince = nil
        let ended = listens.users(of: id).filter { $0.location == location }
        for listen in ended { listens[listen.id] = nil }
        release(id)
        for listen in ended { output(.listenEnded(listen: listen.id, failure)) }
        connect()
    }

    /// Ends a feed that no listen uses any more. Listens to places within it get streams of their own, and go on from
    /// the value that it has told.
    func release(_ id: UInt64) {
        let left = listens.users(of: id)
        guard let feed = feeds[id], !left.contains(where: { $0.location == feed.location }) else { return }
        keepValue(of: id)
        feeds[id]?.isCurrent = false
        keepValues(within: id)
        feeds[id] = nil
        if let stream = feed.stream { output(.transport(.closeStream(stream))) }
        var made: [UInt64] = []
        for listen in left.sorted(by: { ($0.location.path.keys.count, $0.id) < ($1.location.path.keys.count, $1.id) }) {
            if let wider = made.first(where: { feeds[$0]?.covers(listen.location) == true }) {
                listens[listen.id]?.feed = wider
                continue
            }
            let server = feed.server?[feed.location.path.relative(listen.location.path)]
            let new = makeFeed(listen.location, server: server ?? listen.kept)
            for index in pending.indices { pending[index].told[new] = pending[index].told[id] }
            listens[listen.id]?.feed = new
            made.append(new)
        }
        for index in pending.indices { pending[index].told[id] = nil }
        for new in made { tell(feed: new) }
        // Accepted writes may have waited only for this stream to tell them.
        settle()
    }

    // MARK: Telling

    /// Tells the host the value of a listen, if it differs from what the host was told.
    func tell(_ id: UInt64) {
        guard var listen = listens[id], let feed = feeds[listen.feed],
            let node = view(of: feed, listen.location, kept: listen.kept)
        else { return }
        if let told = listen.told, told.node == node, told.isCurrent == feed.isCurrent { return }
        listen.told = (node, feed.isCurrent)
        listens[id] = listen
        outputValue(of: listen)
    }

    /// Tells the listens of a feed that has no stream, and no value yet, that nothing is known.
    func tellUnheard(_ id: UInt64) {
        guard case .closed? = feeds[id]?.connection else { return }
        for listen in listens.users(of: id) where listen.told == nil { output(.unheard(listen: listen.id)) }
    }

    func tell(feed id: UInt64) {
        for listen in listens.users(of: id) { tell(listen.id) }
    }

    /// Tells every listen whose value may have changed at these places. Only the value at these places is computed
    /// again; otherwise, with many writes waiting, each change would put all of them on top of the value.
    func tellAll(changedAt places: [TreePath]) {
        for id in listens.ids {
            guard let location = listens[id]?.location, places.contains(where: { location.path.touches($0) })
            else { continue }
            guard let parts = parts(of: id, at: places) else {
                tell(id)
                continue
            }
            // Held here alone, the value is changed without a copy of it.
            guard var listen = listens.remove(id) else { continue }
            var isOther = false
            for part in parts where listen.told?.node[part.path] != part.node {
                listen.told?.node.set(part.path, part.node)
                isOther = true
            }
            listens[id] = listen
            if isOther { outputValue(of: listen) }
        }
    }

    /// The values at these places within a listen, by paths from its place; `nil` when the whole value has to be
    /// computed again.
    private func parts(of id: UInt64, at places: [TreePath]) -> [TreeWrite]? {
        guard let listen = listens[id], listen.location.query == nil, let feed = feeds[listen.feed],
            let server = feed.server, listen.told?.isCurrent == feed.isCurrent
        else { return nil }
        let path = listen.location.path
        var parts: [TreeWrite] = []
        for place in places where path.touches(place) {
            // Whether a write is shown depends on earlier ones that touch it, so the widest place that they change is
            // computed.
            let top = pending.outermost(over: place)
            guard path.contains(top), top != path else { return nil }
            // A leaf or a priority above the place is hidden while there are children, and shown again when they are
            // removed.
            var node = server[feed.location.path.relative(path)]
            for key in path.relative(top).keys {
                guard node.leaf == nil, node.priority == nil else { return nil }
                node = node[key]
            }
            guard let part = view(of: feed, DatabaseLocation(top)) else { return nil }
            parts.append(TreeWrite(path: path.relative(top), node: part))
        }
        return parts
    }
}
