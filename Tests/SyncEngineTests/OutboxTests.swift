import CSQLite
import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// Own messages on disk: what a start makes of old ones, and what happens when one cannot be taken off.
final class OutboxTests: XCTestCase {
    private static let day: Int64 = 86_400_000
    private static let wall: Int64 = 1_700_000_000_000
    private let now = EngineTime(monotonic: 0, wall: OutboxTests.wall)
    private var directory = ""
    private var intents: IntentStore!
    private var cache: CacheStore!

    override func setUpWithError() throws {
        directory = FileManager.default.temporaryDirectory.appendingPathComponent("sm-outbox-\(UUID())").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        intents = try IntentStore(directory: directory)
        cache = try CacheStore(directory: directory, now: OutboxTests.wall)
    }

    override func tearDown() {
        intents.close()
        cache.close()
        try? FileManager.default.removeItem(atPath: directory)
    }

    /// A message that was written some time before the start, in milliseconds.
    private func add(_ id: String, age: Int64, isFailed: Bool = false, isHostSent: Bool = false) throws {
        _ = try intents.add(
            channelURL: "c", requestID: id, createdAt: OutboxTests.wall - age, body: Array(#"{"message":"m"}"#.utf8),
            isHostSent: isHostSent)
        if isFailed { try intents.update(requestID: id, status: .failed, errorCode: 900_020, retryCount: 0) }
    }

    private func stored() throws -> [String] { try intents.intents(channelURL: nil).map(\.requestID) }

    /// A new engine with a view of the channel.
    private func start() -> Engine {
        let engine = Engine(
            options: EngineOptions(userID: "mei", accessToken: "t"), cache: cache, intents: intents, now: now)
        engine.handle(
            .openMessageCollection(id: 1, channelURL: "c", filter: MessageFilter(), viewpoint: .max), now: now)
        return engine
    }

    /// Connects, and gives what is sent then: number and request id.
    private func connect(_ engine: Engine) -> [(request: UInt64, id: String)] {
        engine.handle(.connect(call: 1), now: now)
        engine.connectionOpened(now: now)
        engine.receive(.loggedIn(LoginInfo(userID: "mei", loginTime: OutboxTests.wall)), now: now)
        return engine.takeOutputs().compactMap {
            if case .request(let request, .sendMessage(_, let id, _), _) = $0 { (request, id) } else { nil }
        }
    }

    func testAPendingMessageOfThreeDaysIsSentAndAnOlderOneOnlyShown() throws {
        try add("older", age: 3 * OutboxTests.day + 1)
        try add("young", age: 3 * OutboxTests.day)
        let engine = start()
        XCTAssertEqual(connect(engine).map(\.id), ["young"])
        XCTAssertEqual(engine.messageViews[1]?.pending, ["young"])
        XCTAssertEqual(engine.messageViews[1]?.failed, ["older"])
        XCTAssertEqual(try stored(), ["older", "young"])
    }

    func testWhatTheHostWasSendingIsShownAsFailedAndNotSent() throws {
        try add("host", age: 1, isHostSent: true)
        let engine = start()
        XCTAssertEqual(connect(engine).map(\.id), [])
        XCTAssertEqual(engine.messageViews[1]?.pending, [])
        XCTAssertEqual(engine.messageViews[1]?.failed, ["host"])
        XCTAssertEqual(try stored(), ["host"])
    }

    func testAFailedMessageIsKeptForSevenDays() throws {
        try add("gone", age: 7 * OutboxTests.day + 1, isFailed: true)
        try add("kept", age: 7 * OutboxTests.day, isFailed: true)
        XCTAssertEqual(start().messageViews[1]?.failed, ["kept"])
        XCTAssertEqual(try stored(), ["kept"])
    }

    /// Else the next start would send it once more.
    func testASentMessageThatStayedOnDiskLeavesItAtTheLastOccasion() throws {
        try add("sent", age: 1)
        let engine = start()
        let request = try XCTUnwrap(connect(engine).first?.request)
        try sql("CREATE TRIGGER stuck BEFORE DELETE ON intent BEGIN SELECT RAISE(ABORT, 'stuck'); END")
        let message = MessageRecord(
            position: MessagePosition(createdAt: OutboxTests.wall, id: 7), senderID: "mei", requestID: "sent",
            json: Array(#"{"message_id":7,"channel_url":"c"}"#.utf8))
        engine.receive(.message(message), for: request, now: now)
        XCTAssertEqual(engine.messageViews[1]?.pending, [])
        XCTAssertEqual(try stored(), ["sent"])
        try sql("DROP TRIGGER stuck")
        engine.handle(.close, now: now)
        XCTAssertEqual(try stored(), [])
    }

    private func sql(_ text: String) throws {
        var handle: OpaquePointer?
        defer { sqlite3_close(handle) }
        XCTAssertEqual(sqlite3_open(directory + "/intents.db", &handle), SQLITE_OK)
        XCTAssertEqual(sqlite3_exec(handle, text, nil, nil, nil), SQLITE_OK, String(cString: sqlite3_errmsg(handle)))
    }
}
