import SyncModel
import XCTest

@testable import SyncManager

/// Slots of calls: taken when one is accepted, free when its result is drained.
final class CallTableTests: XCTestCase {
    private func refusal(_ body: () throws(BorderError) -> Void) -> Status? {
        do throws(BorderError) { try body() } catch { return error.status }
        return nil
    }

    func testAsManyCallsAsEventsMayWaitAndAThousandAtLeast() {
        XCTAssertEqual(CallTable(queueLimit: 16).limit, 1000)
        XCTAssertEqual(CallTable(queueLimit: 5000).limit, 5000)
    }

    func testACallWithoutASlotIsRefused() throws {
        var table = CallTable(queueLimit: 16)
        let first = try table.add(Listener(), fetch: nil, others: 0)
        for _ in 1..<990 { _ = try table.add(Listener(), fetch: nil, others: 10) }
        XCTAssertEqual(
            refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: nil, others: 10) }, .tooManyCalls)
        XCTAssertNil(refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: nil, others: 9) })
        XCTAssertNotNil(table.remove(first))
        XCTAssertNil(table.remove(first), "once")
        XCTAssertNil(refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: nil, others: 9) })
    }

    func testOneFetchInADirectionAtATime() throws {
        var table = CallTable(queueLimit: 16)
        let next = CallTable.FetchKey(collection: 1, direction: .next)
        let call = try table.add(Listener(), fetch: next, others: 0)
        XCTAssertEqual(
            refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: next, others: 0) },
            .duplicatedFetch)
        _ = try table.add(Listener(), fetch: .init(collection: 1, direction: .previous), others: 0)
        _ = try table.add(Listener(), fetch: .init(collection: 2, direction: .next), others: 0)
        XCTAssertNotNil(table.remove(call))
        XCTAssertNil(refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: next, others: 0) })
    }

    /// A refused fetch leaves its direction free.
    func testARefusedFetchIsNotInFlight() throws {
        var table = CallTable(queueLimit: 16)
        let next = CallTable.FetchKey(collection: 1, direction: .next)
        XCTAssertEqual(
            refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: next, others: 1000) },
            .tooManyCalls)
        XCTAssertNil(refusal { () throws(BorderError) in _ = try table.add(Listener(), fetch: next, others: 0) })
    }
}
