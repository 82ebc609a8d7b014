import CSQLite
import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// A test that drives an engine by hand, over real files: what the simulator does not come by.
class EngineTestCase: XCTestCase {
    static let wall: Int64 = 1_700_000_000_000
    private(set) var directory = ""
    private(set) var intents: IntentStore!
    private(set) var cache: CacheStore!
    var now = EngineTime(monotonic: 0, wall: EngineTestCase.wall)

    override func setUpWithError() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("sm-engine-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        intents = try IntentStore(directory: directory)
        cache = try CacheStore(directory: directory, now: EngineTestCase.wall)
    }

    override func tearDown() {
        intents.close()
        cache.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    func makeEngine() -> Engine {
        Engine(options: EngineOptions(userID: "mei", accessToken: "t"), cache: cache, intents: intents, now: now)
    }

    func openMessages(_ engine: Engine, _ url: String) {
        engine.handle(
            .openMessageCollection(id: 1, channelURL: url, filter: MessageFilter(), viewpoint: .max), now: now)
    }

    /// Connects and logs in; gives what is asked for then.
    func connect(_ engine: Engine) -> [(id: UInt64, request: ServiceRequest)] {
        engine.handle(.connect(call: 100), now: now)
        engine.connectionOpened(now: now)
        engine.receive(.loggedIn(LoginInfo(userID: "mei", loginTime: EngineTestCase.wall)), now: now)
        return requests(engine.takeOutputs())
    }

    func requests(_ outputs: [EngineOutput]) -> [(id: UInt64, request: ServiceRequest)] {
        outputs.compactMap { if case .request(let id, let request, _) = $0 { (id, request) } else { nil } }
    }

    func completions(_ outputs: [EngineOutput]) -> [UInt64: Completion.Status] {
        var result: [UInt64: Completion.Status] = [:]
        for case .completion(let completion) in outputs { result[completion.call] = completion.status }
        return result
    }

    /// Changes a file behind the store's back.
    func sql(_ text: String, file: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        XCTAssertEqual(sqlite3_open(directory + "/" + file, &handle), SQLITE_OK)
        XCTAssertEqual(sqlite3_exec(handle, text, nil, nil, nil), SQLITE_OK, String(cString: sqlite3_errmsg(handle)))
    }
}
