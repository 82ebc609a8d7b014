import SyncTree
import TestSupport
import XCTest

final class TreeQueryTests: XCTestCase {
    private func node(_ json: String) throws -> TreeNode { try TreeReader.value(Array(json.utf8), time: 0) }

    private func keys(_ query: TreeQuery, _ node: TreeNode) -> String {
        query.children(of: node).map(\.key.text).joined(separator: " ")
    }

    func testKeysThatAreNumbersComeFirst() throws {
        // Of the same number the shorter text is first, then the bytes decide.
        let sorted = [
            "-5", "0", "-0", "1", "01", "2", "10", "2147483647", "-", "12345678901", "2147483648", "A", "a", "é",
        ]
        let children = sorted.reversed().map { #""\#($0)":1"# }.joined(separator: ",")
        XCTAssertEqual(try node("{\(children)}").children.map(\.key.text), sorted)
    }

    func testValuesOfAllKindsInOneOrder() throws {
        let read = try node(
            #"""
            {"o":{"x":1},"s2":"b","s1":"B","n3":10,"n2":9.5,"n1":-1,"t":true,"f":false,"a":"","z":{"y":0},
            "big":9007199254740993,"real":9007199254740992.0}
            """#)
        XCTAssertEqual(keys(TreeQuery(.value), read), "f t n1 n2 n3 real big a s1 s2 o z")
        let byChild = try node(#"{"a":{"v":2},"b":{"v":null,"w":1},"c":{"v":"x"},"d":{"v":{"q":1}},"e":5,"f":{"v":1}}"#)
        XCTAssertEqual(keys(TreeQuery(.child(try TreePath("v"))), byChild), "b e f a c d")
        let deep = try node(#"{"a":{"v":{"w":2}},"b":{"v":{"w":1}}}"#)
        XCTAssertEqual(keys(TreeQuery(.child(try TreePath("v/w"))), deep), "b a")
        let ranked = try node(
            #"{"a":{".value":1,".priority":"x"},"b":{".value":1,".priority":5},"c":1,"d":{".value":0,".priority":5}}"#)
        XCTAssertEqual(keys(TreeQuery(.priority), ranked), "c b d a")
    }

    func testBounds() throws {
        let read = try node(
            #"{"a":{"v":1},"b":{"v":2},"c":{"v":2},"d":{"v":2},"e":{"v":3},"f":{"v":"2"},"g":{}, "h":true}"#)
        func found(_ change: (inout TreeQuery) throws -> Void) throws -> String {
            var query = TreeQuery(.child(try TreePath("v")))
            try change(&query)
            return keys(query, read)
        }
        XCTAssertEqual(try found { try $0.begin(at: .integer(2)) }, "b c d e f")
        XCTAssertEqual(try found { try $0.begin(at: .integer(2), isInclusive: false) }, "e f")
        XCTAssertEqual(try found { try $0.end(at: .integer(2)) }, "h a b c d")
        XCTAssertEqual(try found { try $0.end(at: .integer(2), isInclusive: false) }, "h a")
        XCTAssertEqual(try found { try $0.begin(at: .integer(2), key: "c") }, "c d e f")
        XCTAssertEqual(try found { try $0.begin(at: .integer(2), key: "c", isInclusive: false) }, "d e f")
        XCTAssertEqual(try found { try $0.end(at: .integer(2), key: "c") }, "h a b c")
        XCTAssertEqual(try found { try $0.end(at: .integer(2), key: "c", isInclusive: false) }, "h a b")
        XCTAssertEqual(
            try found {
                try $0.begin(at: .integer(2))
                try $0.end(at: .integer(2))
            }, "b c d")
        XCTAssertEqual(
            try found {
                try $0.begin(at: nil)
                try $0.end(at: nil)
            }, "h")
        XCTAssertEqual(
            try found {
                try $0.begin(at: .real(1.5))
                $0.limit = .first(2)
            }, "b c")
        XCTAssertEqual(
            try found {
                try $0.end(at: .real(2.5))
                $0.limit = .last(2)
            }, "c d")
        XCTAssertEqual(try found { $0.limit = .first(0) }, "")
        XCTAssertEqual(try found { $0.limit = .last(100) }, "h a b c d e f")
        XCTAssertEqual(keys(TreeQuery(.value), try node("5")), "")
    }

    func testRangesOfKeys() throws {
        let read = try node(#"{"1":1,"5":1,"10":1,"a":1,"b":1}"#)
        var query = TreeQuery(.key)
        try query.begin(at: .text("5"))
        try query.end(at: .text("a"))
        XCTAssertEqual(keys(query, read), "5 10 a")
        try query.begin(at: .text("5"), isInclusive: false)
        XCTAssertEqual(keys(query, read), "10 a")
        XCTAssertThrowsError(try query.begin(at: .integer(5)))
        XCTAssertThrowsError(try query.begin(at: .text("5"), key: "x"))
        var byPriority = TreeQuery(.priority)
        XCTAssertThrowsError(try byPriority.end(at: .bool(true)))
    }

    /// The order is one: of any three values, none contradicts the others.
    func testTheOrderOfValuesIsTransitive() throws {
        let values =
            try node(
                """
                {"a":null,"b":false,"c":true,"d":9007199254740992,"e":9007199254740993,"f":9007199254740992.0,"g":1e300,
                "h":-1e300,"i":9223372036854775807,"j":9223372036854775808,"k":-9223372036854775808,"l":0.5,"m":0,
                "n":"","o":"0","p":{"x":1},"q":"\u{FFFD}","r":"\u{1F600}"}
                """
            ).children.map { TreeRank($0.node) } + [.nothing]
        for a in values {
            for b in values {
                XCTAssertEqual([a < b, b < a, a == b].filter { $0 }.count, 1, "\(a) \(b)")
                for c in values where a < b && b < c { XCTAssertTrue(a < c, "\(a) \(b) \(c)") }
            }
        }
    }

    /// Queries against a plain filter and sort over all children.
    func testRandomQueriesAgreeWithAPlainFilter() throws {
        for seed in UInt64(1)...300 {
            var random = SeededGenerator(seed: seed)
            let count = Int.random(in: 0...20, using: &random)
            let entries = (0..<count).map { ("k\($0)", Int64.random(in: 0...6, using: &random)) }
            let tree = TreeNode(
                entries.shuffled(using: &random).compactMap { entry in
                    TreeKey(entry.0).map { TreeChild(key: $0, node: TreeNode(.integer(entry.1))) }
                })
            let (low, high) = (Int64.random(in: 0...6, using: &random), Int64.random(in: 0...6, using: &random))
            let (openLow, openHigh) = (Bool.random(using: &random), Bool.random(using: &random))
            let limit = Int.random(in: 0...8, using: &random)
            let isFirst = Bool.random(using: &random)
            var query = TreeQuery(.value, limit: isFirst ? .first(limit) : .last(limit))
            try query.begin(at: .integer(low), isInclusive: !openLow)
            try query.end(at: .integer(high), isInclusive: !openHigh)
            let plain = entries.filter { entry in
                (openLow ? entry.1 > low : entry.1 >= low) && (openHigh ? entry.1 < high : entry.1 <= high)
            }.sorted { $0.1 == $1.1 ? $0.0 < $1.0 : $0.1 < $1.1 }.map(\.0)
            let expected = isFirst ? Array(plain.prefix(limit)) : Array(plain.suffix(limit))
            XCTAssertEqual(query.children(of: tree).map(\.key.text), expected, "seed \(seed)")
            XCTAssertEqual(query.window(of: tree).children.map(\.key.text), expected.sorted(), "seed \(seed)")
        }
    }
}
