import SyncBytes
import XCTest

final class PercentEncodingTests: XCTestCase {
    func testEverythingButTheUnreservedIsEscaped() {
        XCTAssertEqual(PercentEncoding.escape("aZ0-._~"), "aZ0-._~")
        XCTAssertEqual(PercentEncoding.escape("a b/c?d&e=f,g+h%"), "a%20b%2Fc%3Fd%26e%3Df%2Cg%2Bh%25")
        XCTAssertEqual(PercentEncoding.escape("é\u{0}"), "%C3%A9%00")
        XCTAssertEqual(PercentEncoding.escape("a.b~c", keeping: "-_"), "a%2Eb%7Ec")
    }

    /// As parts of a path they would mean another level.
    func testDotsAloneAreEscaped() {
        XCTAssertEqual([".", "..", "...", ".a"].map { PercentEncoding.escape($0) }, ["%2E", "%2E%2E", "...", ".a"])
        XCTAssert(PercentEncoding.hasDots(path: "/users/%2E%2E/block"))
        XCTAssert(PercentEncoding.hasDots(path: "/users/%2E"))
        XCTAssertFalse(PercentEncoding.hasDots(path: "/users/a%2E/block"))
    }

    func testEachTextComesBack() {
        for text in ["", "a b", "100%", "é+ü", "%41", "\u{0}\u{10FFFF}", "."] {
            XCTAssertEqual(PercentEncoding.decode(PercentEncoding.escape(text).utf8, plusIsSpace: true), text)
        }
    }

    func testWhatIsNoEscapeStays() {
        func decoded(_ text: String, plusIsSpace: Bool = false) -> String {
            PercentEncoding.decode(text.utf8, plusIsSpace: plusIsSpace)
        }
        XCTAssertEqual(["%", "a%4", "%4g", "%%41", "%g1"].map { decoded($0) }, ["%", "a%4", "%4g", "%A", "%g1"])
        XCTAssertEqual(decoded("a+b%2b%2B"), "a+b++")
        XCTAssertEqual(decoded("a+b%2b", plusIsSpace: true), "a b+")
        XCTAssertEqual(decoded("%ff"), "\u{FFFD}")
    }
}
