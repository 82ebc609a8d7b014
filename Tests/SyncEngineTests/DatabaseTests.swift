import SyncRealtime
import SyncModel
import SyncStore
import SyncTree
import XCTest

@testable import SyncEngine

/// The realtime database beside the chat: what both share.
final class DatabaseTests: EngineTestCase {
    private let instance = DatabaseInstance(url: "http://db", name: "")

    /// The bodies of the requests that go out.
    private func sent() -> [String] {
        engine.takeDatabaseCommands().compactMap { command in
            guard case .send(let request, _) = command else { return nil }
            return String(decoding: request.body ?? [], as: UTF8.self)
        }
    }

    private func set(_ json: String) throws {
        let request = DatabaseRequest(.databaseSet, .set(try TreePath("a"), Array(json.utf8)))
        command(.call(newCall(), .database(request)))
    }

    private func get(_ path: String, timeout: Int64?) throws -> CallID {
        let location = DatabaseLocation(try TreePath(path))
        let call = newCall()
        command(.call(
            call, .database(DatabaseRequest(.databaseGet, .get(location, isShallow: false), timeout: timeout))))
        return call
    }

    /// A request ends with its call: by its deadline, by the host, or with the client.
    func testARequestEndsWithItsCall() throws {
        start { $0.database = DatabaseSetup(DatabaseOptions(url: "http://db"), token: nil) }
        var requests: [UInt64] = []
        var calls: [CallID] = []
        for timeout in [500, nil, nil] as [Int64?] {
            calls.append(try get("a\(calls.count)", timeout: timeout))
            for case .send(_, let id) in engine.takeDatabaseCommands() { requests.append(id) }
        }
        XCTAssertEqual(requests.count, 3)
        wait(500)
        XCTAssertEqual(engine.takeDatabaseCommands(), [.cancel(requests[0])])
        let cancel = ActionCall(action: .library(.cancel), arguments: ["request": .integer(Int64(calls[1].number))])
        command(.call(newCall(), .action(cancel)))
        XCTAssertEqual(engine.takeDatabaseCommands(), [.cancel(requests[1])])
        engine.close([], now: now)
        XCTAssertEqual(engine.takeDatabaseCommands(), [.cancel(requests[2])])
    }

    func testAnAnswerThatIsTooLargeIsSaid() throws {
        start { $0.database = DatabaseSetup(DatabaseOptions(url: "http://db"), token: nil) }
        for kind in [TransportFailure.Kind.tooLarge, .crowded] {
            let call = try get("a", timeout: nil)
            for case .send(_, let id) in engine.takeDatabaseCommands() {
                engine.receive(database: .requestFailed(id: id, TransportFailure(kind: kind, message: "why")), now: now)
            }
            let outputs = engine.takeHostOutputs()
            guard case .completion(let completion)? = outputs.first else { return XCTFail("not completed") }
            XCTAssertEqual(completion.call, call)
            XCTAssertEqual(completion.status, .tooLarge)
            XCTAssertEqual(completion.explanation, "why")
        }
    }

    /// A write that a sign-out leaves on the disk would be sent by the next process, behind all that came after it: so
    /// it has to stay known.
    func testASignOutThatFailsForgetsNoWrite() throws {
        start { $0.database = DatabaseSetup(DatabaseOptions(url: "http://db"), token: nil) }
        try set("1")
        XCTAssertEqual(sent(), ["1"])
        intents.setCommitHook { () throws(StoreError) in throw .full }
        command(.call(newCall(), .signOut))
        intents.setCommitHook(nil)
        XCTAssertEqual(try intents.databaseWrites(to: instance).count, 1)
        try set("2")
        XCTAssertEqual(sent(), [], "the first one has not been answered")
        XCTAssertEqual(try intents.databaseWrites(to: instance).count, 2)
        command(.call(newCall(), .signOut))
        XCTAssertEqual(try intents.databaseWrites(to: instance), [])
        try set("3")
        XCTAssertEqual(sent(), ["3"])
    }
}
