import SyncModel
import SyncTree

// Over HTTP a transaction uses an ETag: the service gives one with the value, and writes only if the value still has
// it. Nothing of a transaction is kept over a restart, and nothing is shown before the stream tells it. When the answer
// to its write is lost, it is not known whether it was done, so it is not repeated.
extension DatabaseMachine {
    /// Computes a new value of a place from the current one. `transform` outputs ask the host for it, again whenever
    /// others have changed the current value; `transactionEnded` has the outcome. Without a network it ends at once.
    public func transaction(_ path: TreePath, now: Moment) -> UInt64 {
        begin(now)
        let id = nextID()
        guard isOnline else {
            output(.transactionEnded(id: id, .failure(.offline)))
            return id
        }
        transactions.append(Transaction(id: id, path: path))
        sendTransactions()
        return id
    }

    /// Answers a `transform`: the new value as JSON, or `nil` to leave the place as it is.
    ///
    /// - Throws: when the text is not a value; the transaction then waits for another one.
    public func transformed(_ id: UInt64, _ json: [UInt8]?, now: Moment) throws(TreeError) {
        begin(now)
        guard let index = transactions.firstIndex(where: { $0.id == id }),
            case .transforming(let tag) = transactions[index].state
        else { return }
        let path = transactions[index].path
        guard let json else { return end(index, .failure(DatabaseFailure(status: 0, message: "left as it is"))) }
        _ = try TreeReader.value(json, at: path, time: now.wall)
        guard mayAsk else { return end(index, .failure(isOnline ? .noToken : .offline)) }
        let request = nextID()
        transactions[index].state = .writing(request: request)
        transactions[index].tries += 1
        var sent = self.request("PUT", DatabaseLocation(path), body: json)
        sent.headers.append(TransportHeader("if-match", tag))
        output(.transport(.send(sent, id: request)))
    }

    /// Reads the values for transactions that have no earlier write to wait for.
    func sendTransactions() {
        guard mayAsk else { return }
        for index in transactions.indices where transactions[index].state == .waiting {
            let path = transactions[index].path
            let isBlocked = pending.contains { write in
                if case .accepted = write.state { false } else { write.touches(path) }
            }
            if !isBlocked { read(index) }
        }
    }

    private func read(_ index: Int) {
        let request = nextID()
        transactions[index].state = .reading(request: request)
        var asked = self.request("GET", DatabaseLocation(transactions[index].path))
        asked.headers.append(TransportHeader("X-Firebase-ETag", "true"))
        output(.transport(.send(asked, id: request)))
    }

    /// Takes an answer; `false` when the request was not a transaction's.
    func answered(transaction request: UInt64, _ response: TransportResponse) -> Bool {
        guard let index = transactions.firstIndex(where: { $0.request == request }) else { return false }
        let path = transactions[index].path
        let isRead: Bool
        if case .reading = transactions[index].state { isRead = true } else { isRead = false }
        let node = try? TreeReader.value(response.body, at: path, time: now.wall)
        if isRead && (200..<300).contains(response.status) || !isRead && response.status == 412 {
            let tag = response.headers.first { $0.name.lowercased() == "etag" }?.value ?? ""
            guard let node, !tag.isEmpty else {
                end(index, .failure(DatabaseFailure(status: response.status, message: "the answer has no value")))
                return true
            }
            guard transactions[index].tries < Transaction.limit else {
                end(index, .failure(DatabaseFailure(status: 412, message: "others have changed it too often")))
                return true
            }
            transactions[index].state = .transforming(tag: tag)
            output(.transform(id: transactions[index].id, node))
            return true
        }
        switch judge(response) {
        case .done: end(index, .success(node ?? .empty))
        case .redirected:
            // From the beginning, since another host may have other ETags.
            read(index)
        case .tokenRejected:
            transactions[index].state = .waiting
            needToken()
        case .refused(let failure): end(index, .failure(failure))
        case .ill:
            end(index, .failure(DatabaseFailure(status: response.status, message: "HTTP status \(response.status)")))
        }
        return true
    }

    /// A request got no answer; `false` when it was not a transaction's.
    func failed(transaction request: UInt64, _ failure: DatabaseFailure) -> Bool {
        guard let index = transactions.firstIndex(where: { $0.request == request }) else { return false }
        if case .writing = transactions[index].state {
            end(
                index,
                .failure(DatabaseFailure(status: 0, message: "it is not known whether it was done: \(failure.message)"))
            )
        } else {
            end(index, .failure(failure))
        }
        return true
    }

    /// There is no network any more: transactions end, except those whose write is in flight.
    func endTransactions() {
        for transaction in transactions {
            if case .writing = transaction.state { continue }
            cancelReading(transaction)
            output(.transactionEnded(id: transaction.id, .failure(.offline)))
        }
        transactions.removeAll { if case .writing = $0.state { false } else { true } }
    }

    /// Ends transactions that no call waits for any more; nothing is told of them.
    func endTransactions(_ isMeant: (Transaction) -> Bool) {
        transactions.removeAll { transaction in
            guard isMeant(transaction) else { return false }
            switch transaction.state {
            case .waiting, .reading:
                cancelReading(transaction)
                return true
            case .transforming, .writing: return false
            }
        }
    }

    /// Cancels the read of a transaction's value, for which nothing waits any more.
    func cancelReading(_ transaction: Transaction) {
        if case .reading(let request) = transaction.state { output(.transport(.cancel(request))) }
    }

    private func end(_ index: Int, _ result: Result<TreeNode, DatabaseFailure>) {
        let transaction = transactions.remove(at: index)
        output(.transactionEnded(id: transaction.id, result))
    }
}
