import SyncText
import XCTest

final class SearchSnippetTests: XCTestCase {
    private func snippet(_ text: String, _ query: String) throws -> SearchSnippet {
        SearchSnippet(text, try XCTUnwrap(SearchQuestion(query, isTyping: true).match(text)))
    }

    /// What stands at the places, once by bytes and once by UTF-16.
    private func marked(_ snippet: SearchSnippet) -> [[String]] {
        let (bytes, units) = (Array(snippet.text.utf8), Array(snippet.text.utf16))
        return snippet.places.map {
            [String(decoding: bytes[$0.bytes], as: UTF8.self), String(decoding: units[$0.utf16], as: UTF16.self)]
        }
    }

    func testAShortTextIsWhole() throws {
        let found = try snippet("see you at 👍🏽 lunch tomorrow, Köln", "kol")
        XCTAssertEqual(found.text, "see you at 👍🏽 lunch tomorrow, Köln")
        XCTAssertEqual(marked(found), [["Köln", "Köln"]])
        let both = try snippet("see you at 👍🏽 lunch tomorrow, Köln", "lunch koln")
        XCTAssertEqual(marked(both), [["lunch", "lunch"], ["Köln", "Köln"]])
    }

    func testALongTextIsCutAtWords() throws {
        let words = Array(repeating: "日本 ipsum", count: 100).joined(separator: " ")
        let found = try snippet(words + " needle " + words, "needle")
        XCTAssertTrue(found.text.hasPrefix("…") && found.text.hasSuffix("…"))
        XCTAssertLessThanOrEqual(found.text.unicodeScalars.count, SearchSnippet.longest)
        XCTAssertGreaterThan(found.text.unicodeScalars.count, 100)
        XCTAssertEqual(marked(found), [["needle", "needle"]])
        XCTAssertTrue(found.text.dropFirst().first.map { "日i".contains($0) } ?? false, found.text)
    }

    func testOneLongWordIsCutAnywhere() throws {
        let run = String(repeating: "会", count: 500)
        let found = try snippet(run + "議" + run, "議")
        XCTAssertEqual(marked(found), [["議", "議"]])
        XCTAssertEqual(found.text.unicodeScalars.count, SearchSnippet.longest)
        let beginning = try snippet("x" + String(repeating: "a", count: 9999), "x")
        XCTAssertLessThanOrEqual(beginning.text.unicodeScalars.count, SearchSnippet.longest)
    }

    func testAWordThatIsLongerThanASnippetHasAPlace() throws {
        for before in ["", "so ", String(repeating: "word ", count: 50)] {
            let found = try snippet(before + "needle" + String(repeating: "x", count: 300) + " end", "needle")
            XCTAssertLessThanOrEqual(found.text.unicodeScalars.count, SearchSnippet.longest)
            let place = try XCTUnwrap(marked(found).first)
            XCTAssertEqual(place[0], place[1])
            XCTAssertTrue(place[0].hasPrefix("needlexxx") && found.text.hasSuffix(place[0] + "…"), found.text)
        }
    }
}
