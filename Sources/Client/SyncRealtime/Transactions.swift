import SyncModel
import SyncTree

/// The transactions under way. Over HTTP a transaction uses an ETag: the service gives one with the value, and writes
/// only if the value still has it. Nothing of a transaction is kept over a restart, and nothing is shown before the
/// stream tells it. When the answer to its write is lost, it is not known whether it was done, so it is not repeated.
struct Transactions {
    /// In the order in which they began.
    private var all: [Transaction] = []

    /// How many are being written: what becomes of these is open.
    var writing: Int { all.filter(\.isWriting).count }
    var isEmpty: Bool { all.isEmpty }

    /// Begins a transaction; gives its number. Without a network it ends at once.
    ///
    /// - Returns: whether it goes on; then `sendDue` reads the value.
    mutating func begin(_ path: TreePath, _ turn: inout DatabaseTurn) -> (id: UInt64, isUnderWay: Bool) {
        let id = turn.nextNumber()
        guard turn.access.isOnline else {
            turn.output(.transactionEnded(id: id, .failure(.offline)))
            return (id, false)
        }
        all.append(Transaction(id: id, path: path))
        return (id, true)
    }

    /// Takes the new value as JSON, or `nil` to leave the place as it is.
    ///
    /// - Throws: when the text is not a value; the transaction then waits for another one.
    mutating func transformed(_ id: UInt64, _ json: [UInt8]?, _ turn: inout DatabaseTurn) throws(TreeError) {
        guard let index = all.firstIndex(where: { $0.id == id }), case .transforming(let tag) = all[index].state else {
            return
        }
        let path = all[index].path
        guard let json else { return end(index, DatabaseFailure(status: 0, message: "left as it is"), &turn) }
        _ = try TreeReader.value(json, at: path, time: turn.now.wall)
        guard turn.access.mayAsk else { return end(index, turn.access.obstacle, &turn) }
        let request = turn.access.conditionalWrite(DatabaseLocation(path), json, ifMatch: tag)
        all[index].state = .writing(request: turn.send(request))
        all[index].tries += 1
    }

    /// Reads the values for transactions that have no earlier write of this client to wait for.
    mutating func sendDue(_ queue: WriteQueue, _ turn: inout DatabaseTurn) {
        guard turn.access.mayAsk else { return }
        for index in all.indices where all[index].state == .waiting && !queue.isBusy(at: all[index].path) {
            read(index, &turn)
        }
    }

    private mutating func read(_ index: Int, _ turn: inout DatabaseTurn) {
        let request = turn.access.taggedRead(DatabaseLocation(all[index].path))
        all[index].state = .reading(request: turn.send(request))
    }

    // MARK: Answers

    /// Takes an answer; `false` when the request was not a transaction's.
    mutating func answered(_ request: UInt64, _ response: TransportResponse, _ turn: inout DatabaseTurn) -> Bool {
        guard let index = all.firstIndex(where: { $0.request == request }) else { return false }
        let node = try? TreeReader.value(response.body, at: all[index].path, time: turn.now.wall)
        let isRead = !all[index].isWriting
        if isRead && (200..<300).contains(response.status) || !isRead && response.status == 412 {
            transform(index, node, response, &turn)
            return true
        }
        switch turn.access.judge(response) {
        case .done: end(index, .success(node ?? .empty), &turn)
        case .redirected:
            // From the beginning, since another host may have other ETags.
            read(index, &turn)
        case .tokenRejected:
            all[index].state = .waiting
            turn.needToken()
        case .refused(let failure): end(index, failure, &turn)
        case .ill:
            end(index, DatabaseFailure(status: response.status, message: "HTTP status \(response.status)"), &turn)
        }
        return true
    }

    /// The value has come, for the first time or since others have changed it: the host is asked for the new value.
    private mutating func transform(
        _ index: Int, _ node: TreeNode?, _ response: TransportResponse, _ turn: inout DatabaseTurn
    ) {
        guard let node, !response.entityTag.isEmpty else {
            return end(index, DatabaseFailure(status: response.status, message: "the answer has no value"), &turn)
        }
        guard all[index].tries < Transaction.limit else {
            return end(index, DatabaseFailure(status: 412, message: "others have changed it too often"), &turn)
        }
        all[index].state = .transforming(tag: response.entityTag)
        turn.output(.transform(id: all[index].id, node))
    }

    /// A request got no answer; `false` when it was not a transaction's.
    mutating func failed(_ request: UInt64, _ failure: DatabaseFailure, _ turn: inout DatabaseTurn) -> Bool {
        guard let index = all.firstIndex(where: { $0.request == request }) else { return false }
        end(index, all[index].isWriting ? .inDoubt(failure) : failure, &turn)
        return true
    }

    private mutating func end(_ index: Int, _ failure: DatabaseFailure, _ turn: inout DatabaseTurn) {
        end(index, .failure(failure), &turn)
    }

    private mutating func end(
        _ index: Int, _ result: Result<TreeNode, DatabaseFailure>, _ turn: inout DatabaseTurn
    ) {
        let transaction = all.remove(at: index)
        turn.output(.transactionEnded(id: transaction.id, result))
    }

    // MARK: Endings

    /// There is no network any more: transactions end, except those whose write is in flight.
    mutating func goOffline(_ turn: inout DatabaseTurn) {
        for transaction in all where !transaction.isWriting { end(transaction, .offline, &turn) }
        all.removeAll { !$0.isWriting }
    }

    /// Ends transactions that no call waits for any more: nothing is told of them. One whose value the host has, or
    /// that is being written, goes on.
    mutating func giveUp(_ given: Set<UInt64>, _ turn: inout DatabaseTurn) {
        for transaction in all where given.contains(transaction.id) { cancelReading(transaction, &turn) }
        all.removeAll { given.contains($0.id) && $0.isBeforeValue }
    }

    /// The host has signed out.
    mutating func signOut(_ turn: inout DatabaseTurn) {
        for transaction in all { end(transaction, .signedOut, &turn) }
        all = []
    }

    private func end(_ transaction: Transaction, _ failure: DatabaseFailure, _ turn: inout DatabaseTurn) {
        cancelReading(transaction, &turn)
        turn.output(.transactionEnded(id: transaction.id, .failure(failure)))
    }

    /// Cancels the read of a transaction's value, for which nothing waits any more.
    private func cancelReading(_ transaction: Transaction, _ turn: inout DatabaseTurn) {
        if case .reading(let request) = transaction.state { turn.output(.transport(.cancel(request))) }
    }
}
