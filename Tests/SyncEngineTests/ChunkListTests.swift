import SyncModel
import XCTest

@testable import SyncEngine

/// What becomes of chunks when ranges are added, the newest is forgotten and history is cut, in the notation of
/// `HistorySketch`; of the messages only the places of edges matter here.
final class ChunkListTests: XCTestCase {
    private func list(_ text: String) throws -> ChunkList { ChunkList(try HistorySketch(text).chunks) }

    private func show(_ list: ChunkList) -> String { HistorySketch.text(list) }

    private func position(_ letter: Substring) throws -> MessagePosition { try Letters.position(letter) }

    private func check(_ before: String, covering added: String, gives after: String, line: UInt = #line) throws {
        var list = try list(before)
        list.cover(try XCTUnwrap(HistorySketch(added).chunks.first))
        XCTAssertEqual(show(list), after, "\(before) covering \(added)", line: line)
    }

    private func check(
        _ before: String, sureTo place: Substring?, gives after: String, line: UInt = #line
    ) throws {
        var list = try list(before)
        list.forgetNewest(sureEnd: try place.map { try position($0) })
        XCTAssertEqual(show(list), after, "\(before) without the newest", line: line)
    }

    private func check(
        _ before: String, cutBefore place: Substring, gives after: String, line: UInt = #line
    ) throws {
        var list = try list(before)
        list.cut(before: try position(place).order)
        XCTAssertEqual(show(list), after, "\(before) cut before \(place)", line: line)
    }

    func testRangesMergeWhereTheyTouch() throws {
        try check("", covering: "[b d]", gives: "[b d]")
        try check("[b d]", covering: "[f g]", gives: "[b d] … [f g]")
        try check("[f g]", covering: "[b d]", gives: "[b d] … [f g]")
        try check("[b d]", covering: "[d g]", gives: "[b g]")
        try check("[b d] … [f g]", covering: "[c f]", gives: "[b g]")
        try check("[b g]", covering: "[c d]", gives: "[b g]")
        try check("[b c] … [e f] … [h i]", covering: "[d g]", gives: "[b c] … [d g] … [h i]")
    }

    func testTheFirstAndTheNewestCoverWhatLiesBeyond() throws {
        try check("<d f]", covering: "[a b]", gives: "<a f]")
        try check("[b c]", covering: "<e f]", gives: "<b f]")
        try check("[e f]", covering: "[b c>", gives: "[b f>")
    }

    func testWhatHadReachedTheNewestHasNotWhenThereIsMoreBeyond() throws {
        try check("[d f>", covering: "[h i]", gives: "[d f] … [h i]")
        try check("[d f>", covering: "[h i>", gives: "[d f] … [h i>")
        try check("[d f>", covering: "[f i]", gives: "[d i>")
        try check("[d f>", covering: "<h i]", gives: "<d i>")
    }

    func testWithoutAConnectionTheNewestIsNotKnown() throws {
        try check("<a c] … [e h>", sureTo: nil, gives: "<a c] … [e h]")
        try check("[e h>", sureTo: "g", gives: "[e g]")
        try check("[e h>", sureTo: "b", gives: "[e]")
    }

    func testACutReachesTheFirst() throws {
        try check("<a c] … [e h>", cutBefore: "f", gives: "<f h>")
        try check("[b c>", cutBefore: "f", gives: "<f>")
        try check("[b c]", cutBefore: "f", gives: "")
    }

    func testTheOuterEdgesKeepTheirTokens() throws {
        try check("[b:x d:y]", covering: "[d:z g:w]", gives: "[b:x g:w]")
        try check("[d:x g:y]", covering: "[b:z d:w]", gives: "[b:z g:y]")
        try check("[b:x g:y]", covering: "[c:z d:w]", gives: "[b:x g:y]")
        // The service's latest word about the same place counts.
        try check("[b:x d:y]", covering: "[b:z d:w]", gives: "[b:z d:w]")
    }

    func testWhereAPositionIs() throws {
        let chunks = try list("[b d] … [f h]")
        XCTAssertEqual(chunks.index(covering: try position("c")), 0)
        XCTAssertNil(chunks.index(covering: try position("e")))
        XCTAssertEqual(chunks.index(atOrBelow: try position("e")), 0)
        XCTAssertNil(chunks.index(atOrBelow: try position("a")))
    }
}
