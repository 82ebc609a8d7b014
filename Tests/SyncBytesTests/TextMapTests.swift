import SyncBytes
import XCTest

/// Texts that Swift takes for the same are two keys.
final class TextMapTests: XCTestCase {
    private let composed = "t\u{E9}"
    private let decomposed = "te\u{301}"

    func testAMapHasAValueForEach() {
        var map: TextMap<Int> = [:]
        map[composed] = 1
        map[decomposed, default: 1] += 1
        XCTAssertEqual([map[composed], map[decomposed]], [1, 2])
        XCTAssertEqual(map.sorted().map(\.value), [2, 1], "in the order of the bytes")
        map[composed] = nil
        XCTAssertEqual(map.count, 1)
        XCTAssertEqual(TextMap([(composed, 1), (composed, 2)])[composed], 2, "the last one")
    }

    func testASetHasEach() {
        var set: TextSet = [composed]
        XCTAssertFalse(set.contains(decomposed))
        XCTAssert(set.insert(decomposed))
        XCTAssertFalse(set.insert(composed))
        XCTAssertEqual(set.sorted().map { Array($0.utf8) }, [decomposed, composed].map { Array($0.utf8) })
        XCTAssertEqual(set.subtracting([composed]), [decomposed])
        XCTAssertEqual(set.symmetricDifference([decomposed, "x"]), [composed, "x"])
    }

    func testPartsOfATextAreFoundByTheirBytes() {
        XCTAssert("a,\u{301}b".parts(between: UInt8(ascii: ",")).containsBytes(of: "\u{301}b"))
        XCTAssertFalse(composed.beginsWithBytes(of: "te"))
        XCTAssert(decomposed.beginsWithBytes(of: "te"))
        XCTAssert(decomposed.endsWithBytes(of: "\u{301}"))
        XCTAssert("xabab".contains(text: "bab"))
        XCTAssertFalse("xab".contains(text: "abx"))
        XCTAssertEqual("/\u{301}x".droppingBytes(first: 1), "\u{301}x")
    }
}
