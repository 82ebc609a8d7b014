import SyncModel
import XCTest

@testable import SyncEngine

/// The answer to an action is as old as the moment the service made it: it is not believed about channels that facts
/// touched since.
final class AnswerCrossingsTests: XCTestCase {
    /// The channels about which the answer to a call is not believed, after a story: `1 began`, `1 ended`, and channels
    /// that facts touched.
    private func doubted(_ story: String, answer call: CallID) -> [String] {
        var crossings = AnswerCrossings()
        for step in StoryTestCase.steps(story) {
            let (word, rest) = step.firstWord
            switch rest {
            case "began": crossings.began(.host(UInt64(word) ?? 0))
            case "ended": _ = crossings.ended(.host(UInt64(word) ?? 0))
            default: crossings.touch(ChannelURL(String(rest)))
            }
        }
        return crossings.ended(call).sorted().map(\.text)
    }

    func testAFactOvertakesTheAnswer() {
        XCTAssertEqual(doubted("1 began; touch c", answer: 1), ["c"])
        XCTAssertEqual(doubted("1 began; touch d; touch c; touch d", answer: 1), ["c", "d"])
    }

    func testWithoutAFactItIsBelieved() {
        XCTAssertEqual(doubted("1 began", answer: 1), [])
    }

    func testAFactOfBeforeIsOlder() {
        XCTAssertEqual(doubted("touch c; 1 began", answer: 1), [])
        XCTAssertEqual(doubted("touch c; 1 began; touch d", answer: 1), ["d"])
    }

    func testEachAnswerHasItsOwnAge() {
        let story = "1 began; touch c; 2 began; touch d"
        XCTAssertEqual(doubted(story, answer: 1), ["c", "d"])
        XCTAssertEqual(doubted(story, answer: 2), ["d"])
    }

    func testAnAnswerIsForgottenWithItsEnd() {
        XCTAssertEqual(doubted("1 began; touch c; 1 ended; touch d", answer: 1), [])
        XCTAssertEqual(doubted("1 began; touch c; 1 ended; 1 began", answer: 1), [])
        XCTAssertEqual(doubted("1 began; touch c; 1 began", answer: 1), [])
    }

    func testTheEndOfOneLeavesTheOther() {
        XCTAssertEqual(doubted("1 began; 2 began; touch c; 1 ended; touch d", answer: 2), ["c", "d"])
    }

    func testNothingIsKnownOfACallThatNeverBegan() {
        XCTAssertEqual(doubted("1 began; touch c", answer: 2), [])
    }

    /// URLs that look alike and differ in their bytes: an é of one scalar, and an e with an accent behind it.
    func testChannelsAreToldApartByTheirBytes() {
        let (composed, decomposed): (ChannelURL, ChannelURL) = ("caf\u{E9}", "cafe\u{301}")
        var crossings = AnswerCrossings()
        crossings.began(1)
        crossings.touch(composed)
        let doubted = crossings.ended(1)
        XCTAssertTrue(doubted.contains(composed))
        XCTAssertFalse(doubted.contains(decomposed))
    }
}
