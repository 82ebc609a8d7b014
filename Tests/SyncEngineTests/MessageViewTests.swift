import SyncModel
import SyncSendbird
import XCTest

@testable import SyncEngine

/// The bound of a view in bytes; what else it does, MessageWindowsTests tell.
final class MessageViewTests: XCTestCase {
    private let rules = SendbirdRules()

    private func row(_ number: Int64, _ bytes: Int) -> MessageRow {
        MessageRow(
            id: "\(number)", position: MessagePosition(order: number, tie: 0),
            json: [UInt8](repeating: UInt8(ascii: " "), count: bytes))
    }

    private func view(_ rows: [MessageRow]) -> MessageView {
        var filter = MessageFilter()
        filter.limit = 2
        var view = MessageView(filter: filter, viewpoint: Int64.max)
        _ = view.attach(rows, rules)
        return view
    }

    private func shown(_ view: MessageView) -> [Int64] { view.window.rows.map(\.position.order) }

    func testTheEndThatDidNotGrowIsTrimmedToTheBytes() {
        var view = view((1...8).map { row($0, 2 * ByteBound.bytesPerRow) })
        XCTAssertNil(view.trim(to: 20, growing: .next))
        XCTAssertNotNil(view.trim(to: 10, growing: .next))
        XCTAssertEqual(shown(view), Array(4...8))
        XCTAssertNil(view.trim(to: 10, growing: .next))
        _ = view.attach([row(3, 10)], rules)
        XCTAssertNotNil(view.trim(to: 10, growing: .previous))
        XCTAssertEqual(shown(view), Array(3...7))
        XCTAssertTrue(view.hasNext)
    }

    func testAPageStays() {
        var view = view((1...3).map { row($0, 100 * ByteBound.bytesPerRow) })
        XCTAssertNotNil(view.trim(to: 4, growing: .next))
        XCTAssertEqual(shown(view), [2, 3])
        XCTAssertNil(view.trim(to: 4, growing: .next))
    }

    func testAViewWithoutACapacityHasNoBound() {
        var view = view([row(1, 10), row(2, 100 * ByteBound.bytesPerRow)])
        XCTAssertNil(view.trim(to: Int.max, growing: .next))
    }
}
