import SyncJSON
import SyncModel
import SyncTree

extension DatabaseMachine {
    /// Opens the streams that are due.
    func connect() {
        guard mayAsk else { return }
        for id in listens.keys.sorted() {
            guard var listen = listens[id], case .closed = listen.connection, listen.gate.isOpen(at: now.monotonic)
            else { continue }
            let stream = nextID()
            listen.connection = .opening(stream: stream)
            listen.parser = EventStreamParser()
            listens[id] = listen
            output(.openStream(request("GET", listen.location, accept: "text/event-stream", body: nil), id: stream))
        }
    }

    /// Ends a listen's stream, to be opened again when there is reason to.
    func close(_ id: UInt64) {
        guard let stream = listens[id]?.stream else { return }
        output(.closeStream(id: stream))
        listens[id]?.connection = .closed
        listens[id]?.isCurrent = false
        tell(id)
    }

    private func listen(of stream: UInt64) -> UInt64? { listens.first { $0.value.stream == stream }?.key }

    func streamOpened(_ stream: UInt64) {
        guard let id = listen(of: stream) else { return }
        listens[id]?.connection = .open(stream: stream, heardAt: now.monotonic)
        redirects = 0
    }

    func streamBytes(_ stream: UInt64, _ bytes: [UInt8]) {
        guard let id = listen(of: stream) else { return }
        listens[id]?.connection = .open(stream: stream, heardAt: now.monotonic)
        do {
            for frame in try listens[id]?.parser.feed(bytes) ?? [] {
                guard listens[id]?.stream == stream else { return }
                if let event = try StreamEvent(frame) { take(event, id) }
            }
        } catch {
            // What cannot be read may have said anything: only a whole value, told again, is certain.
            output(.closeStream(id: stream))
            streamLost(stream)
        }
    }

    private func take(_ event: StreamEvent, _ id: UInt64) {
        guard var listen = listens[id] else { return }
        let isWhole = !listen.isCurrent
        switch event {
        case .keepAlive: return
        case .put(let path, let node):
            // Until the whole value has come, a part of one is of no use.
            guard path.isRoot || listen.isCurrent else { return }
            listen.server = changed(listen.server, [TreeWrite(path: path, node: node)])
            listen.isCurrent = true
            listen.gate.succeed()
        case .patch(let writes):
            guard listen.isCurrent else { return }
            listen.server = changed(listen.server, writes)
        case .cancelled(let reason):
            return end(id, DatabaseFailure(status: 401, message: reason))
        case .revoked:
            close(id)
            return needToken()
        }
        listens[id] = listen
        notice(listen, isWhole: isWhole)
        tell(id)
    }

    private func changed(_ node: TreeNode?, _ writes: [TreeWrite]) -> TreeNode {
        var node = node ?? .empty
        for write in writes { node.set(write.path, write.node) }
        return node
    }

    func streamRefused(_ stream: UInt64, _ response: TransportResponse) {
        guard let id = listen(of: stream) else { return }
        listens[id]?.connection = .closed
        switch judge(response) {
        case .redirected: connect()
        case .tokenRejected: needToken()
        case .refused(let failure): end(id, failure)
        case .ill, .done: lost(id, response)
        }
    }

    func streamLost(_ stream: UInt64) {
        guard let id = listen(of: stream) else { return }
        listens[id]?.connection = .closed
        lost(id, nil)
    }

    private func lost(_ id: UInt64, _ response: TransportResponse?) {
        listens[id]?.isCurrent = false
        listens[id]?.gate.fail(response.flatMap { retryAfter($0) }, at: now.monotonic, random)
        returnToStart()
        tell(id)
    }

    /// The service does not let us listen there.
    private func end(_ id: UInt64, _ failure: DatabaseFailure) {
        remove(id)
        output(.listenEnded(listen: id, failure))
    }

    func remove(_ id: UInt64) {
        guard let listen = listens.removeValue(forKey: id) else { return }
        if let stream = listen.stream { output(.closeStream(id: stream)) }
        // Writes may have waited for its stream alone.
        settle()
    }

    // MARK: Telling

    /// Tells the host what is there, if that is something else than it was told.
    func tell(_ id: UInt64) {
        guard var listen = listens[id], let node = listen.view(pending) else { return }
        if let told = listen.told, told.node == node, told.isCurrent == listen.isCurrent { return }
        listen.told = (node, listen.isCurrent)
        listens[id] = listen
        output(.value(listen: id, node, isCurrent: listen.isCurrent))
    }

    func tellAll(under path: TreePath) {
        for id in listens.keys.sorted() {
            guard listens[id]?.location.path.touches(path) == true else { continue }
            tell(id)
        }
    }
}
