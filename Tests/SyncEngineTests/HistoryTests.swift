import SyncModel
import XCTest

@testable import SyncEngine

/// What the cache of a channel holds, and how far it is complete: in memory, and where it differs in the file.
final class HistoryTests: StoryTestCase {
    /// What the memory has after a story, and the file, which has the same where nothing else is said. `answer`: what
    /// the history answered to the last step.
    private func check(
        _ before: String, _ story: String, gives after: String, file: String? = nil, answer: String? = nil,
        thread parentID: MessageID = "", _ capabilities: ServiceCapabilities = ServiceCapabilities(),
        line: UInt = #line
    ) throws {
        var history = try HistoryStory(before, newChannel(), cache, parentID: parentID, capabilities)
        XCTAssertEqual(try history.memory(), before, "the drawing", line: line)
        run(story, from: before, file: #filePath, line: line) { try history.run($0) }
        compare(
            story, from: before,
            [
                ("memory", try history.memory(), after), ("file", try history.file(), file ?? after),
                ("answer", history.answer, answer),
            ], file: #filePath, line: line)
    }

    // MARK: Pages

    func testAPageThatTouchesAChunkLengthensIt() throws {
        try check("[b c]", "page [c d e]", gives: "[b c d e]")
        try check("[d e]", "page [b c d]", gives: "[b c d e]")
        try check("[b c] … [f g]", "page [c d e f]", gives: "[b c d e f g]")
    }

    func testAPageThatTouchesNoneStandsApart() throws {
        try check("[b c]", "page [e f]", gives: "[b c] … [e f]")
        try check("[e f>", "page [b c]", gives: "[b c] … [e f>")
    }

    /// The channel's history was reset, which is known later: who edits a message does not show it again.
    func testAnEditBringsBackNothingThatAPageDoesNotHave() throws {
        try check("[b c d>", "page <(0)>; edit c'", gives: "<(0) (d)>", file: "<(0)>", answer: "")
        try check("[b c d]", "page [b d]; edit c'", gives: "[b d]", answer: "")
        try check("[b c d]", "page [b d]; page [b c d]; edit c'", gives: "[b c' d]")
        // The page had what the socket tells later: the service changed its time.
        try check("[b c d f>", "page [b d]; edit c'@e", gives: "[b d c'@e f>")
    }

    func testAPageInsideAChunkChangesNothing() throws {
        try check("[b c d e]", "page [c d]", gives: "[b c d e]", answer: "")
        try check("[b c d e>", "page [c d]", gives: "[b c d e>", answer: "")
    }

    func testWhatAPageDoesNotHaveIsGone() throws {
        try check("[b c d e]", "page [c e]", gives: "[b c e]", answer: "gone d")
        try check("[b c d]", "page [c (d)>", gives: "[b c (d)>", file: "[b c>", answer: "gone d")
        try check("<b c d]", "page <(b) c]", gives: "<(b) c d]", answer: "gone b")
    }

    /// Among messages of one time some may have been cut off, and an answer without any row says nothing about the edge
    /// that was asked from.
    func testAPageSaysNothingOfWhatLiesBehindItsLastRow() throws {
        try check("[b c d e]", "page [b c (e)]", gives: "[b c d e]", answer: "")
        try check("[b c d]", "page [(d)>", gives: "[b c d>", answer: "")
    }

    func testAChannelWithoutMessagesIsComplete() throws {
        try check("", "page <(0)>", gives: "<(0)>")
        try check("", "page <(0)>; socket c", gives: "<(0) c>")
    }

    func testEdgesTakeTheTokensOfTheirPages() throws {
        try check("[b:x d:y]", "page [d:p f:q]", gives: "[b:x d f:q]")
        try check("[d:x f:y]", "page [b:p d:q]", gives: "[b:p d f:y]")
    }

    /// The connection is dead, or slower than the answer.
    func testAPageBeyondTheNewestSaysThatSomethingWasNotTold() throws {
        try check("[b d>", "page [h i>", gives: "[b d] … [h i>")
        try check("[b d>", "socket e; page [h i>; socket j", gives: "[b d e] … [h i j>")
        // An own message is under way: how far the chunk before the hole is complete is not sure either.
        try check("[b d>", "send; socket e; page [h i>", gives: "[b d] … e … [h i>", file: "[b d] … e … [h] … i")
    }

    // MARK: Arrivals

    func testARealtimeMessageLengthensTheOpenEnd() throws {
        try check("[b d>", "socket e", gives: "[b d e>", answer: "stored")
        try check("[b d>", "socket d", gives: "[b d>", answer: "known")
    }

    func testARealtimeMessageInAHoleWaits() throws {
        try check("[b d]", "socket f", gives: "[b d]", answer: "stray")
        try check("[b d]", "socket f; socket f", gives: "[b d]", answer: "known stray")
        try check("[b c] … [f g>", "socket d", gives: "[b c] … [f g>", answer: "stray")
    }

    func testWhatWaitsFollowsAPageThatReachesTheNewest() throws {
        try check("[b d]", "socket f; page [d e]", gives: "[b d e]")
        try check("[b d]", "socket f; page [d e>", gives: "[b d e f>")
        try check("[b d]", "socket f; page [d e f>", gives: "[b d e f>")
        try check("[b d]", "socket f; edit f'; page [d e>", gives: "[b d e f'>")
        try check("[b d]", "socket f; react f; page [d e>", gives: "[b d e f+>")
        try check("[b d]", "socket f; delete f; page [d e>", gives: "[b d e>")
    }

    /// More than is kept: one more page has to bring what was dropped.
    func testOfTooManyThatWaitTheOldestAreAskedForAgain() throws {
        try check("[b d]", "crowd 1000; page [d e>", gives: "[b d e>")
        try check("[b d]", "crowd 1001; page [d e>", gives: "[b d e]")
        try check("[b d]", "crowd 1001; page [d e>; page [e f>", gives: "[b d e f>")
    }

    // MARK: Edits and deletions

    func testAnEditReplacesAnOlderVersion() throws {
        try check("[b d]", "edit d'", gives: "[b d']", answer: "d'")
        try check("[b d'']", "edit d'", gives: "[b d'']", answer: "")
        try check("[b d]", "edit f'", gives: "[b d]", answer: "")
        try check("[b d]", "edit c'", gives: "[b c' d]", answer: "c'")
        try check("[b d]", "react d", gives: "[b d+]", answer: "d+")
    }

    func testADeletionAtAnEdgeLeavesTheEdge() throws {
        try check("[b d] … [f g]", "delete d", gives: "[b (d)] … [f g]")
        try check("[b d] … [f g]", "delete f", gives: "[b d] … [(f) g]")
        // The file knows how far it reaches by its newest message.
        try check("[b d>", "delete d", gives: "[b (d)>", file: "[b>")
        try check("[b d>", "delete b d", gives: "[(b) (d)>", file: "[(b)>")
    }

    func testTheChangeLogEditsAndDeletes() throws {
        try check("[b c d]", "log d' -b", gives: "[(b) c d']", answer: "d'")
    }

    /// The service changed its time. What stands before the new place was not told.
    func testAMessageMovedBehindTheNewestIsNotTheSureEnd() throws {
        try check("[b c d>", "edit b'@f", gives: "[(b) c d b'@f>", file: "[(b) c d] … b'@f")
        try check("[b c d>", "edit b'@f; disconnect", gives: "[(b) c d] … b'@f")
        try check("[b c d>", "edit b'@f; socket e", gives: "[(b) c d e b'@f>", file: "[(b) c d e] … b'@f")
        try check("[b c d>", "edit b'@f; socket g", gives: "[(b) c d b'@f g>")
        // One that was not held, and may have overtaken others.
        try check("[b c d>", "late a'@f", gives: "[b c d>", answer: "")
    }

    // MARK: Cuts

    func testACutReachesTheFirst() throws {
        try check("<b c] … [e f g>", "cut f", gives: "<f g>")
        try check("[b c d] … [f g]", "cut d", gives: "<d] … [f g]")
        try check("[b c d]", "cut f", gives: "")
        try check("[b c>", "cut f", gives: "<(f)>")
    }

    // MARK: Own messages

    /// The socket does not tell of own messages: behind the one under way nothing is sure.
    func testBehindAMessageUnderWayTheFileIsNotComplete() throws {
        try check("[b d>", "send; socket f", gives: "[b d f>", file: "[b d] … f")
        try check("[b d>", "send; socket f; acknowledged; socket g*", gives: "[b d f g*>")
        try check("[b d>", "send; socket f; disconnect", gives: "[b d] … f")
        try check("[b d>", "send; socket f; kill", gives: "[b d] … f")
        try check("[b d]", "send; page [d e>; socket f", gives: "[b d e f>", file: "[b d e] … f")
    }

    func testALostAcknowledgementPutsTheEndInDoubt() throws {
        try check("[b d>", "send; in doubt", gives: "[b d]")
        try check("[b d>", "send; socket f; in doubt", gives: "[b d] … f")
        try check("[b d>", "send; socket f; in doubt; page [d e* f>", gives: "[b d e* f>")
        // The newest was not known: the page that brings it may be older than the doubt.
        try check("[b d]", "send; in doubt; page [d e>", gives: "[b d e]")
        try check("[b d]", "send; in doubt; page [d e>; page [e f>", gives: "[b d e f>")
    }

    /// A host that sends by its own means may tell of it before the connection tells what came before.
    func testWhatAHostTellsEarlyIsNotTheSureEnd() throws {
        try check("[b d>", "host f*", gives: "[b d f*>", file: "[b d] … f*", answer: "stored")
        try check("[b d>", "host f*; socket e", gives: "[b d e f*>", file: "[b d e] … f*")
        try check("[b d>", "host f*; socket e; socket f*", gives: "[b d e f*>", answer: "known")
        try check("[b d>", "host f*; page [d e f*>", gives: "[b d e f*>")
        try check("[b d>", "host f*; disconnect", gives: "[b d] … f*")
        try check("[b d]", "host f*; page [d e>", gives: "[b d e f*>", file: "[b d e] … f*")
    }

    // MARK: Crossings

    func testWhatOvertakesAPageIsNewer() throws {
        try check("[b]", "ask; edit d'; page [b c d e]", gives: "[b c d' e]")
        try check("[b]", "ask; react d; page [b c d e]", gives: "[b c d+ e]")
        try check("[b]", "ask; delete d; page [b c d e]", gives: "[b c e]")
        try check("[b d]", "ask; react d; log d'", gives: "[b d'+]")
    }

    func testAPageDoesNotTakeANewerMessageForDeleted() throws {
        try check("[b d>", "ask; socket e; page [b d>", gives: "[b d e>", answer: "")
        try check("[b d e>", "page [b d>", gives: "[b d (e)>", file: "[b d>", answer: "gone e")
    }

    // MARK: Sessions

    func testWithoutASessionTheNewestIsNotKnown() throws {
        // Every cached message behind its start belongs to the chunk of the file, which need not be written for that.
        try check("[b d>", "disconnect", gives: "[b d]", file: "[b d>")
        try check("[b d>", "socket e; kill", gives: "[b d e]", file: "[b d e>")
        try check("[b d>", "disconnect; page [d e]", gives: "[b d e]")
        try check("[b d>", "disconnect; connect; socket f", gives: "[b d]", file: "[b d>", answer: "stray")
    }

    func testWhatWaitsDoesNotOutliveItsSession() throws {
        try check("[b]", "socket f; disconnect; page [b c>", gives: "[b c>")
        try check("[b]", "host f*; connect; page [b c>", gives: "[b c>")
        try check("[b d>", "ask; edit d'; disconnect; page [b d'+]", gives: "[b d'+]")
    }

    func testWhatCouldNotBeStoredIsAskedForAgain() throws {
        try check("[b d>", "lose newest", gives: "[b d]", file: "[b d>")
        try check("[b d>", "lose newest; page [d e>", gives: "[b d e]")
        try check("[b d>", "lose newest; page [d e>; page [e>", gives: "[b d e>")
        try check("[b]", "lose strays; page [b d>", gives: "[b d>")
        try check("[b]", "socket f; lose strays; page [b d>", gives: "[b d]")
    }

    func testForgettingLeavesNothing() throws {
        try check("[b d] … [f g>", "clear", gives: "")
        try check("[b d>", "clear; page [b d>", gives: "[b d>")
        try check("[b]", "socket f; clear; page <d>", gives: "<d>")
        try check("[b d>", "send; clear; page <d e>; socket f", gives: "<d e f>", file: "<d e] … f")
    }

    /// Where the stream goes on later, nothing can have come meanwhile, and what is sent is told by it.
    func testWithAStreamThatGoesOnTheNewestStaysKnown() throws {
        let inStream = ServiceCapabilities(messageChanges: .inStream)
        try check("[b d>", "disconnect; connect; socket e", gives: "[b d e>", inStream)
        try check("[b d>", "socket e; kill; socket f", gives: "[b d e f>", inStream)
        try check("[b d>", "send; socket e; in doubt; disconnect", gives: "[b d e>", inStream)
        try check("[b]", "socket f; disconnect; connect; page [b d>", gives: "[b d f>", inStream)
        try check("[b d]", "kill; socket e", gives: "[b d]", answer: "stray", inStream)
        try check("[b d>", "stream breaks; socket f", gives: "b … d", file: "[b d>", answer: "stray", inStream)
        try check("[b c d>", "stream breaks; page [b d e>; edit d'", gives: "[b d' e>", inStream)
        try check("[b e]", "stream breaks; page [(c) e]; page <a (c)]", gives: "<a e]", answer: "gone b", inStream)
    }

    func testAHoleInTheStreamHasTwoTokens() throws {
        let inStream = ServiceCapabilities(messageChanges: .inStream)
        try check("[b:p d>", "hole x [h:y i>", gives: "[b:p d:x] … [h:y i>", inStream)
        try check("[b d>", "hole x [h:y i>; socket j; kill", gives: "[b d:x] … [h:y i j>", inStream)
        for before in ["[b d e h i j]", "[b d e h i j>"] {
            try check(before, "hole x [h:y i>", gives: "[b d e h i j>", answer: "", inStream)
        }
        try check("[b d e h]", "hole x [h:y i>", gives: "[b d e h i>", inStream)
        try check("[b d] … [k l]", "hole x [h:y i>", gives: "[b d] … [h:y i] … [k l]", answer: "", inStream)
        try check("[b d e h i] … [k l]", "hole x [h:y i>", gives: "[b d e h i] … [k l]", answer: "", inStream)
        try check("[b d]", "hole x [h:y i>", gives: "[b d] … [h:y i>", inStream)
        try check("", "hole x [h:y i>", gives: "[h:y i>", inStream)
        try check("[b d:x] … [h:y i>", "page [e:z f:w h:y]", gives: "[b d:x] … [e:z f h i>", inStream)
        try check("[b d:x] … [e:z h i>", "page [d:x e:z]", gives: "[b d e h i>", inStream)
    }

    // MARK: Threads

    /// The message that a thread answers is kept with the replies, and no page of them brings it.
    func testThePageOfAThreadDoesNotRemoveItsParent() throws {
        try check("<a c^a d^a]", "page <c^a (d)>", gives: "<a c^a (d)>", file: "<a c^a>", answer: "gone d", thread: "a")
        try check("", "edit a'", gives: "a'", answer: "a'", thread: "a")
    }
}
