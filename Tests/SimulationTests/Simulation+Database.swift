import SyncModel
import SyncTree
import TestSupport

@testable import SyncRealtime
@testable import SyncEngine

/// The realtime database: what a host and others do with it, and what must hold.
extension Simulation {
    func databaseAct() throws {
        if random.chance(25) { return resourceAct() }
        switch random.below(24) {
        case 0..<4: try listen(to: place())
        case 4:
            guard let listen = random.pick(database.listens.keys.sorted()) else { return }
            database.listens[listen] = nil
            ask(.databaseUnlisten, .unlisten(listen))
        case 5..<9: try writeOwn(isLogged: true)
        case 9..<12: try writeOwn(isLogged: false)
        case 12:
            let child = random.pick(["a", "b", "c"]) ?? "a"
            let json = random.chance(30) ? "null" : #"{"v":\#(random.below(6)),"by":"mei"}"#
            ask(.databaseSet, .set(try TreePath("shared/" + child), Array(json.utf8)))
        case 13: ask(.databasePush, .push(try TreePath("list"), Array("\(time)".utf8)))
        case 14..<17: try count()
        case 17: ask(.databaseGet, .get(try place(), isShallow: false))
        case 18: ask(.databaseTransaction, .transaction(try TreePath("turns")))
        case 19:
            ask(.databaseOffline, .setOnline(false))
            plan(.databaseOnline, in: random.below(20_000))
        default: othersWrite()
        }
    }

    @discardableResult
    func ask(
        _ action: DatabaseAction, _ operation: DatabaseRequest.Operation, isDoneWhenKept: Bool = false
    ) -> CallID {
        let call = newCall(action.rawValue)
        command(.call(call, .database(DatabaseRequest(action, operation, isDoneWhenKept: isDoneWhenKept))))
        return call
    }

    private func place() throws -> DatabaseLocation {
        let shared = try TreePath("shared")
        let places = [
            DatabaseLocation(TreePath()), DatabaseLocation(shared), DatabaseLocation(try TreePath("shared/a/v")),
            DatabaseLocation(try TreePath("own")), DatabaseLocation(DatabaseKnowledge.ownPlace),
            DatabaseLocation(shared, try DatabaseQuery(.child(try TreePath("v")), limit: .last(2))),
            DatabaseLocation(try TreePath("list"), try DatabaseQuery(.key, limit: .last(3))),
        ]
        return random.pick(places) ?? DatabaseLocation(shared)
    }

    func listen(to location: DatabaseLocation) throws {
        // The first value comes within the call.
        let call = newCall(DatabaseAction.databaseListen.rawValue)
        database.listens[call] = DatabaseKnowledge.Shown(location: location)
        command(.call(call, .database(DatabaseRequest(.databaseListen, .listen(location)))))
    }

    /// Who begins again looks at its own place, as it was kept.
    func beginDatabase() throws {
        if random.chance(80) { try listen(to: DatabaseLocation(DatabaseKnowledge.ownPlace)) }
    }

    private func writeOwn(isLogged: Bool) throws {
        let number = database.begin()
        let operation: DatabaseRequest.Operation =
            if isLogged {
                .update(TreePath(), Array(#"{"own/last":\#(number),"log/\#(number)":true}"#.utf8))
            } else {
                .set(DatabaseKnowledge.ownPlace, Array("\(number)".utf8))
            }
        database.ended(number, write(operation), isLogged: isLogged)
    }

    private func write(_ operation: DatabaseRequest.Operation) -> DatabaseKnowledge.Outcome {
        let process = processNumber
        let isDoneWhenKept = random.chance(50)
        let call = ask(.databaseUpdate, operation, isDoneWhenKept: isDoneWhenKept)
        if process != processNumber { return .unknown }
        if results[call]?.status == .storage { return .notKept }
        if isDoneWhenKept, results[call]?.status != .ok {
            violation = violation ?? Violation(description: "write \(call) is neither kept nor refused")
        }
        return .kept
    }

    private func count() throws {
        let by = [1, 1, 2, -1, DatabaseKnowledge.most][Int(random.below(5))]
        switch write(.count(DatabaseKnowledge.tally, by: by)) {
        case .kept: database.counted += by
        case .notKept: break
        case .unknown: database.uncertain += DatabaseKnowledge.most
        }
        guard random.chance(50) else { return }
        // Somebody counts between the reading of the sum and its writing.
        try advance(random.below(250))
        othersCount()
    }

    private func othersCount() {
        let sum = DatabaseKnowledge.number(service.databaseValue(at: "/tally")) + 1
        service.database("PUT", "/tally.json", "\(sum)")
        database.counted += 1
    }

    private func othersWrite() {
        let child = random.pick(["a", "b", "c"]) ?? "a"
        switch random.below(5) {
        case 0: service.database("DELETE", "/shared/\(child).json")
        case 1: service.database("PATCH", "/shared.json", #"{"\#(child)/v":\#(random.below(6))}"#)
        case 2: othersCount()
        case 3: service.database("POST", "/list.json", "\(time)")
        default: service.database("PUT", "/shared/\(child).json", #"{"v":\#(random.below(6)),"by":"bo"}"#)
        }
        network.collect()
    }

    /// Does what a request of the device asks of the service.
    func executing(isLate: Bool, _ execute: () -> TransportResponse) -> TransportResponse {
        func last() -> Int64 { DatabaseKnowledge.number(service.databaseValue(at: "/own/last")) }
        let before = last()
        let answer = execute()
        let after = last()
        if after != before { database.changed(to: after, isLate: isLate) }
        return answer
    }

    // MARK: What is told

    func take(_ notice: DatabaseNotice) {
        seen.insert("\(notice.type)")
        switch notice {
        case .value(let listen, let node, let isCurrent):
            let text = String(decoding: node.json().prefix(150), as: UTF8.self)
            note("  listen \(listen) \(isCurrent ? "=" : "~") \(text)")
            violation = violation ?? database.told(listen, node, isCurrent: isCurrent)
        case .listenEnded(let listen, let failure):
            note("  listen \(listen) ended: \(failure.message)")
            database.listens[listen] = nil
        case .transform(let transaction, let node):
            plan(.transform(transaction, DatabaseKnowledge.number(node) + 1), in: random.below(300))
        case .writeRefused(let path, let failure):
            violation = violation ?? Violation(description: "a write to \(path) was refused: \(failure.message)")
        case .tokenNeeded: violation = violation ?? Violation(description: "the database wants another token")
        }
    }

    func transform(_ transaction: CallID, _ value: Int64) {
        ask(.databaseTransformed, .transformed(transaction, Array("\(value)".utf8)))
    }

    func databaseOnline() { ask(.databaseOnline, .setOnline(true)) }

    // MARK: What must hold

    /// Writes reach the service in their order, and none without those before it.
    func checkDatabase() throws {
        guard traits.hasDatabase else { return }
        let last = DatabaseKnowledge.number(service.databaseValue(at: "/own/last"))
        guard last >= database.greatest else {
            throw Violation(description: "write \(last) came behind \(database.greatest)")
        }
        database.greatest = last
        let log = service.databaseValue(at: "/log")
        func isThere(_ number: Int64) -> Bool { TreeKey("\(number)").map { !log[$0].isEmpty } ?? false }
        guard let missing = database.logged.firstIndex(where: { !isThere($0) }) else { return }
        if let early = database.logged[missing...].first(where: isThere) {
            throw Violation(description: "write \(early) came before \(database.logged[missing])")
        }
    }

    /// When faults stop: nothing that was kept is lost, and everybody is shown what is there.
    func convergeDatabase() throws {
        guard traits.hasDatabase else { return }
        try listen(to: DatabaseLocation(TreePath()))
        // A stream that died without a sign is found by its silence.
        try advance(80_000)
        for _ in 0..<300 {
            try advance(1_000)
            if device.queuedWrites.isEmpty, database.listens.values.allSatisfy(\.isCurrent) { break }
        }
        // What was accepted and not told has given way, and what was told is kept.
        try advance(10_000)
        try checkDatabase()
        guard device.queuedWrites.isEmpty else {
            throw Violation(description: "writes are not sent: \(device.queuedWrites.map(\.id))")
        }
        let root = service.databaseValue(at: "/")
        if let lost = database.logged.first(where: { root[DatabaseKnowledge.logPlace($0)].isEmpty }) {
            throw Violation(description: "write \(lost) was kept and is lost")
        }
        let last = DatabaseKnowledge.number(root[DatabaseKnowledge.ownPlace])
        guard database.mayRemain(last) else {
            throw Violation(description: "own write \(last) is there, not \((database.own ?? []).sorted())")
        }
        let tally = DatabaseKnowledge.number(service.databaseValue(at: "/tally"))
        let uncertain = database.uncertain + database.lostSums * DatabaseKnowledge.most
        guard abs(tally - database.counted) <= uncertain else {
            throw Violation(description: "\(tally) was counted, not \(database.counted) within \(uncertain)")
        }
        try compareDatabase(root, isCurrent: true)
    }

    /// Whether a request writes the sum of a count.
    static func isSum(_ request: TransportRequest) -> Bool {
        request.method == "PUT" && request.headers.contains { $0.name == "if-match" }
            && request.url.contains("/tally.json")
    }

    private func compareDatabase(_ root: TreeNode, isCurrent: Bool) throws {
        for (listen, shown) in database.listens.sorted(by: { $0.key < $1.key }) {
            let node = root[shown.location.path]
            let there = shown.location.query?.tree.window(of: node) ?? node
            guard shown.node == there, shown.isCurrent == isCurrent else {
                throw Violation(
                    description: "listen \(listen) to \(shown.location.path.text) shows "
                        + "\(shown.node.map { String(decoding: $0.json(), as: UTF8.self) } ?? "nothing") "
                        + "(current: \(shown.isCurrent)), not \(String(decoding: there.json(), as: UTF8.self))")
            }
        }
    }

    /// After the client has closed: a new process without a network shows what there was.
    func checkKeptDatabase() throws {
        guard traits.hasDatabase else { return }
        let places = database.listens.values.map(\.location)
        let root = service.databaseValue(at: "/")
        begin(isOnline: false)
        for place in places.sorted(by: { $0.path.text < $1.path.text }) { try listen(to: place) }
        if let violation { throw violation }
        try compareDatabase(root, isCurrent: false)
    }
}
