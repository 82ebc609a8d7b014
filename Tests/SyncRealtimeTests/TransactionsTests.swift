import SyncModel
import SyncTree
import XCTest

@testable import SyncRealtime

final class TransactionsTests: PartCase {
    private var transactions = Transactions()
    private var queue = WriteQueue()

    override func setUp() {
        super.setUp()
        (transactions, queue) = (Transactions(), WriteQueue())
    }

    private func begin(_ text: String) throws -> UInt64 {
        let id = transactions.begin(try path(text), &turn).id
        transactions.sendDue(queue, &turn)
        return id
    }

    private func transform(_ id: UInt64, _ json: String?) throws {
        try transactions.transformed(id, json.map { Array($0.utf8) }, &turn)
    }

    func testReadTransformWrite() throws {
        let id = try begin("a")
        XCTAssertEqual(lines(), ["\(id + 1) GET db.example/a.json"])
        XCTAssertTrue(transactions.answered(id + 1, response(200, "1", tag: "x"), &turn))
        XCTAssertEqual(lines(), ["\(id) transform 1"])
        XCTAssertThrowsError(try transform(id, "{"))
        try transform(id, "2")
        XCTAssertEqual(lines(), ["\(id + 2) PUT db.example/a.json 2"])
        XCTAssertEqual(transactions.writing, 1)
        // Somebody was faster.
        XCTAssertTrue(transactions.answered(id + 2, response(412, "5", tag: "y"), &turn))
        XCTAssertEqual(lines(), ["\(id) transform 5"])
        try transform(id, "6")
        XCTAssertTrue(transactions.answered(id + 3, response(200, "6"), &turn))
        XCTAssertEqual(lines(), ["\(id + 3) PUT db.example/a.json 6", "\(id) ended 6"])
        XCTAssertTrue(transactions.isEmpty)
        XCTAssertFalse(transactions.answered(id + 3, response(200, "6"), &turn))
    }

    func testItWaitsForWritesThatTouchItsPlace() throws {
        queue.append(try write("a/b", "1"))
        let id = try begin("a")
        let other = try begin("x")
        XCTAssertEqual(lines(), ["\(other + 1) GET db.example/x.json"])
        queue.signOut(&turn)
        _ = lines()
        transactions.sendDue(queue, &turn)
        XCTAssertEqual(lines(), ["\(other + 2) GET db.example/a.json"])
        XCTAssertEqual(id, other - 1)
    }

    /// After a lost answer it is not repeated: it may have been done.
    func testALostAnswer() throws {
        let id = try begin("a")
        _ = transactions.answered(id + 1, response(200, "1", tag: "x"), &turn)
        try transform(id, "2")
        _ = lines()
        XCTAssertTrue(transactions.failed(id + 2, DatabaseFailure(status: 0, message: "reset"), &turn))
        XCTAssertEqual(lines(), ["\(id) ended it is not known whether it was done: reset"])
    }

    func testWithoutANetworkOnlyAWriteInFlightGoesOn() throws {
        let written = try begin("a")
        _ = transactions.answered(written + 1, response(200, "1", tag: "x"), &turn)
        try transform(written, "2")
        let read = try begin("b")
        _ = lines()
        turn.access.isOnline = false
        transactions.goOffline(&turn)
        XCTAssertEqual(lines(), ["\(read + 1) cancel", "\(read) ended there is no network"])
        let late = try begin("c")
        XCTAssertEqual(lines(), ["\(late) ended there is no network"])
        XCTAssertEqual(transactions.writing, 1)
    }

    func testOnlyOneThatTheHostDoesNotHaveIsGivenUp() throws {
        let asked = try begin("a")
        _ = transactions.answered(asked + 1, response(200, "1", tag: "x"), &turn)
        let read = try begin("b")
        _ = lines()
        transactions.giveUp([asked, read], &turn)
        XCTAssertEqual(lines(), ["\(read + 1) cancel"])
        try transform(asked, nil)
        XCTAssertEqual(lines(), ["\(asked) ended left as it is"])
    }
}
