import SyncModel
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
        let values: [StreamValue] = [
            .null, .bool(false), .bool(true), .number(-1.5), .number(0), .number(2), .text(""), .text("A"), .text("a"),
            .text("é"), .object,
        ]
        for (left, one) in values.enumerated() {
            for (right, two) in values.enumerated() {
                XCTAssertEqual(one < two, left < right, "\(one) \(two)")
                XCTAssertEqual(one == two, left == right, "\(one) \(two)")
            }
        }
        let keys = [
            "-2147483648", "-5", "0", "-0", "00", "1", "01", "2", "10", "2147483647", "+1", "-", "-2147483649", "1.0",
            "2147483648", "A", "a", "é",
        ]
        let places = keys.map { StreamPlace(.null, key: $0, isDescending: false) }
        for (left, one) in places.enumerated() {
            for (right, two) in places.enumerated() where left != right {
                XCTAssertEqual(one < two, left < right, "\(one.key) \(two.key)")
                let (down, other) = (StreamPlace(.null, key: one.key, isDescending: true),
                    StreamPlace(.null, key: two.key, isDescending: true))
                XCTAssertEqual(down < other, left > right, "\(one.key) \(two.key), descending")
            }
        }
    }
}

extension DocumentValue {
    init(parsing bytes: [UInt8], path: String) throws(DocumentError) {
        self.init(try DocumentValue(parsing: bytes).json, path: path)
    }
}
