import SyncBytes
import XCTest

@testable import SyncModel

/// Every sequence of a few operations on a few rows: applied to a list, the changes always give the window.
final class WindowTests: XCTestCase {
    private struct Row: WindowRow, Equatable {
        let id: TextKey
        let place: Int
        let json: [UInt8]

        init(_ id: TextKey, _ place: Int, _ content: UInt8 = 0) {
            self.id = id
            self.place = place
            json = [content]
        }
    }

    private enum Operation: CustomStringConvertible {
        case put(Row)
        case merge([Row])
        case remove(Set<TextKey>)
        case removeFirst, removeLast, clear
        case removeBefore(Int)

        var description: String {
            switch self {
            case .put(let row): "put \(row.id)@\(row.place)/\(row.json)"
            case .merge(let rows): "merge \(rows.map { "\($0.id)@\($0.place)/\($0.json)" })"
            case .remove(let ids): "remove \(ids.sorted())"
            case .removeFirst: "removeFirst"
            case .removeLast: "removeLast"
            case .clear: "clear"
            case .removeBefore(let place): "removeBefore \(place)"
            }
        }
    }

    /// Three rows at six places, two contents: moves past each other in all ways, several at once, back and again.
    private static let operations: [Operation] = {
        var all: [Operation] = [
            .removeFirst, .removeLast, .clear, .remove(["a", "c"]), .remove(["b"]), .removeBefore(25),
        ]
        for (id, places) in [("a", [10, 40]), ("b", [20, 50]), ("c", [30, 5])] as [(TextKey, [Int])] {
            for place in places { for content: UInt8 in 0...1 { all.append(.put(Row(id, place, content))) } }
        }
        all.append(.merge([Row("a", 10), Row("b", 20), Row("c", 30)]))
        all.append(.merge([Row("c", 5, 1), Row("a", 40)]))
        all.append(.merge([Row("b", 50), Row("a", 10, 1)]))
        return all
    }()

    /// Rows that come to stand where others are that have not left yet.
    func testRowsThatTakeEachOthersPlaces() {
        for isReversed in [false, true] {
            var window = Window<Row>(isReversed: isReversed)
            let before = [Row("a", 10), Row("b", 20), Row("c", 30), Row("d", 40)]
            let after = [Row("b", 10), Row("a", 20), Row("d", 30), Row("c", 40, 1)]
            _ = window.insert(before)
            var list: [Row] = isReversed ? before.reversed() : before
            let new = Dictionary(uniqueKeysWithValues: after.map { ($0.id, $0) })
            for change in window.merge([after[1], after[0], after[3], after[2]]) { replay(change, new, &list) }
            XCTAssertEqual(window.rows, after)
            XCTAssertEqual(list, isReversed ? after.reversed() : after)
        }
    }

    func testEverySequenceOfFourOperations() {
        var count = 0
        func run(_ window: Window<Row>, _ shown: [Row], _ path: [Operation], most: Int) {
            if path.count == most { return }
            for operation in WindowTests.operations {
                var next = window
                var list = shown
                var wanted = Dictionary(uniqueKeysWithValues: shown.map { ($0.id, $0) })
                apply(operation, to: &next, &list, &wanted)
                count += 1
                let expected = wanted.values.sorted { $0.place < $1.place }
                guard next.rows == expected, list == (next.isReversed ? expected.reversed() : expected) else {
                    return XCTFail("\(path + [operation]): window \(next.rows), list \(list), expected \(expected)")
                }
                for row in expected where next.index(ofID: row.id) != expected.firstIndex(of: row) {
                    return XCTFail("\(path + [operation]): \(row.id) is not found where it is")
                }
                run(next, list, path + [operation], most: most)
            }
        }
        run(Window(), [], [], most: 4)
        run(Window(isReversed: true), [], [], most: 3)
        XCTAssertGreaterThan(count, 100_000)
    }

    private func apply(
        _ operation: Operation, to window: inout Window<Row>, _ list: inout [Row], _ wanted: inout [TextKey: Row]
    ) {
        var changes: [WindowChange] = []
        func note(_ change: WindowChange?) { if let change { changes.append(change) } }
        var new: [TextKey: Row] = [:]
        switch operation {
        case .put(let row):
            new[row.id] = row
            wanted[row.id] = row
            note(window.put(row))
        case .merge(let rows):
            for row in rows {
                new[row.id] = row
                wanted[row.id] = row
            }
            changes = window.merge(rows)
        case .remove(let ids):
            for id in ids { wanted[id] = nil }
            note(window.remove(ids: ids))
        case .removeFirst:
            if let first = window.first { wanted[first.id] = nil }
            note(window.removeFirst(1))
        case .removeLast:
            if let last = window.last { wanted[last.id] = nil }
            note(window.removeLast(1))
        case .removeBefore(let place):
            wanted = wanted.filter { $0.value.place >= place }
            note(window.remove(before: place))
        case .clear:
            wanted = [:]
            note(window.clear())
        }
        for change in changes { replay(change, new, &list) }
    }

    /// As a host applies a change: nothing but the positions and the content are looked at.
    private func replay(_ change: WindowChange, _ new: [TextKey: Row], _ list: inout [Row]) {
        if change.action == .clear { list = [] }
        for item in change.items {
            switch change.action {
            case .insert: if let row = new[item.id] { list.insert(row, at: item.index) }
            case .update: if let row = new[item.id] { list[item.index] = row }
            case .remove: list.remove(at: item.index)
            case .move:
                list.remove(at: item.from)
                if let row = new[item.id] { list.insert(row, at: item.index) }
            case .clear: break
            }
        }
    }

    func testAReversedWindowIsToldWholeFromItsEnd() {
        var window = Window<Row>(isReversed: true)
        let change = window.insert([Row("a", 1), Row("b", 2)])
        XCTAssertEqual(change?.items.map(\.id), ["b", "a"])
        XCTAssertEqual(change?.items.map(\.index), [0, 1])
        XCTAssertEqual(window.snapshot(), change)
        _ = window.insert([Row("c", 3), Row("d", 4)])
        XCTAssertEqual(window.removeFirst(2)?.items.map(\.index), [3, 2])
        XCTAssertEqual(window.remove(ids: ["c", "d"])?.items.map(\.index), [1, 0])
    }

    /// What did not change is not told.
    func testWhatIsAsItWasIsNotTold() {
        var window = Window<Row>()
        _ = window.merge([Row("a", 1), Row("b", 2)])
        XCTAssertNil(window.put(Row("a", 1)))
        XCTAssertEqual(window.merge([Row("a", 1), Row("b", 2)]), [])
        XCTAssertNil(window.remove(ids: ["c"]))
        XCTAssertNil(window.removeFirst(0))
    }

    /// Many rows into many: sorted in one go, with the place of each at its time.
    func testManyRowsAreInsertedAsOne() {
        var window = Window<Row>()
        _ = window.insert((0..<5000).map { Row("even \($0)", $0 * 2) }.shuffled())
        let change = window.insert((0..<5000).map { Row("odd \($0)", $0 * 2 + 1) }.shuffled())
        XCTAssertEqual(window.rows.map(\.place), Array(0..<10_000))
        XCTAssertEqual(change?.items.map(\.index), (0..<5000).map { $0 * 2 + 1 })
    }
}
