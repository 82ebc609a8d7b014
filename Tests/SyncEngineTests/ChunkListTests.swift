import SyncModel
import XCTest

@testable import SyncEngine

/// Chunks, written as one sees them: `[b d] … [f g>` are two chunks, from position b to d and from f to g; `<` at the
/// start says that the first message is reached, `>` at the end the newest.
final class ChunkListTests: XCTestCase {
    private func position(_ letter: Character) -> MessagePosition {
        MessagePosition(order: Int64(letter.asciiValue ?? 0), tie: 0)
    }

    private func letter(_ edge: HistoryEdge) -> String {
        String(UnicodeScalar(UInt8(clamping: edge.position.order)))
    }

    private func show(_ list: ChunkList) -> String {
        list.chunks.map { chunk in
            (chunk.reachedFirst ? "<" : "[") + letter(chunk.start) + " " + letter(chunk.end)
                + (chunk.reachedNewest ? ">" : "]")
        }.joined(separator: " … ")
    }

    private func chunk(_ text: Substring) -> ChunkList.Chunk {
        let letters = text.filter(\.isLetter)
        return ChunkList.Chunk(
            start: HistoryEdge(position(letters.first ?? "a")), end: HistoryEdge(position(letters.last ?? "a")),
            reachedFirst: text.hasPrefix("<"), reachedNewest: text.hasSuffix(">"))
    }

    private func list(_ text: String) -> ChunkList {
        var result = ChunkList()
        for part in text.split(separator: "…") where !part.isEmpty {
            result.cover(chunk(Substring(part.trimmingCharacters(in: .whitespaces))))
        }
        return result
    }

    private func check(_ before: String, covering added: String, gives after: String, line: UInt = #line) {
        var list = list(before)
        list.cover(chunk(Substring(added)))
        XCTAssertEqual(show(list), after, line: line)
    }

    func testRangesMergeWhereTheyTouch() {
        check("", covering: "[b d]", gives: "[b d]")
        check("[b d]", covering: "[f g]", gives: "[b d] … [f g]")
        check("[f g]", covering: "[b d]", gives: "[b d] … [f g]")
        check("[b d]", covering: "[d g]", gives: "[b g]")
        check("[b d] … [f g]", covering: "[c f]", gives: "[b g]")
        check("[b g]", covering: "[c d]", gives: "[b g]")
        check("[b c] … [e f] … [h i]", covering: "[d g]", gives: "[b c] … [d g] … [h i]")
    }

    func testTheFirstAndTheNewestCoverWhatLiesBeyond() {
        check("<d f]", covering: "[a b]", gives: "<a f]")
        check("[b c]", covering: "<e f]", gives: "<b f]")
        check("[e f]", covering: "[b c>", gives: "[b f>")
    }

    func testWhatHadReachedTheNewestHasNotWhenThereIsMoreBeyond() {
        check("[d f>", covering: "[h i]", gives: "[d f] … [h i]")
        check("[d f>", covering: "[h i>", gives: "[d f] … [h i>")
        check("[d f>", covering: "[f i]", gives: "[d i>")
        check("[d f>", covering: "<h i]", gives: "<d i>")
    }

    func testWithoutAConnectionTheNewestIsNotKnown() {
        var chunks = list("<a c] … [e h>")
        chunks.forgetNewest(sureEnd: nil)
        XCTAssertEqual(show(chunks), "<a c] … [e h]")
        chunks = list("[e h>")
        chunks.forgetNewest(sureEnd: position("g"))
        XCTAssertEqual(show(chunks), "[e g]")
        chunks = list("[e h>")
        chunks.forgetNewest(sureEnd: position("b"))
        XCTAssertEqual(show(chunks), "[e e]")
    }

    func testACutReachesTheFirst() {
        var chunks = list("<a c] … [e h>")
        chunks.cut(before: position("f").order)
        XCTAssertEqual(show(chunks), "<f h>")
        chunks = list("[b c>")
        chunks.cut(before: position("f").order)
        XCTAssertEqual(show(chunks), "<f f>")
        chunks = list("[b c]")
        chunks.cut(before: position("f").order)
        XCTAssertEqual(show(chunks), "")
    }

    func testWhereAPositionIs() {
        let chunks = list("[b d] … [f h]")
        XCTAssertEqual(chunks.index(covering: position("c")), 0)
        XCTAssertNil(chunks.index(covering: position("e")))
        XCTAssertEqual(chunks.index(atOrBelow: position("e")), 0)
        XCTAssertNil(chunks.index(atOrBelow: position("a")))
    }
}
