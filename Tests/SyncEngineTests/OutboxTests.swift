import SyncModel
import XCTest

@testable import SyncEngine

/// Own messages on disk: what a start makes of old ones, and what happens when one cannot be taken off.
final class OutboxTests: EngineTestCase {
    private static let day: Int64 = 86_400_000

    /// A message that was written some time before the start, in milliseconds.
    private func add(_ id: String, age: Int64, isFailed: Bool = false, isHostSent: Bool = false) throws {
        _ = try intents.add(
            channelURL: "c", requestID: id, createdAt: EngineTestCase.wall - age,
            body: Array(#"{"message":"m"}"#.utf8), isHostSent: isHostSent)
        if isFailed { try intents.update(requestID: id, status: .failed, errorCode: 900_020, retryCount: 0) }
    }

    private func stored() throws -> [String] { try intents.intents(channelURL: nil).map(\.requestID) }

    /// A new engine with a view of the channel.
    private func start() -> Engine {
        let engine = makeEngine()
        openMessages(engine, "c")
        return engine
    }

    /// Connects, and gives what is sent then: number and request id.
    private func sends(_ engine: Engine) -> [(number: UInt64, id: String)] {
        connect(engine).compactMap {
            if case .sendMessage(_, let id, _) = $0.request { ($0.id, id) } else { nil }
        }
    }

    func testAPendingMessageOfThreeDaysIsSentAndAnOlderOneOnlyShown() throws {
        try add("older", age: 3 * OutboxTests.day + 1)
        try add("young", age: 3 * OutboxTests.day)
        let engine = start()
        XCTAssertEqual(sends(engine).map(\.id), ["young"])
        XCTAssertEqual(engine.messageViews[1]?.pending, ["young"])
        XCTAssertEqual(engine.messageViews[1]?.failed, ["older"])
        XCTAssertEqual(try stored(), ["older", "young"])
    }

    func testWhatTheHostWasSendingIsShownAsFailedAndNotSent() throws {
        try add("host", age: 1, isHostSent: true)
        let engine = start()
        XCTAssertEqual(sends(engine).map(\.id), [])
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
        let engine = try engineWithASentMessageStuckOnDisk()
        try sql("DROP TRIGGER stuck", file: "intents.db")
        engine.handle(.close, now: now)
        XCTAssertEqual(try stored(), [])
    }

    func testASentMessageThatStayedOnDiskLeavesItAtTheNextLogin() throws {
        let engine = try engineWithASentMessageStuckOnDisk()
        try sql("DROP TRIGGER stuck", file: "intents.db")
        engine.handle(.disconnect, now: now)
        XCTAssertEqual(try stored(), ["sent"])
        XCTAssertEqual(sends(engine).map(\.id), [])
        XCTAssertEqual(try stored(), [])
    }

    private func engineWithASentMessageStuckOnDisk() throws -> Engine {
        try add("sent", age: 1)
        let engine = start()
        let number = try XCTUnwrap(sends(engine).first?.number)
        try sql(
            "CREATE TRIGGER stuck BEFORE DELETE ON intent BEGIN SELECT RAISE(ABORT, 'stuck'); END", file: "intents.db")
        let message = MessageRecord(
            position: MessagePosition(createdAt: EngineTestCase.wall, id: 7), senderID: "mei", requestID: "sent",
            json: Array(#"{"message_id":7,"channel_url":"c"}"#.utf8))
        engine.receive(.message(message), for: number, now: now)
        XCTAssertEqual(engine.messageViews[1]?.pending, [])
        XCTAssertEqual(try stored(), ["sent"])
        return engine
    }
}
