import SyncModel
import SyncTree
import XCTest

@testable import SyncStreams

final class RowConditionTests: XCTestCase {
    private func expression(_ text: String) throws -> RowCondition {
        try RowCondition(try DocumentValue(parsing: Array(text.utf8), path: "$.predicate"))
    }

    func testWhatHolds() throws {
        let item = StreamItem(
            "k1", #"{"age":30,"name":"Al","deep":{"on":true,"list":[{"x":1},{"x":2}]},"no":null,"old":30.0,"o":{}}"#)
        let cases: [(String, Bool)] = [
            ("true", true), ("false", false),
            (#"{"==":["age",30]}"#, true), (#"{"==":["age",30.0]}"#, true), (#"{"==":["age","30"]}"#, false),
            (#"{"!=":["age",31]}"#, true), (#"{"!=":["missing",null]}"#, false), (#"{"==":["no",null]}"#, true),
            (#"{"<":["age",31]}"#, true), (#"{"<":["age",30]}"#, false), (#"{"<=":["age",30]}"#, true),
            (#"{">":["age",29.5]}"#, true), (#"{">=":["age",31]}"#, false),
            (#"{"<":["missing",5]}"#, false), (#"{">":["name",5]}"#, false), (#"{"<":["name","B"]}"#, true),
            (#"{"<=":["no",null]}"#, false), (#"{"<":["deep/off",true]}"#, false), (#"{">":["deep/on",false]}"#, true),
            (#"{"==":["o",null]}"#, false), (#"{"==":["o",{"field":"o"}]}"#, false),
            (#"{"==":["age",{"field":"old"}]}"#, true), (#"{"<":["age",{"field":"name"}]}"#, false),
            (#"{"in":["age",["x",30,null]]}"#, true), (#"{"in":["age",[]]}"#, false),
            (#"{"in":["missing",[1,null]]}"#, true),
            (#"{"prefix":["name","A"]}"#, true), (#"{"prefix":["name","a"]}"#, false),
            (#"{"prefix":["age","3"]}"#, false), (#"{"prefix":["name",""]}"#, true),
            (#"{"exists":"deep/list/1/x"}"#, true), (#"{"exists":"deep/list/2/x"}"#, false),
            (#"{"exists":"no"}"#, false), (#"{"==":["deep/list/0/x",1]}"#, true),
            // In a list only digits without zeros before them are an index.
            (#"{"exists":"deep/list/-0/x"}"#, false), (#"{"exists":"deep/list/01/x"}"#, false),
            (#"{"exists":"deep/list/+1/x"}"#, false), (#"{"exists":"deep/list/00/x"}"#, false),
            (#"{"exists":"deep/list/99999999999999999999/x"}"#, false),
            (#"{"==":["$key","k1"]}"#, true), (#"{"exists":"$value"}"#, true),
            (#"{"and":[]}"#, true), (#"{"or":[]}"#, false), (#"{"not":{"exists":"age"}}"#, false),
            (#"{"and":[{"exists":"age"},{"not":{"==":["name","B"]}}]}"#, true),
            (#"{"or":[{"==":["name","B"]},{"prefix":["$key","k"]}]}"#, true),
        ]
        for (text, wanted) in cases {
            let expression = try expression(text)
            XCTAssertEqual(item.view(expression.holds), wanted, text)
        }
        let escaped = StreamItem("k", #"{"a\/b\u00e9":"\u0041"}"#)
        let value = try RowCondition(try DocumentValue(parsing: Array(#"{"==":["bé","A"]}"#.utf8)))
        XCTAssertFalse(escaped.view(value.holds), "another name")
        let plain = StreamItem("k", #"{"b\u00e9":"\u0041"}"#)
        XCTAssertTrue(plain.view(value.holds), "escapes are resolved")
    }

    func testWhatIsRefusedAndWhere() {
        let cases: [(String, String)] = [
            ("5", "$.predicate"), ("{}", "$.predicate"), (#"{"and":[],"or":[]}"#, "$.predicate"),
            (#"{"xor":[]}"#, "$.predicate.xor"), (#"{"==":["a"]}"#, #"$.predicate["=="]"#),
            (#"{"==":["",1]}"#, #"$.predicate["=="][0]"#), (#"{"==":["a//b",1]}"#, #"$.predicate["=="][0]"#),
            (#"{"==":["$other",1]}"#, #"$.predicate["=="][0]"#), (#"{"==":["a",[1]]}"#, #"$.predicate["=="][1]"#),
            (#"{"==":["a",{"path":"b"}]}"#, #"$.predicate["=="][1]"#),
            (#"{"==":["a",{"field":7}]}"#, #"$.predicate["=="][1].field"#),
            (#"{"and":[true,{"or":[true,{"in":["a",7]}]}]}"#, "$.predicate.and[1].or[1].in[1]"),
            (#"{"in":["a",[1,{}]]}"#, "$.predicate.in[1][1]"), (#"{"prefix":["a",1]}"#, "$.predicate.prefix[1]"),
            (#"{"exists":["a"]}"#, "$.predicate.exists"), (#"{"not":null}"#, "$.predicate.not"),
        ]
        for (text, path) in cases {
            XCTAssertThrowsError(try expression(text), text) { error in
                XCTAssertEqual((error as? DocumentError)?.path, path, text)
            }
        }
        let deep = String(repeating: #"{"not":"#, count: 64) + "true" + String(repeating: "}", count: 64)
        XCTAssertThrowsError(try expression(deep), "64 and one more")
        XCTAssertNoThrow(try expression(String(deep.dropFirst(7).dropLast())))
    }

    func testTheOrderOfValuesAndKeys() {
        let values: [TreeRank] = [
            .nothing, .bool(false), .bool(true), .integer(Int64.min), .real(-1.5), .integer(-1), .integer(0),
            .real(0.5), .integer(2), .integer(1 << 53), .integer(1 << 53 + 1), .real(1e300), .text(""), .text("A"),
            .text("a"), .text("abcdef"), .text("abcdefg"), .text("abcdefh"), .text("é"), .children,
        ]
        XCTAssertEqual(TreeRank.real(-0.0), .integer(0))
        XCTAssertEqual(place(.real(-0.0)), place(.integer(0)))
        for (left, one) in values.enumerated() {
            for (right, two) in values.enumerated() {
                XCTAssertEqual(one < two, left < right, "\(one) \(two)")
                XCTAssertEqual(one == two, left == right, "\(one) \(two)")
                XCTAssertEqual(place(one) < place(two), left < right, "\(one) \(two)")
                XCTAssertEqual(place(one, down: true) < place(two, down: true), left > right, "\(one) \(two)")
                XCTAssertEqual(place(one) == place(two), left == right, "\(one) \(two)")
            }
        }
        let keys = [
            "-2147483648", "-5", "0", "-0", "00", "1", "01", "2", "10", "2147483647", "+1", "-", "-2147483649", "1.0",
            "2147483648", "A", "a", "abcdef", "abcdefg", "é",
        ]
        for (left, one) in keys.enumerated() {
            for (right, two) in keys.enumerated() {
                for value in [TreeRank.nothing, .integer(1)] {
                    let (first, second) = (place(value, one), place(value, two))
                    XCTAssertEqual(first < second, left < right, "\(one) \(two)")
                    XCTAssertEqual(first == second, left == right, "\(one) \(two)")
                    let (down, other) = (place(value, one, down: true), place(value, two, down: true))
                    XCTAssertEqual(down < other, left > right, "\(one) \(two), descending")
                }
            }
        }
    }

    func testTheOrderOfTheSource() {
        // The first rank, one between it and the next, and so on: also ranks shorter and longer than the usual.
        let first = Rank.between(nil, nil, count: 2)
        var ranks = [Rank.between(nil, first[0], count: 1)[0], first[0], first[1]]
        for _ in 0..<100 { ranks.insert(Rank.between(ranks[1], ranks[2], count: 1)[0], at: 2) }
        ranks.insert("4", at: 0)
        let places = ranks.map { StreamPlace(rank: $0, key: "k", isDescending: false) }
        for (one, two) in zip(places, places.dropFirst()) { XCTAssertLessThan(one, two) }
        XCTAssertLessThan(places[places.count - 1], StreamPlace(rank: nil, key: "a", isDescending: false))
    }

    func testRanksOfValuesAreInTheOrderOfValues() {
        let limit = Int64(1) << 53
        let values: [TreeRank] = [
            .nothing, .bool(false), .bool(true), .real(-.greatestFiniteMagnitude), .integer(.min), .integer(.min + 1),
            .integer(-limit - 1), .integer(-limit), .real(-1.5), .integer(-1), .real(-.leastNonzeroMagnitude),
            .integer(0), .real(0.5), .integer(1), .integer(limit), .integer(limit + 1), .real(Double(limit) + 2),
            .integer(limit + 3), .integer(.max - 1), .integer(.max), .real(0x1p63), .real(1e300),
            .text(""), .text("\u{1}"), .text("1"), .text("a"), .text("aa"), .text("b"), .text("é"), .children,
        ]
        for (one, left) in values.enumerated() {
            for (two, right) in values.enumerated() {
                XCTAssertEqual(left < right, one < two, "\(left) \(right)")
                let (first, second) = (Rank.text(of: left), Rank.text(of: right))
                XCTAssertEqual(first.utf8.lexicographicallyPrecedes(second.utf8), one < two, "\(left) \(right)")
                let places = [first, second].map { StreamPlace(rank: $0, key: "k", isDescending: false) }
                XCTAssertEqual(places[0] < places[1], one < two, "\(left) \(right)")
            }
        }
        XCTAssertEqual(Rank.text(of: .real(-0.0)), Rank.text(of: .integer(0)))
        XCTAssertEqual(Rank.text(of: .real(3)), Rank.text(of: .integer(3)))
    }

    private func place(_ value: TreeRank, _ key: String = "k", down: Bool = false) -> StreamPlace {
        StreamPlace(value, key: key, isDescending: down)
    }
}

extension DocumentValue {
    init(parsing bytes: [UInt8], path: String) throws(DocumentError) {
        self.init(try DocumentValue(parsing: bytes).json, path: path)
    }
}
