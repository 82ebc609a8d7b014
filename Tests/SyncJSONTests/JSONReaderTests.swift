import SyncJSON
import XCTest

/// The reader as a walker: what it hands out, where it stops, and what it says of strings.
final class JSONReaderTests: XCTestCase {
    /// Takes a document apart by entering every object and array, and puts it together again.
    private func walked(_ reader: inout JSONReader) throws -> JSON {
        switch reader.peek() {
        case UInt8(ascii: "{"):
            let object = JSON.object()
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let name = key.slice.string ?? ""
                XCTAssertEqual(key.count, key.slice.unquoted.count)
                XCTAssertEqual(key.first, key.slice.unquoted.first ?? 0)
                object.set(name, try walked(&reader))
            }
            return object
        case UInt8(ascii: "["):
            let array = JSON.array()
            try reader.beginArray()
            while try reader.nextElement() { array.append(try walked(&reader)) }
            return array
        default: return try JSON.parse(reader.value().copy())
        }
    }

    private func walked(_ text: [UInt8]) throws -> JSON {
        try text.withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            let document = try walked(&reader)
            try reader.end()
            return document
        }
    }

    private func isChecked(_ text: [UInt8]) -> Bool {
        text.withUnsafeBytes { (try? JSONSlice.checked($0)) != nil }
    }

    /// Entered or passed over, a document is the same, and damage is found either way.
    func testWalkingAgreesWithPassingOver() throws {
        var refused = 0
        for seed in 0..<300 as Range<UInt64> {
            var documents = JSONDocuments(seed: seed)
            let text = documents.text()
            XCTAssertEqual(try walked(text), try JSON.parse(text), "seed \(seed)")
            for _ in 0..<40 {
                let damaged = documents.mutated(text)
                guard let document = try? walked(damaged) else {
                    refused += 1
                    // What jansson cannot hold is no fault of the text.
                    if isChecked(damaged) { XCTAssertThrowsError(try JSON.parse(damaged), "seed \(seed)") }
                    continue
                }
                XCTAssertTrue(isChecked(damaged), "seed \(seed)")
                // jansson refuses names that it cannot hold.
                if let parsed = try? JSON.parse(damaged) { XCTAssertEqual(document, parsed, "seed \(seed)") }
            }
        }
        XCTAssertGreaterThan(refused, 1000)
    }

    func testAnotherKindThanExpected() {
        for text in ["7", "\"a\"", "null", "", " "] {
            let opens = Array(text.utf8).withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                return (try? reader.beginObject()) != nil || (try? reader.beginArray()) != nil
            }
            XCTAssertFalse(opens, text)
        }
    }

    /// A caller that forgets to read a value is told so; it must not get two keys in a row.
    func testAKeysValueHasToBeRead() throws {
        try Array(#"{"a":1,"b":2}"#.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            try reader.beginObject()
            XCTAssertTrue(try XCTUnwrap(reader.nextKey()).equals("a"))
            XCTAssertThrowsError(try reader.nextKey())
        }
    }

    func testATextAndItsMembers() throws {
        try Array(#" [ {"a" : [1, 2] , "b":{}} ,7] "#.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            try reader.beginArray()
            XCTAssertTrue(try reader.nextElement())
            let start = reader.position()
            try reader.beginObject()
            while let key = try reader.nextKey() {
                XCTAssertTrue(key.equals("a") || key.equals("b"))
                XCTAssertFalse(key.equals("ab") || key.equals(""))
                _ = try reader.value()
            }
            let text = String(decoding: reader.slice(from: start).bytes, as: UTF8.self)
            XCTAssertEqual(text, #"{"a" : [1, 2] , "b":{}}"#)
            XCTAssertEqual(reader.slice(from: 1000).bytes.count, 0)
            XCTAssertTrue(try reader.nextElement())
            XCTAssertEqual(try reader.value().int, 7)
            XCTAssertFalse(try reader.nextElement())
            try reader.end()
        }
    }

    func testDepth() {
        func reader(_ levels: Int, entered: Int) -> Result<Void, JSONError> {
            let text = Array(repeating: UInt8(ascii: "["), count: levels)
                + Array(repeating: UInt8(ascii: "]"), count: levels)
            return text.withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                do throws(JSONError) {
                    for _ in 0..<entered {
                        try reader.beginArray()
                        _ = try reader.nextElement()
                    }
                    _ = try reader.value()
                    return .success(())
                } catch {
                    return .failure(error)
                }
            }
        }
        // Only levels count, not how many stand beside each other.
        let flat = Array(("[" + Array(repeating: "[{}]", count: 600).joined(separator: ",") + "]").utf8)
        XCTAssertTrue(isChecked(flat))
        XCTAssertEqual(try walked(flat).count, 600)
        for entered in [0, 1, 500] {
            if case .failure(let error) = reader(512, entered: entered) { XCTFail("\(entered): \(error)") }
            guard case .failure(let error) = reader(513, entered: entered) else {
                XCTFail("\(entered): too deep")
                continue
            }
            XCTAssertEqual(error.message, "nested too deeply")
        }
    }

    /// Strings are passed over eight bytes at a time: every byte at every place, whatever stands around it.
    func testEveryByteAtEveryPlaceOfAString() {
        for filler in [UInt8(ascii: "a"), 0x20, 0x21, 0x23, 0x5B, 0x5D, 0x7F] {
            for byte in 0...255 as ClosedRange<UInt8> {
                for place in 0..<18 {
                    var text = [UInt8](repeating: filler, count: 18)
                    text[place] = byte
                    let quoted = [0x22] + text + [0x22]
                    let isPlain = byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
                    // A backslash before a letter of an escape is one.
                    if byte == 0x5C { continue }
                    XCTAssertEqual(isChecked(quoted), isPlain, "\(byte) at \(place) among \(filler)")
                }
            }
        }
        // Two at once: what is raised by the first must not hide the second, nor the other way round.
        for first in 0..<16 {
            for second in 0..<16 where second != first {
                var text = [UInt8](repeating: 0x21, count: 16)
                text[first] = 0x5C
                text[second] = 0x01
                XCTAssertFalse(isChecked([0x22] + text + [0x22]), "\(first) \(second)")
                text[first] = 0xC3
                text[second] = 0xA9
                XCTAssertEqual(isChecked([0x22] + text + [0x22]), second == first + 1, "\(first) \(second)")
            }
        }
    }

    func testLoneSurrogates() throws {
        let cases: [(text: String, isLone: Bool)] = [
            (#""\ud83d\ude00""#, false), (#""\uD83D\uDE00x""#, false), (#""\ud7ff\ue000""#, false),
            (#""\\ud83d""#, false), (#"{"\ud83d\ude00":"a"}"#, false), (#""\u0041""#, false),
            (#""\ud83d""#, true), (#""\ude00""#, true), (#""\ude00\ud83d""#, true), (#""\ud83d\ud83d\ude00""#, true),
            (#""\ud83d\u0041""#, true), (#""\ud83d\n""#, true), (#""\\\ud83d""#, true), (#"{"\udfff":1}"#, true),
            (#"["\ud83d","\ude00"]"#, true), (#""\ud83dx\ude00""#, true),
        ]
        for (text, isLone) in cases {
            try Array(text.utf8).withUnsafeBytes { bytes in
                var reader = JSONReader(bytes)
                _ = try reader.value()
                try reader.end()
                XCTAssertEqual(reader.hasLoneSurrogate, isLone, text)
            }
        }
        XCTAssertFalse(isChecked(Array(#""\ud83d\u12""#.utf8)))
        XCTAssertFalse(isChecked(Array(#""\ud83d\uzzzz""#.utf8)))
    }

    func testPartsOfOtherTexts() throws {
        try Array(#"{"a\u0041":[1, 2],"b":"x"}"#.utf8).withUnsafeBytes { bytes in
            var reader = JSONReader(bytes)
            var writer = JSONWriter()
            writer.beginObject()
            writer.key("type")
            writer.string(plain: "MESG")
            try reader.beginObject()
            while let key = try reader.nextKey() {
                let value = try reader.value()
                writer.member(key, value)
                writer.member("again", value)
            }
            writer.endObject()
            XCTAssertEqual(
                String(decoding: writer.bytes, as: UTF8.self),
                #"{"type":"MESG","a\u0041":[1, 2],"again":[1, 2],"b":"x","again":"x"}"#)
        }
    }

    func testADocumentOfTooManyValuesIsReadNoFurther() throws {
        let limit = JSONReader.valueLimit
        func read(_ text: String) -> [JSONError?] {
            let bytes = Array(text.utf8)
            let inPlace = bytes.withUnsafeBytes { raw -> JSONError? in
                do throws(JSONError) { _ = try JSONSlice.checked(raw) } catch { return error }
                return nil
            }
            do throws(JSONError) { _ = try JSON.parse(bytes) } catch { return [inPlace, error] }
            return [inPlace, nil]
        }
        XCTAssertEqual(read("[" + String(repeating: "1,", count: limit - 1) + "1]"), [nil, nil])
        for text in ["[" + String(repeating: "1,", count: limit) + "1]", String(repeating: "[1,", count: 2) + "["
            + String(repeating: "{},", count: limit) + "1]]]"] {
            for error in read(text) {
                XCTAssertEqual(error?.isTooLarge, true)
                XCTAssertEqual(error?.message, "the document has more than 2000000 values")
            }
        }
        // Commas within a text are no values.
        XCTAssertEqual(read("\"" + String(repeating: ",", count: 3 * limit) + "\""), [nil, nil])
    }
}
