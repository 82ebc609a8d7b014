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

    /// How long an ill service wants to be left alone, as the gate takes it.
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
        switch judge(response) {
        case .done:
            redirects = 0
            writeGate.succeed()
            accepted(index, response.body)
        case .redirected: pending[index].state = .waiting
        case .tokenRejected:
            pending[index].state = .waiting
            needToken()
        case .refused(let failure): ended(index, failure)
        case .ill:
            pending[index].state = .waiting
            writeGate.fail(retryAfter(response), at: now.monotonic, random)
            returnToStart()
        }
        sendWrites()
        sendTransactions()
    }

    func failed(_ request: UInt64, _ failure: DatabaseFailure) {
        if let read = reads.removeValue(forKey: request) { return answer(read, failure) }
        if failed(transaction: request, failure) { return }
        guard let index = pending.firstIndex(where: { $0.state == .sent(request: request) }) else { return }
        pending[index].state = .waiting
        writeGate.fail(nil, at: now.monotonic, random)
        returnToStart()
    }

    private func readAnswered(_ read: Read, _ response: TransportResponse) {
        switch judge(response) {
        case .done:
            guard var node = try? TreeReader.value(response.body, at: read.location.path, time: now.wall) else {
                return answer(read, DatabaseFailure(status: response.status, message: "the answer is no value"))
            }
            var applied: [TreePath] = []
            for write in pending { write.apply(to: &node, at: read.location.path, of: read.id, &applied) }
            output(.read(id: read.id, .success(read.location.query?.tree.window(of: node) ?? node)))
        case .redirected:
            let request = nextID()
            reads[request] = read
            output(.send(self.request("GET", read.location, accept: "application/json", body: nil), id: request))
        case .tokenRejected:
            needToken()
            answer(read, DatabaseFailure(status: response.status, message: "the token is no good any more"))
        case .refused(let failure): output(.read(id: read.id, .failure(failure)))
        case .ill: answer(read, DatabaseFailure(status: response.status, message: "HTTP status \(response.status)"))
        }
    }

    /// The service has not answered: what is known of the place is better than nothing.
    func answer(_ read: Read, _ failure: DatabaseFailure) {
        let known = orderedListens.filter { $0.location == read.location }.compactMap { $0.view(pending) }.first
        output(.read(id: read.id, known.map { .success($0) } ?? .failure(failure)))
    }

    // MARK: Writes

    /// Sends the first write that waits, unless one is under way.
    func sendWrites() {
        let isSending = pending.contains { if case .sent = $0.state { true } else { false } }
        guard mayAsk, !isSending, let index = pending.firstIndex(where: { $0.state == .waiting }),
            writeGate.isOpen(at: now.monotonic)
        else { return }
        let id = nextID()
        let record = pending[index].record
        pending[index].state = .sent(request: id)
        let location = DatabaseLocation(record.path)
        output(
            .send(
                request(record.isUpdate ? "PATCH" : "PUT", location, accept: "application/json", body: record.body),
                id: id))
    }

    /// The service has a write, and says what it made of it.
    private func accepted(_ index: Int, _ echo: [UInt8]) {
        let record = pending[index].record
        // Server values are certain now.
        if record.isUpdate {
            if let writes = try? TreeReader.update(echo, at: record.path, time: now.wall) {
                pending[index].writes = writes.map { TreeWrite(path: record.path + $0.path, node: $0.node) }
            }
        } else if let node = try? TreeReader.value(echo, at: record.path, time: now.wall) {
            pending[index].writes = [TreeWrite(path: record.path, node: node)]
        }
        pending[index].state = .accepted(until: now.monotonic + options.settling, stamp: nextID())
        output(.writeEnded(id: record.id, nil))
        for listen in listens.values {
            if let node = listen.server { pending[index].notice(node, at: listen.location.path, of: listen.id) }
        }
        settle()
        tellAll(under: record.path)
    }

    /// The service will not have a write: what it showed is taken back.
    private func ended(_ index: Int, _ failure: DatabaseFailure) {
        let write = pending.remove(at: index)
        output(.writeEnded(id: write.record.id, failure))
        tellAll(under: write.record.path)
    }

    /// Notes which writes a stream has told, and forgets those that are told everywhere.
    ///
    /// - Parameter isWhole: whether this is the stream's first word, the whole value as it is.
    func notice(_ listen: Listen, isWhole: Bool) {
        guard let node = listen.server, let stream = listen.stream else { return }
        for index in pending.indices {
            switch pending[index].state {
            case .waiting: continue
            case .accepted(_, let stamp) where isWhole && stamp < stream: pending[index].noticeAll(of: listen.id)
            case .sent, .accepted: pending[index].notice(node, at: listen.location.path, of: listen.id)
            }
        }
        // A stream that was asked for before a write was accepted may begin with what came after it.
        var later: [TreePath] = []
        for index in pending.indices.reversed() {
            pending[index].notice(laterAt: later, of: listen.id)
            later += pending[index].toldPaths(of: listen.id)
        }
        settle()
    }

    /// Forgets accepted writes that all streams have told, or that were accepted long enough ago.
    func settle() {
        var left: [PendingWrite] = []
        var gone: [TreePath] = []
        for write in pending {
            // A later write stays for as long as an earlier one that it was put over.
            if isSettled(write), !left.contains(where: { $0.touches(write) }) {
                gone.append(write.record.path)
            } else {
                left.append(write)
            }
        }
        guard !gone.isEmpty else { return }
        pending = left
        for path in gone { tellAll(under: path) }
    }

    private func isSettled(_ write: PendingWrite) -> Bool {
        guard case .accepted(let until, _) = write.state else { return false }
        return listens.values.allSatisfy { listen in
            // What a stream that is lost has told is old, however long that is ago.
            listen.isCurrent && until <= now.monotonic || isTold(write, to: listen)
        }
    }

    private func isTold(_ write: PendingWrite, to listen: Listen) -> Bool {
        let known = write.told[listen.id] ?? []
        return write.writes.indices.allSatisfy { index in
            let path = write.writes[index].path
            return !listen.location.path.touches(path) || known.contains(index)
        }
    }
}
