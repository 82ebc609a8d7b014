import SyncBytes
import SyncRealtime
import SyncJSON
import SyncModel
import SyncResources
import SyncTree

/// The realtime database for hosts: calls and their ends, listens under the numbers of the calls that began them, and
/// what is kept. The rules of the database are the `DatabaseMachine`'s.
struct DatabaseCalls {
    /// Who waits.
    private enum Owner: Comparable {
        /// Resources, by their number of what they ordered.
        case resources(order: UInt64)
        case call(CallID)
    }

    /// Something that is waited for.
    private struct Call {
        let owner: Owner
        let action: Action?
        /// When it completes with TIMEOUT, by the monotonic clock.
        let deadline: Int64?
        /// A write completes when it is kept, and not when the service has answered.
        let isDoneWhenKept: Bool
        /// What a write completes with when all is well, as JSON text.
        var result: [UInt8]?
    }

    private struct Transaction {
        let call: Call
        /// The host has the value, and answers.
        var isAsked = false
        var isAborted = false
    }

    private let store: DatabaseStore
    private let machine: DatabaseMachine
    private var isInForeground = true
    /// The host wants to be offline.
    private var isHeldOffline = false
    private var isTokenNeeded = false
    // All by the machine's numbers.
    private var reads: [UInt64: Call] = [:]
    /// Calls that wait for a write. One that nobody waits for is told only when it is refused.
    private var writes: [UInt64: Call] = [:]
    /// Where the writes go that have not ended.
    private var paths: [UInt64: TreePath] = [:]
    private var transactions: [UInt64: Transaction] = [:]
    private var listens: [UInt64: CallID] = [:]
    /// No call that waits has an earlier deadline, by the monotonic clock; some may have ended. `nil`: none has any.
    private var deadline: Int64?

    init(_ setup: DatabaseSetup, _ storage: Storage, _ random: RandomSource) {
        store = DatabaseStore(storage, setup.options)
        let seed = UInt64(bitPattern: random.below(Int64.max))
        machine = DatabaseMachine(setup.options, token: setup.token, seed: seed, keep: store)
    }

    /// Takes over what an earlier run has left. It is sent with the first input: whoever drives the engine does not
    /// listen to the network before.
    mutating func load(_ turn: inout Turn) {
        let left = store.writes()
        for write in left { paths[write.id] = write.path }
        machine.restore(left, now: turn.now)
        if !left.isEmpty { turn.add(.timer(.database, at: turn.now.monotonic)) }
    }

    // MARK: Host

    mutating func handle(
        _ request: DatabaseRequest, call id: CallID, _ turn: inout Turn
    ) {
        let usual: Int64? =
            switch request.operation {
            case .get: turn.options.requestTimeout
            // A write is kept until it is answered, and a transaction waits for the host.
            case .set, .update, .push, .count, .transaction: nil
            case .transformed, .listen, .unlisten, .setToken, .setOnline: nil
            }
        let call = Call(
            owner: .call(id), action: request.action,
            deadline: (request.timeout ?? usual).map { turn.now.monotonic + $0 },
            isDoneWhenKept: request.isDoneWhenKept)
        let write = perform(request.operation, call, unfit: .invalidDocument, &turn)
        guard call.isDoneWhenKept, let write, let kept = writes.removeValue(forKey: write) else { return }
        complete(kept, .ok, result: kept.result, &turn)
    }

    /// Does something for resources, which are told of it by that number.
    mutating func order(
        _ operation: DatabaseRequest.Operation, for id: UInt64, _ turn: inout Turn
    ) {
        var deadline: Int64?
        if case .get = operation { deadline = turn.now.monotonic + turn.options.requestTimeout }
        let call = Call(
            owner: .resources(order: id), action: nil, deadline: deadline, isDoneWhenKept: false)
        let write = perform(operation, call, unfit: .invalidArgument, &turn)
        if write != nil { turn.add(.ordered(.kept(id: id))) }
    }

    /// Gives the write that was begun and is kept. `unfit`: what the call completes with for what is no value or place.
    private mutating func perform(
        _ operation: DatabaseRequest.Operation, _ call: Call, unfit: Status, _ turn: inout Turn
    ) -> UInt64? {
        var write: UInt64?
        deadline = Moment.earlier(deadline, call.deadline)
        do throws(TreeError) {
            write = try begin(operation, call, &turn)
        } catch {
            complete(call, unfit, explanation: error.description, &turn)
        }
        carryOut(&turn)
        // One that could not be kept has ended by now.
        return write.flatMap { writes[$0] == nil ? nil : $0 }
    }

    /// Gives the write, where it is one.
    private mutating func begin(
        _ operation: DatabaseRequest.Operation, _ call: Call, _ turn: inout Turn
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
            // Before the first value.
            guard case .call(let id) = call.owner else { break }
            let result = JSON.object(["listen": .int(Int64(bitPattern: id.number))]).serialized()
            complete(call, .ok, result: result, &turn)
            listens[machine.listen(location, now: now)] = id
        case .unlisten(let listen):
            let found = listens.first { $0.value == listen }?.key
            if let found {
                listens[found] = nil
                machine.stop(found, now: now)
            }
            complete(call, found == nil ? .notFound : .ok, &turn)
        case .setToken(let token):
            isTokenNeeded = false
            machine.setToken(token, now: now)
            complete(call, .ok, &turn)
        case .setOnline(let isOnline):
            isHeldOffline = !isOnline
            setOnline(now)
            complete(call, .ok, &turn)
        }
        return nil
    }

    private mutating func wait(for write: UInt64, _ path: TreePath, _ call: Call) -> UInt64 {
        writes[write] = call
        paths[write] = path
        return write
    }

    private mutating func transform(
        _ transaction: CallID, _ json: [UInt8]?, _ call: Call, _ now: Moment, _ turn: inout Turn
    ) throws(TreeError) {
        let asked = transactions.first { $0.value.call.owner == .call(transaction) && $0.value.isAsked }
        guard let id = asked?.key else { return complete(call, .notFound, &turn) }
        // Before the call of the transaction, which may end by it.
        try machine.transformed(id, json, now: now)
        transactions[id]?.isAsked = false
        transactions[id]?.isAborted = json == nil
        complete(call, .ok, &turn)
    }

    /// The host does not wait any more. What is written is written all the same. `false` when no such call waits.
    mutating func cancel(
        _ id: CallID, _ status: Status, _ turn: inout Turn
    ) -> Bool {
        let found = giveUp(status, &turn) { $0.owner == .call(id) }
        carryOut(&turn)
        return found
    }

    /// Completes the calls that are meant.
    private mutating func giveUp(
        _ status: Status, explanation: String? = nil, _ turn: inout Turn, _ isMeant: (Call) -> Bool
    ) -> Bool {
        var ended: [Call] = []
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
            complete(call, status, explanation: explanation, &turn)
        }
        return !ended.isEmpty
    }

    mutating func setForeground(_ isForeground: Bool, _ turn: inout Turn) {
        isInForeground = isForeground
        setOnline(turn.now)
        carryOut(&turn)
    }

    private func setOnline(_ now: Moment) { machine.setOnline(isInForeground && !isHeldOffline, now: now) }

    /// Forgets this user, after all that was stored is gone.
    mutating func signOut(_ turn: inout Turn) {
        _ = giveUp(.canceled, explanation: Completion.signedOut, &turn) { _ in true }
        // Nobody is told of writes any more.
        paths = [:]
        isTokenNeeded = false
        machine.signOut(now: turn.now)
        carryOut(&turn)
    }

    /// The client begins to close: writes are still kept, and nobody is told what they make of a place.
    mutating func stopTelling() {
        listens = [:]
        machine.stopTelling()
    }

    /// The client closes: every call ends, and what was told is kept.
    mutating func end(_ turn: inout Turn) {
        machine.finish(now: turn.now)
        _ = giveUp(.closed, &turn) { _ in true }
        machine.setOnline(false, now: turn.now)
        carryOut(&turn)
    }

    // MARK: The world

    /// Something came from the network.
    mutating func receive(_ input: TransportInput, _ turn: inout Turn) {
        machine.receive(input, now: turn.now)
        carryOut(&turn)
    }

    mutating func advance(_ turn: inout Turn) {
        let now = turn.now.monotonic
        if let deadline, deadline <= now {
            _ = giveUp(.timeout, &turn) { call in call.deadline.map { $0 <= now } ?? false }
            self.deadline = waiting.reduce(nil) { Moment.earlier($0, $1.deadline) }
        }
        machine.advance(now: turn.now)
        carryOut(&turn)
    }

    private var waiting: [Call] { Array(reads.values) + Array(writes.values) + transactions.values.map(\.call) }

    /// Never now: what is due and cannot be done must not keep the engine from all else.
    private mutating func nextDeadline(after now: Int64) -> Int64? {
        if reads.isEmpty, writes.isEmpty, transactions.isEmpty { deadline = nil }
        return Moment.earlier(machine.nextDeadline, deadline).map { max($0, now + 1) }
    }

    // MARK: What comes of it

    private mutating func carryOut(_ turn: inout Turn) {
        for output in machine.takeOutputs() {
            switch output {
            case .transport(let command): turn.add(.database(command))
            case .value(let id, let node, let isCurrent):
                guard let listen = listens[id] else { break }
                turn.tell(.database(.value(listen: listen, node, isCurrent: isCurrent)))
            case .unheard(let id):
                // Hosts wait for a value.
                guard let listen = listens[id], listen.stream != nil else { break }
                turn.add(.unheard(listen: listen))
            case .listenEnded(let id, let failure):
                guard let listen = listens.removeValue(forKey: id) else { break }
                turn.tell(.database(.listenEnded(listen: listen, failure)))
            case .read(let id, let result, let isCurrent): readEnded(id, result, isCurrent: isCurrent, &turn)
            case .transform(let id, let node):
                guard let transaction = transactions[id] else {
                    // Nobody waits for it any more.
                    try? machine.transformed(id, nil, now: turn.now)
                    break
                }
                transactions[id]?.isAsked = true
                guard case .call(let call) = transaction.call.owner else { break }
                turn.tell(.database(.transform(transaction: call, node)))
            case .transactionEnded(let id, let result): transactionEnded(id, result, &turn)
            case .writeEnded(let id, let failure): writeEnded(id, failure, &turn)
            case .tokenNeeded:
                isTokenNeeded = true
                turn.tell(.database(.tokenNeeded))
            }
        }
        turn.add(.timer(.database, at: nextDeadline(after: turn.now.monotonic)))
    }

    private mutating func readEnded(
        _ id: UInt64, _ result: Result<TreeNode, DatabaseFailure>, isCurrent: Bool, _ turn: inout Turn
    ) {
        guard let call = reads.removeValue(forKey: id) else { return }
        switch (result, call.owner) {
        case (.success(let node), .resources(let order)): turn.add(.ordered(.read(id: order, node)))
        case (.success(let node), .call):
            complete(call, .ok, result: DatabaseCalls.result(node, ["current": isCurrent]), &turn)
        case (.failure(let failure), _): complete(call, failure, &turn)
        }
    }

    private mutating func writeEnded(_ id: UInt64, _ failure: DatabaseFailure?, _ turn: inout Turn) {
        let path = paths.removeValue(forKey: id)
        if let call = writes.removeValue(forKey: id) {
            if let failure { return complete(call, failure, &turn) }
            return complete(call, .ok, result: call.result, &turn)
        }
        guard let failure, let path else { return }
        turn.tell(.database(.writeRefused(path: path.text, failure)))
    }

    private mutating func transactionEnded(
        _ id: UInt64, _ result: Result<TreeNode, DatabaseFailure>, _ turn: inout Turn
    ) {
        guard let transaction = transactions.removeValue(forKey: id) else { return }
        switch result {
        case .success(let node):
            let value = DatabaseCalls.result(node, ["committed": true])
            complete(transaction.call, .ok, result: value, &turn)
        case .failure where transaction.isAborted:
            complete(transaction.call, .ok, result: JSON.object(["committed": false]).serialized(), &turn)
        case .failure(let failure): complete(transaction.call, failure, &turn)
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

    // MARK: Ends of calls

    private func complete(_ call: Call, _ failure: DatabaseFailure, _ turn: inout Turn) {
        if failure == .notKept { return complete(call, .storage, explanation: failure.message, &turn) }
        if failure.limit != nil { return complete(call, .tooLarge, explanation: failure.message, &turn) }
        if failure == .sumTooLarge { return complete(call, .invalidArgument, explanation: failure.message, &turn) }
        if isTokenNeeded, failure.status == 0 || failure.status == 401 {
            return complete(call, .tokenRejected, explanation: failure.message, &turn)
        }
        guard failure.status != 0 else {
            let isOnline = isInForeground && !isHeldOffline
            return complete(call, isOnline ? .network : .notConnected, explanation: failure.message, &turn)
        }
        switch call.owner {
        case .resources(let order):
            let refusal = ResourceFailure(.service, failure.message, code: failure.status)
            turn.add(.ordered(.failed(id: order, refusal)))
        case .call(let id):
            turn.complete(Completion(
                call: id, name: .call, status: .service,
                failure: ServiceFailure(kind: .refused, code: failure.status, message: failure.message),
                action: call.action))
        }
    }

    private func complete(
        _ call: Call, _ status: Status, result: [UInt8]? = nil, explanation: String? = nil, _ turn: inout Turn
    ) {
        switch call.owner {
        case .resources(let order):
            let failure = ResourceFailure(status, explanation ?? "there was no answer")
            turn.add(.ordered(status == .ok ? .written(id: order) : .failed(id: order, failure)))
        case .call(let id):
            turn.complete(Completion(
                call: id, name: .call, status: status, action: call.action, result: result, explanation: explanation))
        }
    }
}
