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
        engine.takeTransportCommands().compactMap { command in
            guard case .send(let request, _) = command else { return nil }
            return String(decoding: request.body ?? [], as: UTF8.self)
        }
    }

    private func set(_ json: String) throws {
        let request = DatabaseRequest(.databaseSet, .set(try TreePath("a"), Array(json.utf8)))
        command(.database(request, call: newCall()))
    }

    /// A write that a sign-out leaves on the disk would be sent by the next process, behind all that came after it: so
    /// it has to stay known.
    func testASignOutThatFailsForgetsNoWrite() throws {
        start { $0.database = DatabaseSetup(DatabaseOptions(url: "http://db"), token: nil) }
        try set("1")
        XCTAssertEqual(sent(), ["1"])
        intents.setCommitHook { () throws(StoreError) in throw .full }
        command(.signOut(call: newCall()))
        intents.setCommitHook(nil)
        XCTAssertEqual(try intents.databaseWrites(to: instance).count, 1)
        try set("2")
        XCTAssertEqual(sent(), [], "the first one has not been answered")
        XCTAssertEqual(try intents.databaseWrites(to: instance).count, 2)
        command(.signOut(call: newCall()))
        XCTAssertEqual(try intents.databaseWrites(to: instance), [])
        try set("3")
        XCTAssertEqual(sent(), ["3"])
    }
}
