import SyncModel
import XCTest

@testable import SyncManager

/// Slots of calls: taken when one is accepted, free when its result is drained.
final class CallTableTests: XCTestCase {
    private func refusal(_ body: () throws(BorderError) -> Void) -> Status? {
        do throws(BorderError) { try body() } catch { return error.status }
        return nil
    }

    private func slots(_ count: Int) -> WaitingLoad { WaitingLoad(slots: count) }

    func testAsManyCallsAsEventsMayWaitAndAThousandAtLeast() {
        XCTAssertEqual(CallTable(queueLimit: 16).limit, 1000)
        XCTAssertEqual(CallTable(queueLimit: 5000).limit, 5000)
    }

    func testACallWithoutASlotIsRefused() throws {
        var table = CallTable(queueLimit: 16)
        let first = try table.add(Listener(), fetch: nil)
        for _ in 1..<990 { _ = try table.add(Listener(), fetch: nil, others: slots(10)) }
        XCTAssertEqual(
            refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: nil, others: slots(10)) },
            .tooManyCalls)
        XCTAssertNil(refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: nil, others: slots(9)) })
        XCTAssertNotNil(table.remove(first))
        XCTAssertNil(table.remove(first), "once")
        XCTAssertNil(refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: nil, others: slots(9)) })
    }

    /// A host that does not drain must still be able to sign out, once.
    func testASignOutHasASlotOfItsOwn() throws {
        var table = CallTable(queueLimit: 16)
        for _ in 0..<990 { _ = try table.add(Listener(), fetch: nil, others: slots(10)) }
        func signOut() -> Status? {
            refusal { () throws(BorderError) in
                _ = try table.add(Listener(), fetch: nil, others: slots(10), isSignOut: true)
            }
        }
        XCTAssertNil(signOut())
        XCTAssertEqual(signOut(), .tooManyCalls)
    }

    func testOneFetchInADirectionAtATime() throws {
        var table = CallTable(queueLimit: 16)
        let next = CallTable.FetchKey(collection: 1, direction: .next)
        let call = try table.add(Listener(), fetch: next)
        XCTAssertEqual(
            refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: next) }, .duplicatedFetch)
        _ = try table.add(Listener(), fetch: .init(collection: 1, direction: .previous))
        _ = try table.add(Listener(), fetch: .init(collection: 2, direction: .next))
        XCTAssertNotNil(table.remove(call))
        XCTAssertNil(refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: next) })
    }

    /// A start has both directions for itself until its result is drained. Another start is the engine's to refuse.
    func testNoFetchDuringAStart() throws {
        var table = CallTable(queueLimit: 16)
        let start = CallTable.FetchKey(collection: 1, direction: nil)
        let next = CallTable.FetchKey(collection: 1, direction: .next)
        func fetch(_ key: CallTable.FetchKey) -> Status? {
            refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: key) }
        }
        let starts = [try table.add(Listener(), fetch: start), try table.add(Listener(), fetch: start)]
        for call in starts {
            XCTAssertEqual(fetch(next), .duplicatedFetch)
            XCTAssertEqual(fetch(.init(collection: 1, direction: .previous)), .duplicatedFetch)
            XCTAssertNotNil(table.remove(call))
        }
        XCTAssertNil(fetch(.init(collection: 2, direction: .next)))
        XCTAssertNil(fetch(next))
        XCTAssertNil(fetch(start), "a fetch in flight does not keep a start from the engine")
        _ = table.removeAll()
        XCTAssertNil(fetch(next))
    }

    /// A refused fetch leaves its direction free.
    func testARefusedFetchIsNotInFlight() throws {
        var table = CallTable(queueLimit: 16)
        let next = CallTable.FetchKey(collection: 1, direction: .next)
        XCTAssertEqual(
            refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: next, others: slots(1000)) },
            .tooManyCalls)
        XCTAssertNil(refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: next) })
    }

    /// However many slots are free, texts that wait have a bound; a call frees its share when its result is drained.
    func testTextsThatWaitAreBounded() throws {
        var table = CallTable(queueLimit: 16)
        let quarter = CallTable.byteLimit / 4
        let first = try table.add(Listener(), fetch: nil, bytes: quarter)
        for _ in 1..<3 { _ = try table.add(Listener(), fetch: nil, bytes: quarter) }
        func add(_ bytes: Int, beside others: Int = 0) -> Status? {
            refusal { () throws(BorderError) in
                _ = try table.add(Listener(), fetch: nil, bytes: bytes, others: WaitingLoad(bytes: others))
            }
        }
        XCTAssertEqual(add(quarter, beside: 1), .tooManyCalls)
        XCTAssertEqual(
            refusal { () throws(BorderError) in
                try table.checkRoom(bytes: quarter, others: WaitingLoad(bytes: 1))
            }, .tooManyCalls)
        XCTAssertNil(add(quarter))
        XCTAssertEqual(add(1), .tooManyCalls)
        XCTAssertNil(add(0))
        XCTAssertNotNil(table.remove(first))
        XCTAssertNil(add(quarter))
        XCTAssertEqual(add(1), .tooManyCalls)
        _ = table.removeAll()
        XCTAssertNil(add(CallTable.byteLimit))
    }
}
