import SyncJSON
import SyncModel
import XCTest

/// Documents of a host: what is refused, and with which path.
final class DocumentValueTests: XCTestCase {
    private enum Word: String, CaseIterable { case one, two }

    private func path<T>(
        _ body: () throws(DocumentError) -> T, file: StaticString = #filePath, line: UInt = #line
    ) -> String? {
        do throws(DocumentError) {
            _ = try body()
            XCTFail("accepted", file: file, line: line)
            return nil
        } catch {
            XCTAssertFalse(error.message.isEmpty, file: file, line: line)
            return error.path
        }
    }

    func testWhatIsNoJSONIsRefusedAsAWhole() {
        for text in ["", " ", "{", #"{"a":1}}"#, #"{"a":1e999}"#, "{\"a\":\"\u{1}\"}"] {
            XCTAssertEqual(
                path { () throws(DocumentError) in try DocumentValue(parsing: Array(text.utf8)) }, "$", text)
        }
        let badKey = Array("{\"".utf8) + [0xFF] + Array("\":1}".utf8)
        XCTAssertEqual(path { () throws(DocumentError) in try DocumentValue(parsing: badKey) }, "$")
    }

    func testWhatIsNoObjectHasNoMembers() throws {
        for text in ["[]", "1", "null", #""a""#] {
            let value = try DocumentValue(parsing: Array(text.utf8))
            XCTAssertEqual(path { () throws(DocumentError) in try value.members() }, "$", text)
            XCTAssertNil(value.member("a"))
        }
    }

    func testMembersHaveTheirPaths() throws {
        let text = #"{"s": "x", "e": "", "i": -3, "r": 1.0, "l": 9223372036854775808, "n": null, "o dd": [1], "#
            + #""w": "three"}"#
        let document = try DocumentValue(parsing: Array(text.utf8))
        XCTAssertEqual(Set(try document.members().map(\.key)), ["s", "e", "i", "r", "l", "n", "o dd", "w"])
        XCTAssertEqual(try document.member("s")?.text(), "x")
        XCTAssertEqual(try document.member("i")?.integer(in: -3...3), -3)
        XCTAssertNil(document.member("n"), "null is as good as missing")
        XCTAssertNil(document.member("none"))
        let empty = try XCTUnwrap(document.member("e")), real = try XCTUnwrap(document.member("r"))
        let large = try XCTUnwrap(document.member("l"))
        XCTAssertEqual(path { () throws(DocumentError) in try large.integer(in: 0...Int64.max) }, "$.l")
        XCTAssertEqual(path { () throws(DocumentError) in try large.time() }, "$.l")
        XCTAssertEqual(path { () throws(DocumentError) in try large.messageID() }, "$.l")
        let odd = try XCTUnwrap(document.member("o dd")), word = try XCTUnwrap(document.member("w"))
        XCTAssertEqual(path { () throws(DocumentError) in try empty.nonemptyText() }, "$.e")
        XCTAssertEqual(path { () throws(DocumentError) in try real.integer(in: 0...9) }, "$.r")
        XCTAssertEqual(path { () throws(DocumentError) in try odd.texts() }, #"$["o dd"][0]"#)
        XCTAssertEqual(path { () throws(DocumentError) in try word.choice(Word.self) }, "$.w")
        XCTAssertEqual(document.missing("none").path, "$.none")
    }
}
