import SyncBytes
import SyncRealtime
import SyncJSON
import SyncModel
import SyncResources
import SyncTree

/// The realtime database for hosts, resources and streams: who waits for which result, and what they are told. The
/// rules of the database are in `DatabaseMachine`.
final class DatabaseCalls: Machine {
    private struct Transaction {
        let call: DatabaseCall
        /// The host was given the value and has not answered yet.
        var isAsked = false
        var isAborted = false
    }

    private let store: DatabaseStore
    private let machine: DatabaseMachine
    private var reach = DatabaseReach()
    // All keys are the machine's numbers.
    private var reads: [UInt64: DatabaseCall] = [:]
    /// Calls that wait for a write. A write without a call is told only when it is refused.
    private var writes: [UInt64: DatabaseCall] = [:]
    /// The paths of the writes that have not ended.
    private var paths: [UInt64: TreePath] = [:]
    private var transactions: [UInt64: Transaction] = [:]
    private var listens = DatabaseListens()
    /// No waiting call has an earlier deadline, by the monotonic clock; the call with this deadline may have ended.
    /// `nil`: no call has a deadline.
    private var deadline: Int64?

    init(_ setup: DatabaseSetup, _ storage: Storage, _ random: RandomSource) {
        store = DatabaseStore(storage, setup.options)
        let seed = UInt64(bitPattern: random.below(Int64.max))
        machine = DatabaseMachine(setup.options, token: setup.token, seed: seed, keep: store)
    }

    /// Takes over the writes that an earlier process left. They are sent with the first input, because the driver of
    /// the engine does not listen to the network before it.
    func load(_ turn: inout Turn) {
        let left = store.writes()
        for write in left { paths[write.id] = write.path }
        machine.restore(left, now: turn.now)
        if !left.isEmpty { turn.add(.timer(.database, at: turn.now.monotonic)) }
    }

    // MARK: Host

    func handle(
        _ request: DatabaseRequest, call id: CallID, _ turn: inout Turn
    ) {
        let usual: Int64? =
            switch request.operation {
            case .get: turn.options.requestTimeout
            // A write is kept until it is answered, and a transaction waits for the host.
            case .set, .update, .push, .count, .transaction: nil
            case .transformed, .listen, .unlisten, .setToken, .setOnline: nil
            }
        let call = DatabaseCall(
            .call(id), action: request.action, deadline: (request.timeout ?? usual).map { turn.now.monotonic + $0 },
            isDoneWhenKept: request.isDoneWhenKept)
        let write = perform(request.operation, call, unfit: .invalidDocument, &turn)
        guard call.isDoneWhenKept, let write, let kept = writes.removeValue(forKey: write) else { return }
        kept.complete(.ok, result: kept.result, &turn)
    }

    /// Carries out an operation for resources, which get its result under this number.
    func order(
        _ operation: DatabaseRequest.Operation, for id: UInt64, _ turn: inout Turn
    ) {
        var deadline: Int64?
        if case .get = operation { deadline = turn.now.monotonic + turn.options.requestTimeout }
        let call = DatabaseCall(.resources(order: id), deadline: deadline)
        let write = perform(operation, call, unfit: .invalidArgument, &turn)
        if write != nil { turn.add(.ordered(.kept(id: id))) }
    }

    /// Listens for a stream, which gets the values as `FedNotice`s.
    func listen(_ location: DatabaseLocation, for stream: CallID, _ turn: inout Turn) {
        listens.add(machine.listen(location, now: turn.now), of: stream)
        carryOut(&turn)
    }

    /// Ends a stream's listen.
    func unlisten(_ stream: CallID, _ turn: inout Turn) {
        _ = end(listenOf: stream, turn.now)
        carryOut(&turn)
    }

    /// `false` when there is no such listen.
    private func end(listenOf owner: CallID, _ now: Moment) -> Bool {
        guard let listen = listens.remove(of: owner) else { return false }
        machine.stop(listen, now: now)
        return true
    }

    /// Returns the number of the write, if one was begun and stored. `unfit`: the status of the call when its value or
    /// path is not valid.
    private func perform(
        _ operation: DatabaseRequest.Operation, _ call: DatabaseCall, unfit: Status, _ turn: inout Turn
    ) -> UInt64? {
        var write: UInt64?
        deadline = Moment.earlier(deadline, call.deadline)
        do throws(TreeError) {
            write = try begin(operation, call, &turn)
        } catch {
            call.complete(unfit, explanation: error.description, &turn)
        }
        carryOut(&turn)
        // A write that could not be stored has ended already.
        return write.flatMap { writes[$0] == nil ? nil : $0 }
    }

    /// Returns the number of the write, if it is one.
    private func begin(
        _ operation: DatabaseRequest.Operation, _ call: DatabaseCall, _ turn: inout Turn
    ) throws(TreeError) -> UInt64? {
        let now = turn.now
        switch operation {
        case .get(let location, let isShallow):
            reads[machine.read(location, isShallow: isShallow, now: now)] = call
        case .set(let path, let json): return wait(for: try machine.set(path, json, now: now), path, call)
        case .update(let path, let json): return wait(for: try machine.update(path, json, now: now), path, call)
        case .push(let path, let json):
            let (write, key) = try machine.push(path, json, now: now)
            var call = call
            call.result = JSON.object(["key": .string(key.text)]).serialized()
            return wait(for: write, path + key, call)
        case .count(let path, let count): return wait(for: try machine.count(path, by: count, now: now), path, call)
        case .transaction(let path): transactions[machine.transaction(path, now: now)] = Transaction(call: call)
        case .transformed(let transaction, let json): try transform(transaction, json, call, now, &turn)
        case .listen(let location):
            // The call completes before the first value is told.
            guard case .call(let id) = call.owner else { break }
            let result = JSON.object(["listen": .int(Int64(bitPattern: id.number))]).serialized()
            call.complete(.ok, result: result, &turn)
            listens.add(machine.listen(location, now: now), of: id)
        case .unlisten(let listen): call.complete(end(listenOf: listen, now) ? .ok : .notFound, &turn)
        case .setToken(let token):
            reach.isTokenNeeded = false
            machine.setToken(token, now: now)
            call.complete(.ok, &turn)
        case .setOnline(let isOnline):
            reach.isHeldOffline = !isOnline
            machine.setOnline(reach.isOnline, now: now)
            call.complete(.ok, &turn)
        }
        return nil
    }

    private func wait(for write: UInt64, _ path: TreePath, _ call: DatabaseCall) -> UInt64 {
        writes[write] = call
        paths[write] = path
        return write
    }

    private func transform(
        _ transaction: CallID, _ json: [UInt8]?, _ call: DatabaseCall, _ now: Moment, _ turn: inout Turn
    ) throws(TreeError) {
        let asked = transactions.first { $0.value.call.owner == .call(transaction) && $0.value.isAsked }
        guard let id = asked?.key else { return call.complete(.notFound, &turn) }
        // Done before the transaction's call, which may end because of it.
        try machine.transformed(id, json, now: now)
        transactions[id]?.isAsked = false
        transactions[id]?.isAborted = json == nil
        call.complete(.ok, &turn)
    }

    /// The host does not wait any more. A write is carried out all the same. `false` when no such call waits.
    func cancel(
        _ id: CallID, _ status: Status, _ turn: inout Turn
    ) -> Bool {
        let found = giveUp(status, &turn) { $0.owner == .call(id) }
        carryOut(&turn)
        return found
    }

    /// Completes the calls for which `isMeant` is true.
    private func giveUp(
        _ status: Status, explanation: String? = nil, _ turn: inout Turn, _ isMeant: (DatabaseCall) -> Bool
    ) -> Bool {
        var ended: [DatabaseCall] = []
        var (asked, changing): (Set<UInt64>, Set<UInt64>) = ([], [])
        for (id, call) in reads where isMeant(call) {
            reads[id] = nil
            asked.insert(id)
            ended.append(call)
        }
        for (id, call) in writes where isMeant(call) {
            writes[id] = nil
            ended.append(call)
        }
        for (id, transaction) in transactions where isMeant(transaction.call) {
            transactions[id] = nil
            changing.insert(id)
            if transaction.isAsked { try? machine.transformed(id, nil, now: turn.now) }
            ended.append(transaction.call)
        }
        if !asked.isEmpty || !changing.isEmpty { machine.giveUp(reads: asked, transactions: changing, now: turn.now) }
        for call in ended.sorted(by: { $0.owner < $1.owner }) {
            call.complete(status, explanation: explanation, &turn)
        }
        return !ended.isEmpty
    }

    func setForeground(_ isForeground: Bool, _ turn: inout Turn) {
        reach.isInForeground = isForeground
        machine.setOnline(reach.isOnline, now: turn.now)
        carryOut(&turn)
    }

    /// Forgets this user, after the stored data was removed.
    func signOut(_ turn: inout Turn) {
        _ = giveUp(.canceled, explanation: Completion.signedOut, &turn) { _ in true }
        // Nobody is told how writes end any more.
        paths = [:]
        reach.isTokenNeeded = false
        machine.signOut(now: turn.now)
        carryOut(&turn)
    }

    /// The client begins to close: writes are still stored, but their effect on values is not told any more.
    func stopTelling() {
        listens.removeAll()
        machine.stopTelling()
    }

    /// The client closes: every call ends, and values that were told are stored.
    func end(_ turn: inout Turn) {
        machine.finish(now: turn.now)
        _ = giveUp(.closed, &turn) { _ in true }
        machine.setOnline(false, now: turn.now)
        carryOut(&turn)
    }

    // MARK: The world

    /// Something came from the network.
    func receive(_ input: TransportInput, _ turn: inout Turn) {
        machine.receive(input, now: turn.now)
        carryOut(&turn)
    }

    func advance(_ turn: inout Turn) {
        let now = turn.now.monotonic
        if let deadline, deadline <= now {
            _ = giveUp(.timeout, &turn) { call in call.deadline.map { $0 <= now } ?? false }
            self.deadline = waiting.reduce(nil) { Moment.earlier($0, $1.deadline) }
        }
        machine.advance(now: turn.now)
        carryOut(&turn)
    }

    private var waiting: [DatabaseCall] { Array(reads.values) + Array(writes.values) + transactions.values.map(\.call) }

    /// Always later than `now`: work that is due but cannot be done must not keep the engine from other inputs.
    private func nextDeadline(after now: Int64) -> Int64? {
        if reads.isEmpty, writes.isEmpty, transactions.isEmpty { deadline = nil }
        return Moment.earlier(machine.nextDeadline, deadline).map { max($0, now + 1) }
    }

    // MARK: What comes of it

    private func carryOut(_ turn: inout Turn) {
        for output in machine.takeOutputs() {
            switch output {
            case .transport(let command): turn.add(.database(command))
            case .value(let id, let node, let isCurrent): listens.tell(id, node, isCurrent: isCurrent, &turn)
            case .unheard(let id): listens.tellUnheard(id, &turn)
            case .listenEnded(let id, let failure): listens.end(id, failure, &turn)
            case .read(let id, let result, let isCurrent): readEnded(id, result, isCurrent: isCurrent, &turn)
            case .transform(let id, let node):
                guard let transaction = transactions[id] else {
                    // Nobody waits for this transaction any more.
                    try? machine.transformed(id, nil, now: turn.now)
                    break
                }
                transactions[id]?.isAsked = true
                guard case .call(let call) = transaction.call.owner else { break }
                turn.tell(.database(.transform(transaction: call, node)))
            case .transactionEnded(let id, let result): transactionEnded(id, result, &turn)
            case .writeEnded(let id, let failure): writeEnded(id, failure, &turn)
            case .tokenNeeded:
                reach.isTokenNeeded = true
                turn.tell(.database(.tokenNeeded))
            }
        }
        turn.add(.timer(.database, at: nextDeadline(after: turn.now.monotonic)))
    }

    private func readEnded(
        _ id: UInt64, _ result: Result<TreeNode, DatabaseFailure>, isCurrent: Bool, _ turn: inout Turn
    ) {
        guard let call = reads.removeValue(forKey: id) else { return }
        switch (result, call.owner) {
        case (.success(let node), .resources(let order)): turn.add(.ordered(.read(id: order, node)))
        case (.success(let node), .call):
            call.complete(.ok, result: DatabaseCalls.result(node, ["current": isCurrent]), &turn)
        case (.failure(let failure), _): call.complete(failure, reach, &turn)
        }
    }

    private func writeEnded(_ id: UInt64, _ failure: DatabaseFailure?, _ turn: inout Turn) {
        let path = paths.removeValue(forKey: id)
        if let call = writes.removeValue(forKey: id) {
            if let failure { return call.complete(failure, reach, &turn) }
            return call.complete(.ok, result: call.result, &turn)
        }
        guard let failure, let path else { return }
        turn.tell(.database(.writeRefused(path: path.text, failure)))
    }

    private func transactionEnded(
        _ id: UInt64, _ result: Result<TreeNode, DatabaseFailure>, _ turn: inout Turn
    ) {
        guard let transaction = transactions.removeValue(forKey: id) else { return }
        switch result {
        case .success(let node):
            let value = DatabaseCalls.result(node, ["committed": true])
            transaction.call.complete(.ok, result: value, &turn)
        case .failure where transaction.isAborted:
            transaction.call.complete(.ok, result: JSON.object(["committed": false]).serialized(), &turn)
        case .failure(let failure): transaction.call.complete(failure, reach, &turn)
        }
    }

    private static func result(_ node: TreeNode, _ members: KeyValuePairs<StaticString, Bool>) -> [UInt8] {
        var writer = JSONWriter()
        writer.beginObject()
        for (key, value) in members { writer.member(key, value) }
        writer.key("value")
        node.write(&writer)
        writer.endObject()
        return writer.bytes
    }
}
