import SyncModel
import SyncSendbird
import XCTest

@testable import SyncEngine

/// A page is as old as the moment it was made: what was told since is newer.
final class CrossingsTests: XCTestCase {
    /// What is made of a page that arrives after a story of asking (`ask`), of pages that ended (`ended`), and of what
    /// was told (`ToldFact`).
    private func check(_ story: String, page: String, gives expected: String, line: UInt = #line) throws {
        let found = try crossings(story).applied(to: Letters.messages(page[...]), SendbirdRules())
        XCTAssertEqual(Letters.text(found.map(\.row)), expected, "\(story); page \(page)", line: line)
    }

    private func crossings(_ story: String) throws -> Crossings {
        var crossings = Crossings()
        for step in StoryTestCase.steps(story) {
            switch step {
            case "ask": crossings.pageAsked()
            case "ended": crossings.pageEnded()
            default: crossings.note(try XCTUnwrap(ToldFact.read(step, "c"), String(step)))
            }
        }
        return crossings
    }

    func testWithoutAnythingToldThePageCounts() throws {
        try check("ask", page: "b c d", gives: "b c d")
    }

    func testAnEditOvertakesThePage() throws {
        try check("ask; edit c'", page: "b c d", gives: "b c' d")
        try check("ask; edit c' d'", page: "b c d", gives: "b c' d'")
        // It says nothing of the rest, and brings nothing that the page has not.
        try check("ask; edit f'", page: "b c d", gives: "b c d")
    }

    func testAnArrivalOvertakesThePage() throws {
        try check("ask; socket d'", page: "b c d", gives: "b c d'")
    }

    func testADeletionOvertakesThePage() throws {
        try check("ask; delete c", page: "b c d", gives: "b d")
        try check("ask; edit c'; delete c", page: "b c d", gives: "b d")
    }

    func testAReactionOvertakesThePage() throws {
        try check("ask; react c", page: "b c d", gives: "b c+ d")
        try check("ask; react c; unreact c", page: "b c+ d", gives: "b c d")
        // Applied to the version of the page where it has a newer one.
        try check("ask; edit c'; react c", page: "b c'' d", gives: "b c''+ d")
    }

    func testTheChangeLogOvertakesThePage() throws {
        try check("ask; log c' -d", page: "b c d", gives: "b c'")
    }

    func testTheNewerOfTwoVersionsCounts() throws {
        try check("ask; edit c'", page: "b c'' d", gives: "b c'' d")
        // Of two that look equally new, what was told since.
        try check("ask; edit c'+", page: "b c' d", gives: "b c'+ d")
        try check("ask; edit c'; edit c''", page: "b c d", gives: "b c'' d")
    }

    func testWhatIsToldWhileNothingIsAskedIsOlderThanTheNextPage() throws {
        try check("delete c; edit d'; react b; ask", page: "b c d", gives: "b c d")
    }

    func testItIsRememberedUntilTheLastPageEnded() throws {
        try check("ask; ask; edit c'; ended", page: "b c d", gives: "b c' d")
        try check("ask; ask; edit c'; ended; ended", page: "b c d", gives: "b c d")
        try check("ask; edit c'; ended; ask", page: "b c d", gives: "b c d")
    }

    func testAnEndTooManyDoesNoHarm() throws {
        try check("ended; ask; edit c'", page: "b c d", gives: "b c' d")
    }

    /// A page without a message that was told since is no word of its deletion.
    func testWhetherAMessageIsNewerThanThePage() throws {
        XCTAssertTrue(try crossings("ask; socket e").isNewer("e", isBySequence: false))
        XCTAssertTrue(try crossings("ask; edit e'").isNewer("e", isBySequence: false))
        XCTAssertTrue(try crossings("ask; log e'").isNewer("e", isBySequence: false))
        XCTAssertFalse(try crossings("ask; socket e").isNewer("d", isBySequence: false))
        XCTAssertFalse(try crossings("ask; delete e; react e").isNewer("e", isBySequence: false))
        XCTAssertFalse(try crossings("socket e; ask").isNewer("e", isBySequence: false))
        XCTAssertFalse(try crossings("ask; socket e; ended").isNewer("e", isBySequence: false))
        XCTAssertTrue(try crossings("ask; socket e; edit e'").isNewer("e", isBySequence: true))
        XCTAssertFalse(try crossings("ask; edit e'").isNewer("e", isBySequence: true))
    }

    /// Ids that look alike and differ in their bytes: an é of one scalar, and an e with an accent behind it.
    func testIDsAreComparedByTheirBytes() throws {
        let (composed, decomposed): (MessageID, MessageID) = ("caf\u{E9}", "cafe\u{301}")
        let place = MessagePosition(order: 1, tie: 1)
        let messages = [composed, decomposed].map { MessageRecord(id: $0, position: place, json: Array("{}".utf8)) }
        func told(_ kind: MessageFact.Kind) -> Crossings {
            var crossings = Crossings()
            crossings.pageAsked()
            crossings.note(MessageFact(channelURL: "c", kind: kind, cause: Cause(.eventMessageUpdated)))
            return crossings
        }
        let left = told(.deleted(ids: [composed])).applied(to: messages, SendbirdRules())
        XCTAssertEqual(left.map(\.id), [decomposed])
        let reaction = MessageReaction(key: "+", userID: "bo", isAdded: true, updatedAt: 1)
        let patched = told(.patched(id: composed, .reaction(reaction))).applied(to: messages, SendbirdRules())
        XCTAssertEqual(patched.map { $0.json.count > 2 }, [true, false])
        XCTAssertFalse(told(.edited([messages[0]])).isNewer(decomposed, isBySequence: false))
    }
}
