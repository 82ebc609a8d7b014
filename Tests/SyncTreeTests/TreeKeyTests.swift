import SyncTree
import TestSupport
import XCTest

/// Which keys count as numbers, and which as places in an array, for every key of up to three of `-01x`.
final class TreeKeyTests: XCTestCase {
    private let keys: [String] = {
        let letters = ["-", "0", "1", "x"]
        let pairs = letters.flatMap { first in letters.map { first + $0 } }
        return letters + pairs + pairs.flatMap { pair in letters.map { pair + $0 } }
    }()

    /// The rule of the reference for the order: `^-?0*[0-9]{1,10}$`.
    private func number(_ key: String) -> Int? {
        let digits = key.hasPrefix("-") ? key.dropFirst() : key[...]
        return !digits.isEmpty && digits.allSatisfy({ "01".contains($0) }) ? Int(key) : nil
    }

    /// The rule of the reference for arrays: `^(0|[1-9][0-9]*)$`.
    private func index(_ key: String) -> Int? { number(key).flatMap { $0 >= 0 && String($0) == key ? $0 : nil } }

    private func read(_ json: String) throws -> TreeNode { try TreeReader.value(Array(json.utf8), time: 0) }

    private func text(_ node: TreeNode) -> String { String(decoding: node.json(), as: UTF8.self) }

    private func array(_ values: [Int: String]) -> String {
        let elements = (0...(values.keys.max() ?? 0)).map { values[$0] ?? "null" }
        return "[\(elements.joined(separator: ","))]"
    }

    func testAChildAloneIsInAnArrayOnlyUnderTheNameThatTheArrayGivesIt() throws {
        for key in keys {
            let json = #"{"\#(key)":"v"}"#
            let place = index(key).flatMap { $0 < 2 ? $0 : nil }
            XCTAssertEqual(text(try read(json)), place.map { array([$0: #""v""#]) } ?? json, key)
        }
    }

    func testTwoChildrenAreAnArrayOnlyWhenBothAreIndices() throws {
        for first in keys {
            for second in keys where first != second {
                let node = try read(#"{"\#(first)":1,"\#(second)":2}"#)
                let told = text(node)
                // Nothing is lost or renamed on the way out and in again.
                XCTAssertEqual(try read(told), node, "\(first) \(second)")
                if let one = index(first), let two = index(second), max(one, two) < 4 {
                    XCTAssertEqual(told, array([one: "1", two: "2"]))
                } else {
                    XCTAssertTrue(told.hasPrefix("{"), "\(first) \(second): \(told)")
                }
            }
        }
    }

    func testNumbersStandFirstByTheirValueThenByTheirLength() throws {
        let sorted = keys.sorted { left, right in
            switch (number(left), number(right)) {
            case (let one?, let two?) where one != two: one < two
            case (.some, .some) where left.utf8.count != right.utf8.count: left.utf8.count < right.utf8.count
            case (.some, nil): true
            case (nil, .some): false
            default: left.utf8.lexicographicallyPrecedes(right.utf8)
            }
        }
        let members = keys.map { #""\#($0)":1"# }.joined(separator: ",")
        let node = try read("{\(members)}")
        XCTAssertEqual(node.children.map(\.key.text), sorted)
    }
}
