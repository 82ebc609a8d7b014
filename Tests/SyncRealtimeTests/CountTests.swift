import SyncTree
import XCTest

@testable import SyncRealtime

final class CountTests: XCTestCase {
    private func number(_ value: Int64) -> TreeNode { TreeNode(.integer(value)) }

    func testTheSumIsWrittenUnderTheTagOfTheValue() {
        var count = Count(by: 2)
        XCTAssertNil(count.condition)
        XCTAssertTrue(count.hasValue(200))
        XCTAssertEqual(count.take(number(5), tag: "a"), .write(number(7), pauses: false))
        XCTAssertEqual(count.condition?.sum, number(7))
        XCTAssertEqual(count.condition?.tag, "a")
        // A write that is done is no value; one that another client was faster than brings it.
        XCTAssertFalse(count.hasValue(200))
        XCTAssertTrue(count.hasValue(412))
        XCTAssertEqual(count.take(number(9), tag: "b"), .write(number(11), pauses: false))
        XCTAssertEqual(count.condition?.tag, "b")
    }

    func testWhatStandsThereAfterALostAnswerSaysWhetherItWasDone() {
        let cases: [(node: Int64, tag: String, step: Count.Step)] = [
            (5, "a", .write(number(7), pauses: false)),
            (7, "b", .isDone),
            (8, "b", .write(number(10), pauses: false)),
        ]
        for (node, tag, step) in cases {
            var count = Count(by: 2)
            _ = count.take(number(5), tag: "a")
            count.lose()
            XCTAssertNil(count.condition)
            XCTAssertEqual(count.take(number(node), tag: tag), step)
        }
    }

    /// A read that got no answer has written nothing.
    func testALostReadLeavesNothingOpen() {
        var count = Count(by: 2)
        _ = count.take(number(5), tag: "a")
        count.readAgain()
        count.lose()
        XCTAssertEqual(count.take(number(7), tag: "b"), .write(number(9), pauses: false))
    }

    func testSums() {
        var count = Count(by: .max)
        XCTAssertEqual(count.take(number(1), tag: "a"), .isTooLarge)
        XCTAssertEqual(count.take(.empty, tag: "a"), .write(number(.max), pauses: false))
        XCTAssertEqual(Count(by: -3).added(to: .empty), number(0))
        XCTAssertEqual(Count(by: 3).added(to: TreeNode(.text("x"))), number(3))
    }

    func testManyConflictsInARowPause() {
        var count = Count(by: 1)
        _ = count.take(number(0), tag: "0")
        for other in 1..<25 {
            XCTAssertEqual(
                count.take(number(Int64(other)), tag: "\(other)"), .write(number(Int64(other) + 1), pauses: false))
        }
        XCTAssertEqual(count.take(number(25), tag: "25"), .write(number(26), pauses: true))
        XCTAssertNil(count.condition)
    }
}
