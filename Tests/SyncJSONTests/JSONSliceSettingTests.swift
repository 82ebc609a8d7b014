import SyncJSON
import XCTest

final class JSONSliceSettingTests: XCTestCase {
    private func setting(_ members: [(key: String, value: String)], in object: String) -> String? {
        let values = members.map { (key: $0.key, value: Array($0.value.utf8)) }
        return JSONSlice.setting(values, in: Array(object.utf8)).map { String(decoding: $0, as: UTF8.self) }
    }

    func testReplacesWhereItStandsAndAddsAtTheEnd() {
        XCTAssertEqual(setting([("b", "7")], in: #"{"a": 1, "b" : [2, 3] ,"c":4}"#), #"{"a": 1, "b" : 7 ,"c":4}"#)
        XCTAssertEqual(setting([("d", "null")], in: #" {"a":1} "#), #"{"a":1,"d":null}"#)
        XCTAssertEqual(setting([("d", "{}")], in: "{ }"), #"{ "d":{}}"#)
        XCTAssertEqual(setting([], in: #"{"a":1}"#), #"{"a":1}"#)
    }

    func testOnlyTheTopLevelIsMeant() {
        XCTAssertEqual(
            setting([("x", "1")], in: #"{"x":{"x":2},"y":[{"x":3}]}"#), #"{"x":1,"y":[{"x":3}]}"#)
        XCTAssertEqual(setting([("x", "1")], in: #"{"y":{"x":2}}"#), #"{"y":{"x":2},"x":1}"#)
    }

    func testKeysAreComparedAsTextAndWrittenAsJSON() {
        XCTAssertEqual(setting([("ü\n", "1")], in: #"{"\u00fc\n":0}"#), #"{"\u00fc\n":1}"#)
        XCTAssertEqual(setting([("a\"\u{1}", "1")], in: "{}"), #"{"a\"\u0001":1}"#)
        XCTAssertEqual(setting([("a", "1"), ("a", "2")], in: #"{"a":0,"a":0}"#), #"{"a":2,"a":2}"#)
    }

    func testRefusesWhatIsNoJSON() {
        XCTAssertNil(setting([("a", "1")], in: "[]"))
        XCTAssertNil(setting([("a", "1")], in: #"{"a":"#))
        XCTAssertNil(setting([("a", "1")], in: #"{"a":"}"#))
        XCTAssertNil(setting([("a", "1")], in: ""))
        XCTAssertNil(setting([("a", "1 2")], in: "{}"))
        XCTAssertNil(setting([("a", "")], in: "{}"))
    }

    func testRemovesMembersAndNothingElse() {
        func removing(_ names: Set<String>, from object: String) -> String? {
            JSONSlice.removing(names, from: Array(object.utf8)).map { String(decoding: $0, as: UTF8.self) }
        }
        let object = #"{"a": 1.50, "b" : {"a":[ 2 ]},"\u0061":3,"c":"ü"}"#
        XCTAssertEqual(removing(["a"], from: object), #"{"b":{"a":[ 2 ]},"c":"ü"}"#)
        XCTAssertEqual(removing(["c", "x"], from: object), #"{"a":1.50,"b":{"a":[ 2 ]},"\u0061":3}"#)
        XCTAssertEqual(removing(["a", "b", "c"], from: object), "{}")
        XCTAssertEqual(removing(["a"], from: "{}"), "{}")
        XCTAssertNil(removing(["a"], from: "[1]"))
        XCTAssertNil(removing(["a"], from: #"{"a":"#))
    }

    /// The same outcome as a document taken apart and put together again, on a few thousand random objects.
    func testAgreesWithTheDocument() throws {
        var state: UInt64 = 7
        func below(_ bound: UInt64) -> UInt64 {
            state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return (state >> 33) % bound
        }
        let keys = ["a", "b", "ü", "\"", "a\\", "", "long key with words"]
        func key() -> String { keys[Int(below(UInt64(keys.count)))] }
        func value(_ depth: Int) -> JSON {
            switch below(depth > 2 ? 5 : 7) {
            case 0: return .int(Int64(below(1000)) - 500)
            case 1: return .string(key() + "\n]},:")
            case 2: return .bool(below(2) == 0)
            case 3: return .null
            case 4: return .string("")
            case 5:
                let array = JSON.array()
                for _ in 0..<below(4) { array.append(value(depth + 1)) }
                return array
            default: return object(depth + 1)
            }
        }
        func object(_ depth: Int) -> JSON {
            let object = JSON.object()
            for _ in 0..<below(5) { object.set(key(), value(depth)) }
            return object
        }
        for _ in 0..<3000 {
            let before = object(0)
            let members = (0..<below(4)).map { _ in (key: key(), value: value(1).serialized()) }
            let text = try XCTUnwrap(JSONSlice.setting(members, in: before.serialized()))
            for member in members { before.set(member.key, try JSON.parse(member.value)) }
            XCTAssertEqual(try JSON.parse(text).serialized(), before.serialized())
        }
    }
}
