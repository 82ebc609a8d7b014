import SyncJSON
import XCTest

/// The validator in place against jansson's parser, and the writer against both.
final class SyncJSONTests: XCTestCase {
    /// What jansson refuses and the grammar does not: values that it cannot hold. The slice leaves them as they stand.
    private static let unholdable = [
        "real number overflow", "invalid Unicode '", "NUL byte in object key not supported",
    ]

    private enum Verdict { case both, neither, onlySlice }

    /// The verdict on a text; fails when the two disagree without a reason that is known.
    private func verdict(_ text: [UInt8], file: StaticString = #filePath, line: UInt = #line) -> Verdict {
        let slice = Result { try text.withUnsafeBytes { _ = try JSONSlice.checked($0) } }
        let jansson = Result { try JSON.parse(text) }
        func shown() -> String { String(decoding: text, as: UTF8.self).debugDescription }
        switch (slice, jansson) {
        case (.success, .success(let document)):
            let walked = text.withUnsafeBytes { bytes in (try? JSONSlice.checked(bytes)).map(Self.document) }
            XCTAssertEqual(walked, document, "walked differently: \(shown())", file: file, line: line)
            return .both
        case (.failure, .failure): return .neither
        case (.failure(let error), .success):
            XCTFail("only the slice refuses (\(error)): \(shown())", file: file, line: line)
            return .neither
        case (.success, .failure(let error)):
            let message = (error as? JSONError)?.message ?? ""
            if !Self.unholdable.contains(where: message.hasPrefix) {
                XCTFail("only jansson refuses (\(message)): \(shown())", file: file, line: line)
            }
            return .onlySlice
        }
    }

    /// What a walk over the slice finds, as a document.
    private static func document(_ slice: JSONSlice) -> JSON {
        if slice.isNull { return .null }
        if let bool = slice.bool { return .bool(bool) }
        if let string = slice.string { return .string(string) }
        if let int = slice.int { return .int(int) }
        if slice.isArray {
            let array = JSON.array()
            slice.forEachElement { array.append(document($0)) }
            return array
        }
        if slice.isObject {
            let object = JSON.object()
            slice.forEachMember { key, value in object.set(key.string ?? "no key", document(value)) }
            return object
        }
        return (try? JSON.parse(slice.copy())) ?? "no number"
    }

    func testTheSameVerdictOnChosenTexts() {
        let good = [
            "0", "-0", "-1.5e+07", "1E9", "1e-999", "9223372036854775807", "-9223372036854775808", "\"\"", " [ ] ",
            "{\"\":{}}", "[1,[2,{\"a\":[]}]]", "\"\\ud83d\\ude00\\u0000\\/\\b\\f\"", "\"\u{7F}é\u{FFFF}😀\"",
            "\t\r\nnull", "{\"a\":1,\"a\":2}", "9223372036854775808", "-9223372036854775809",
        ]
        let bad = [
            "", " ", "-", "+1", "01", "-01", "1.", ".5", "1e", "1e+", "0x1", "1 2", "nul", "nulll", "True", "NaN",
            "[", "]", "[,]", "[1,]", "[1 2]",
            "{", "{]", "{1:2}", "{\"a\"}", "{\"a\":}", "{\"a\":1,}", "{\"a\" 1}", "'a'", "\"",
            "\"\\\"", "\"\\x\"", "\"\\u12\"", "\"\\u12G4\"", "\"\n\"", "\"\0\"", "1\0", "\u{FEFF}1", "// 1", "[1]]",
            "\u{A0}1",
        ]
        let badBytes: [[UInt8]] = [
            [0x80], [0xC0, 0x80], [0xC1, 0xBF], [0xC3], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xED, 0xBF, 0xBF], [0xF0, 0x80, 0x80, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xFF],
            [0xE2, 0x28, 0xA1], [0xE2, 0x82, 0x28], [0xF0, 0x9F, 0x98, 0x28],
        ]
        for text in good { XCTAssertEqual(verdict(Array(text.utf8)), .both, text) }
        for text in bad { XCTAssertEqual(verdict(Array(text.utf8)), .neither, text) }
        for bytes in badBytes { XCTAssertEqual(verdict([0x22] + bytes + [0x22]), .neither, "\(bytes)") }
    }

    func testWhereTheTwoDifferOnPurpose() {
        let texts = [
            "1e999", "-1e999", String(repeating: "9", count: 400), "\"\\ud83d\"", "\"\\ude00\"", "\"\\ud83d\\u0041\"",
            "{\"\\u0000\":1}",
        ]
        for text in texts { XCTAssertEqual(verdict(Array(text.utf8)), .onlySlice, text) }
    }

    func testWholeNumbersBeyond64BitsAreReals() throws {
        let text = #"{"a":[123456789012345678901234567890,-9223372036854775809,1],"\"98765432109876543210":"#
            + #""12345678901234567890\\","b":9223372036854775807,"c": 18446744073709551616 }"#
        let document = try JSON.parse(text)
        XCTAssertEqual(document["a"]?[0]?.double, 1.2345678901234568e29)
        XCTAssertEqual(document["a"]?[0]?.kind, .real)
        XCTAssertNil(document["a"]?[0]?.int)
        XCTAssertEqual(document["a"]?[1]?.double, -9223372036854775808)
        XCTAssertEqual(document["a"]?[2]?.int, 1)
        XCTAssertEqual(document["\"98765432109876543210"]?.string, "12345678901234567890\\")
        XCTAssertEqual(document["b"]?.int, Int64.max)
        XCTAssertEqual(document["c"]?.double, 18446744073709551616)
        XCTAssertEqual(try JSON.parse(document.serialized()), document)
        // What is wrong besides is told where it is.
        XCTAssertThrowsError(try JSON.parse("[123456789012345678901,1e999]")) { error in
            XCTAssertEqual((error as? JSONError)?.message.hasPrefix("real number overflow"), true, "\(error)")
            XCTAssertEqual((error as? JSONError)?.offset, 28)
        }
        for text in [
            "[123456789012345678901", "00123456789012345678901", "[123456789012345678901 2]", "--123456789012345678901",
        ] {
            XCTAssertThrowsError(try JSON.parse(text), text)
        }
    }

    /// jansson by itself would skip these.
    func testANulIsNeverSkipped() {
        for text in ["1\0", "null\0", "[1\0]", "[true\0,2]", "\u{0}1", "[\0]", "{\"a\"\0:1}", "-1.5\0 "] {
            XCTAssertEqual(verdict(Array(text.utf8)), .neither, text.debugDescription)
        }
        XCTAssertThrowsError(try JSON.parse("[1\0]")) { XCTAssertEqual(($0 as? JSONError)?.offset, 2) }
    }

    /// The slice goes 512 levels deep, jansson 2048: what the slice refuses for its depth never reaches jansson.
    func testDepth() {
        func nested(_ levels: Int) -> [UInt8] {
            Array(repeating: UInt8(ascii: "["), count: levels) + Array(repeating: UInt8(ascii: "]"), count: levels)
        }
        XCTAssertEqual(verdict(nested(512)), .both)
        XCTAssertThrowsError(try nested(513).withUnsafeBytes { _ = try JSONSlice.checked($0) }) { error in
            XCTAssertEqual((error as? JSONError)?.message, "nested too deeply")
        }
        XCTAssertNoThrow(try JSON.parse(nested(513)))
    }

    func testTheSameVerdictOnGeneratedAndMutatedDocuments() {
        var counts: [Verdict: Int] = [:]
        for seed in 0..<400 as Range<UInt64> {
            var documents = JSONDocuments(seed: seed)
            let text = documents.text()
            XCTAssertEqual(verdict(text), .both, "seed \(seed)")
            for _ in 0..<40 { counts[verdict(documents.mutated(text)), default: 0] += 1 }
        }
        // A mutation that never hurts or always hurts would test one half only.
        XCTAssertGreaterThan(counts[.both] ?? 0, 1000)
        XCTAssertGreaterThan(counts[.neither] ?? 0, 1000)
    }

    func testWhatTheWriterWritesIsReadAsTheSame() throws {
        for seed in 0..<400 as Range<UInt64> {
            var documents = JSONDocuments(seed: seed)
            let document = documents.document(depth: 0)
            var writer = JSONWriter(capacity: Int(seed % 3) * 64)
            Self.write(document, into: &writer)
            XCTAssertEqual(try JSON.parse(writer.bytes), document, "seed \(seed)")
            XCTAssertEqual(verdict(writer.bytes), .both, "seed \(seed)")
            let bytes = writer.bytes
            writer.withText { text, count in
                XCTAssertEqual(count, bytes.count)
                XCTAssertEqual([UInt8](UnsafeRawBufferPointer(start: text, count: count + 1)), bytes + [0])
            }
        }
    }

    func testTheWritersMembers() {
        var writer = JSONWriter()
        writer.beginObject()
        writer.member("text", "a\"\\\u{1}\u{1F}\n\r\t\u{7F}é")
        writer.member("least", Int64.min)
        writer.member("most", Int64.max)
        writer.member("zero", 0)
        writer.member("flag", true)
        writer.member("id", quoting: Int64.min)
        writer.member("raw", raw: Array("[1, 2]".utf8))
        writer.key(escaping: "\"k\"")
        writer.null()
        writer.endObject()
        XCTAssertEqual(
            String(decoding: writer.bytes, as: UTF8.self),
            #"{"text":"a\"\\\u0001\u001f\n\r\t"# + "\u{7F}é" + #"","least":-9223372036854775808,"#
                + #""most":9223372036854775807,"zero":0,"flag":true,"id":"-9223372036854775808","raw":[1, 2],"#
                + #""\"k\"":null}"#)
    }

    private static func write(_ document: JSON, into writer: inout JSONWriter) {
        switch document.kind {
        case .object:
            writer.beginObject()
            for (key, value) in document.members ?? [] {
                writer.key(escaping: key)
                write(value, into: &writer)
            }
            writer.endObject()
        case .array:
            writer.beginArray()
            for value in document.array ?? [] { write(value, into: &writer) }
            writer.endArray()
        case .string: writer.string(document.string ?? "")
        case .integer: writer.int(document.int ?? 0)
        case .real: writer.raw(document.serialized())
        case .bool: writer.bool(document.bool ?? false)
        case .null: writer.null()
        }
    }
}
