import SyncJSON
import SyncModel
import SyncTree

extension DatabaseMachine {
    /// What an answer of the service means.
    enum Verdict {
        case done
        /// The request is to be made again at another host.
        case redirected
        case tokenRejected
        /// Asking again gives the same answer.
        case refused(DatabaseFailure)
        /// Asking again later may help.
        case ill
    }

    func judge(_ response: TransportResponse) -> Verdict {
        switch response.status {
        case 200..<300: return .done
        case 301, 302, 307, 308: return follow(response) ? .redirected : .ill
        case 408, 429, 500...: return .ill
        default:
            let text = (try? JSON.parse(response.body))?["error"]?.string ?? ""
            // Rules and credentials are refused with one status; only the text tells them apart.
            if response.status == 401, text != "Permission denied" { return .tokenRejected }
            return .refused(
                DatabaseFailure(
                    status: response.status, message: text.isEmpty ? "HTTP status \(response.status)" : text))
        }
    }

    /// How long the service asks to wait after an error, in the form that the gate takes.
    func retryAfter(_ response: TransportResponse) -> ServiceFailure? {
        guard let text = response.headers.first(where: { $0.name.lowercased() == "retry-after" })?.value,
            let seconds = Int64(text), (0...86_400).contains(seconds)
        else { return nil }
        return ServiceFailure(
            kind: .rateLimited(retryAfter: seconds * 1000), code: response.status, message: "asked to wait")
    }

    // MARK: Requests

    func answered(_ request: UInt64, _ response: TransportResponse) {
        if let read = reads.removeValue(forKey: request) { return readAnswered(read, response) }
        if answered(transaction: request, response) { return }
        guard let index = pending.firstIndex(where: { $0.state == .sent(request: request) }) else { return }
        if counted(index, response) { return }
        switch judge(response) {
        case .done:
            redirects = 0
            writeGate.succeed()
            accepted(index, response.body)
        case .redirected: pending[index].state = .waiting
        case .tokenRejected:
            pending[index].state = .waiting
            needToken()
        case .refused(let failure): refused(index, failure)
        case .ill: pause(index, response)
        }
        sendWrites()
        sendTransactions()
    }

    func failed(_ request: UInt64, _ failure: DatabaseFailure) {
        if let read = reads.removeValue(forKey: request) {
            // The known value must not stand for an answer that was too large.
            guard failure.limit != .single else {
                return output(.read(id: read.id, .failure(failure), isCurrent: false))
            }
            return answer(read, failure)
        }
        if failed(transaction: request, failure) { return }
        guard let index = pending.firstIndex(where: { $0.state == .sent(request: request) }) else { return }
        pause(index, nil)
    }

    /// A write got no answer, or an error of the service: it is sent again later.
    func pause(_ index: Int, _ response: TransportResponse?) {
        loseCount(index)
        pending[index].state = .waiting
        writeGate.fail(response.flatMap { retryAfter($0) }, at: now.monotonic, random)
        returnToStart()
    }

    // MARK: Reads

    func send(_ read: Read) {
        let id = nextID()
        var read = read
        read.acceptedSince = []
        reads[id] = read
        output(.transport(.send(request("GET", read.location, isShallow: read.isShallow), id: id)))
    }

    private func readAnswered(_ read: Read, _ response: TransportResponse) {
        switch judge(response) {
        case .done:
            guard var node = try? TreeReader.value(response.body, at: read.location.path, time: now.wall) else {
                return answer(read, DatabaseFailure(status: response.status, message: "the answer is no value"))
            }
            keepAnswer(read, node)
            var applied: [TreePath] = []
            // What the service had accepted before it was asked is in its answer, and may have been changed since.
            let unanswered = pending.filter { if case .accepted = $0.state { false } else { true } }
            for write in read.acceptedSince + unanswered {
                write.apply(to: &node, at: read.location.path, of: 0, &applied)
            }
            if read.isShallow { node = node.shallow() }
            let value = read.location.query?.tree.window(of: node) ?? node
            output(.read(id: read.id, .success(value), isCurrent: true))
        case .redirected: send(read)
        case .tokenRejected:
            needToken()
            answer(read, DatabaseFailure(status: response.status, message: DatabaseFailure.noToken.message))
        case .refused(let failure): output(.read(id: read.id, .failure(failure), isCurrent: true))
        case .ill: answer(read, DatabaseFailure(status: response.status, message: "HTTP status \(response.status)"))
        }
    }

    /// The service has not answered: the read gets the known value, or else the failure.
    func answer(_ read: Read, _ failure: DatabaseFailure) {
        var known = read.isShallow ? keptValue(KeptPlace(read.location, isShallow: true)) : nil
        if var names = known {
            var applied: [TreePath] = []
            for write in pending { write.apply(to: &names, at: read.location.path, of: 0, &applied) }
            known = names.shallow()
        } else {
            known = self.known(read.location).map { read.isShallow ? $0.shallow() : $0 }
        }
        output(.read(id: read.id, known.map { .success($0) } ?? .failure(failure), isCurrent: false))
    }

    // MARK: Writes

    /// The first write that waits; `nil` while one is in flight, or while one that has ended is still kept, since a
    /// restart would send that one again, after later ones.
    var nextToSend: Int? {
        let index = pending.firstIndex { if case .accepted = $0.state { false } else { true } } ?? pending.count
        guard mayAsk, unforgotten.isEmpty, index < pending.count, pending[index].state == .waiting else { return nil }
        return index
    }

    func sendWrites() {
        clearKept()
        if let index = nextToSend, writeGate.isOpen(at: now.monotonic) { send(index) }
    }

    func send(_ index: Int) {
        let id = nextID()
        let record = pending[index].record
        pending[index].state = .sent(request: id)
        let request =
            switch record.kind {
            case .set: request("PUT", DatabaseLocation(record.path), body: record.body)
            case .update: request("PATCH", DatabaseLocation(record.path), body: record.body)
            case .count: countRequest(pending[index])
            }
        output(.transport(.send(request, id: id)))
    }

    /// The service has accepted a write; `echo` is the value that it has stored.
    func accepted(_ index: Int, _ echo: [UInt8]) {
        let record = pending[index].record
        let shown = pending[index]
        // The server values are known now, unless the user may not read there: then the answer has the body that was
        // sent.
        if record.kind != .count, echo == record.body {
            // Nothing new.
        } else if record.kind == .update {
            if let writes = try? TreeReader.update(echo, at: record.path, time: now.wall) {
                pending.put(writes.map { TreeWrite(path: record.path + $0.path, node: $0.node) }, at: index)
            }
        } else if let node = try? TreeReader.value(echo, at: record.path, time: now.wall) {
            pending.put([TreeWrite(path: record.path, node: node)], at: index)
        }
        let sum = pending[index].writes.first?.node
        pending[index].count?.sum = sum
        pending[index].state = .accepted(until: now.monotonic + options.settling, stamp: nextID())
        keepAccepted(pending[index])
        ended(record.id, nil)
        for feed in feeds.values where feed.isCurrent {
            if let node = feed.server { pending[index].notice(node, at: feed.location.path, of: feed.id) }
        }
        let isSame = pending[index].writes == shown.writes && pending[index].told == shown.told
        settle(changedAt: isSame ? [] : (shown.writes + pending[index].writes).map(\.path))
    }

    /// The service refuses a write: it is not shown any more.
    func refused(_ index: Int, _ failure: DatabaseFailure) {
        let write = pending.remove(at: index)
        ended(write.record.id, failure)
        tellAll(changedAt: write.writes.map(\.path))
    }

    /// A stream has told values at these places: notes which writes they are, and forgets those that all streams have
    /// told.
    ///
    /// - Parameter isWhole: whether this is the first event of the stream, with the whole value.
    func notice(_ feed: Feed, changedAt places: [TreePath], isWhole: Bool) {
        guard let node = feed.server, let stream = feed.stream else { return }
        let before = pending.map { $0.told[feed.id]?.count }
        for index in pending.indices {
            switch pending[index].state {
            case .waiting: continue
            case .accepted(_, let stamp) where isWhole && stamp < stream: pending[index].noticeAll(of: feed.id)
            case .sent, .accepted: pending[index].notice(node, at: feed.location.path, of: feed.id)
            }
        }
        // A stream that was opened before a write was accepted may begin with a value from after it.
        var later: [TreePath] = []
        for index in pending.indices.reversed() {
            if !later.isEmpty { pending[index].notice(laterAt: later, of: feed.id) }
            later += pending[index].toldPaths(of: feed.id)
        }
        let noticed = pending.indices.filter { pending[$0].told[feed.id]?.count != before[$0] }
        settle(changedAt: places + noticed.flatMap { pending[$0].writes.map(\.path) })
    }

    /// Forgets accepted writes that all streams have told, or that were accepted long enough ago, and tells the listens
    /// whose values change without them, or at these places.
    func settle(changedAt places: [TreePath] = []) {
        var places = places
        var left: [PendingWrite] = []
        for write in accepted {
            // A later write stays as long as an earlier one below it.
            guard isSettled(write), !left.contains(where: { $0.touches(write) }) else {
                left.append(write)
                continue
            }
            pending.remove(at: left.count)
            places += write.writes.map(\.path)
            // The value was kept with the write on top; without it, it may be another one.
            for feed in feeds.values where feed.server != nil && feed.location.path.touches(write.record.path) {
                feeds[feed.id]?.unkeptSince = feed.unkeptSince ?? now.monotonic
            }
        }
        if !places.isEmpty { tellAll(changedAt: places) }
    }

    private func isSettled(_ write: PendingWrite) -> Bool {
        guard case .accepted(let until, _) = write.state else { return false }
        return feeds.values.allSatisfy { feed in
            // The passed time counts only for a stream that is open: the value of a lost one is old, however long ago
            // it was told.
            until <= now.heard && feed.isHeard(since: until - options.settling / 2) || isTold(write, to: feed)
        }
    }

    /// Opens streams again that have told neither an accepted write nor anything else since: they may be dead without a
    /// sign. A new stream begins with the current value.
    func renewSilentStreams() {
        let accepted = accepted
        guard !accepted.isEmpty else { return }
        for id in feeds.ids {
            guard let feed = feeds[id], feed.isCurrent else { continue }
            let isSilent = accepted.contains { write in
                guard case .accepted(let until, _) = write.state, until <= now.heard else { return false }
                return !isTold(write, to: feed) && !feed.isHeard(since: until - options.settling / 2)
            }
            if isSilent { close(feed.id) }
        }
        connect()
    }

    private func isTold(_ write: PendingWrite, to feed: Feed) -> Bool {
        let known = write.told[feed.id] ?? []
        return write.writes.indices.allSatisfy { index in
            let path = write.writes[index].path
            return !feed.location.path.touches(path) || known.contains(index)
        }
    }
}
