import XCTest

@testable import SyncManager

/// A host's document, read key by key.
final class DocumentReaderTests: XCTestCase {
    private func reader(_ text: String) throws -> DocumentReader { try DocumentReader(Array(text.utf8)) }

    private func path<T>(
        _ body: () throws(BorderError) -> T, file: StaticString = #filePath, line: UInt = #line
    ) -> String? {
        do throws(BorderError) {
            _ = try body()
            XCTFail("accepted", file: file, line: line)
            return nil
        } catch {
            XCTAssertEqual(error.status, .invalidDocument, file: file, line: line)
            return error.path
        }
    }

    func testEveryKindIsReadAndNothingIsLeft() throws {
        var reader = try reader(
            #"{"s": "é\n", "w": "one", "i": -3, "t": true, "f": false, "l": ["a", ""], "o": {"x": 1}, "n": null}"#)
        XCTAssertEqual(try reader.string("s"), "é\n")
        XCTAssertEqual(try reader.word("w", ["two", "one"]), "one")
        XCTAssertEqual(try reader.int("i", -3...3), -3)
        XCTAssertEqual(try reader.bool("t"), true)
        XCTAssertEqual(try reader.bool("f"), false)
        XCTAssertEqual(try reader.strings("l"), ["a", ""])
        XCTAssertEqual(reader.value("o")?["x"]?.int, 1)
        XCTAssertNil(reader.value("n"))
        XCTAssertNoThrow(try reader.end())
    }

    func testWhatIsMissingIsNil() throws {
        var reader = try reader(#"{"null": null}"#)
        for key in ["null", "missing"] {
            XCTAssertNil(try reader.string(key))
            XCTAssertNil(try reader.word(key, ["one"]))
            XCTAssertNil(try reader.int(key, 0...1))
            XCTAssertNil(try reader.bool(key))
            XCTAssertEqual(try reader.strings(key), [])
        }
        XCTAssertNoThrow(try reader.end())
    }

    func testAWrongTypeIsNamed() throws {
        var reader = try reader(
            #"{"i": 1, "r": 1.0, "s": "s", "big": 9223372036854775807, "#
                + #""mixed": ["a", 1], "e": ""}"#)
        XCTAssertEqual(path { () throws(BorderError) in try reader.string("i") }, "$.i")
        XCTAssertEqual(path { () throws(BorderError) in try reader.string("e", required: true) }, "$.e")
        XCTAssertEqual(path { () throws(BorderError) in try reader.string("none", required: true) }, "$.none")
        XCTAssertEqual(path { () throws(BorderError) in try reader.word("s", ["S"]) }, "$.s")
        XCTAssertEqual(path { () throws(BorderError) in try reader.int("r", 0...9) }, "$.r")
        XCTAssertEqual(path { () throws(BorderError) in try reader.int("s", 0...9) }, "$.s")
        XCTAssertEqual(path { () throws(BorderError) in try reader.int("big", 0...9) }, "$.big")
        XCTAssertEqual(path { () throws(BorderError) in try reader.bool("i") }, "$.i")
        XCTAssertEqual(path { () throws(BorderError) in try reader.strings("s") }, "$.s")
        XCTAssertEqual(path { () throws(BorderError) in try reader.strings("mixed") }, "$.mixed")
    }

    func testTheFirstUnknownKeyIsNamedAndOneThatWasReadIsNot() throws {
        var reader = try reader(#"{"b": 1, "known": 1, "a": {"deep": 1}}"#)
        _ = reader.value("known")
        XCTAssertEqual(path { () throws(BorderError) in try reader.end() }, "$.a")
        _ = reader.value("a")
        XCTAssertEqual(path { () throws(BorderError) in try reader.end() }, "$.b")
        _ = reader.value("b")
        XCTAssertNoThrow(try reader.end())
    }

    func testWhatIsNoObjectIsRefusedWithThePlace() throws {
        for text in ["[]", "\"a\"", "{", "{\"a\":1}}", "{\"a\":\"\u{1}\"}"] {
            XCTAssertEqual(path { () throws(BorderError) in try DocumentReader(Array(text.utf8)) }, "$", text)
        }
        let badKey = Array("{\"".utf8) + [0xFF] + Array("\":1}".utf8)
        XCTAssertEqual(path { () throws(BorderError) in try DocumentReader(badKey) }, "$")
    }
}
