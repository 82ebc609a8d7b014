import SyncModel
import XCTest

@testable import SyncEngine

/// The notation of the tests of history and windows: what is read is what is printed, and what cannot be read fails.
final class NotationTests: StoryTestCase {
    func testWhatIsReadIsPrinted() throws {
        let drawings = [
            "", "[b]", "[b c d]", "<b c d>", "[b d] … [f g>", "[(b) c (d)]", "[b d] … f", "a … [c] … e … g",
            "<(0)>", "<(0) c>", "[b:x c d:y]", "[(b):x c]", "[b c'' d*^a'+ e@h]", "[(b) c] … b'@f",
        ]
        for drawing in drawings {
            let history = try HistoryStory(drawing, newChannel(), cache)
            XCTAssertEqual(try history.memory(), drawing)
            XCTAssertEqual(try history.file(), drawing)
        }
    }

    func testWhatAMessageIsIsReadFromItsJSON() throws {
        let message = try Letters.message("d*!^a''+@h")
        XCTAssertEqual(message.position.order, try Letters.order("h"))
        XCTAssertEqual(message.position.tie, try Letters.order("d"))
        let texts = [message.id.text, message.senderID.text, message.customType, message.parentID.text]
        XCTAssertEqual(texts, ["d", "mei", "marked", "a"])
        XCTAssertEqual(message.updatedAt, 2)
        XCTAssertEqual(Letters.text(message.row), "d*!^a''+@h")
        var row = message.row
        row.json = Array(#"{"message_id":"d","message":"d'"}"#.utf8)
        XCTAssertEqual(Letters.text(row), "d'@h")
    }

    func testAChunkReachesAsFarAsItIsDrawn() throws {
        let chunks = try HistorySketch("<b d] … [(f) h:t>").chunks
        XCTAssertEqual(chunks.map(\.reachedFirst), [true, false])
        XCTAssertEqual(chunks.map(\.reachedNewest), [false, true])
        XCTAssertEqual(chunks.map(\.start.position), [try Letters.position("b"), try Letters.position("f")])
        XCTAssertEqual(chunks.last?.end, HistoryEdge(try Letters.position("h"), token: "t"))
    }

    func testWhatCannotBeReadFails() {
        for drawing in ["[b", "b]", "[]", "[b c", "[B]", "[b?]", "1", "[b:x:y]"] {
            XCTAssertThrowsError(try HistorySketch(drawing), drawing)
        }
        XCTAssertThrowsError(try HistorySketch("[b] … [d]").page(), "two pages")
        for step in ["page", "jump", "socket", "edit ?", "in haste", "ask d"] {
            XCTAssertThrowsError(
                try { var history = try HistoryStory("[b]", newChannel(), cache); try history.run(step[...]) }(), step)
        }
    }
}
