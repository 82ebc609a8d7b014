import SyncModel
import XCTest

@testable import SyncEngine

/// What is asked for the messages of a channel or thread, in which order, and what is made of the answers.
final class TimelineTests: StoryTestCase {
    /// What a story leaves: history in memory and in the file (the same where nothing else is said), requests that wait
    /// for answers, what windows show, and what the last step told beside changes.
    private func check(
        _ before: String, _ story: String, asks: String? = nil, gives after: String? = nil, file: String? = nil,
        shows: String? = nil, says: String? = nil, thread parentID: MessageID = "", line: UInt = #line
    ) throws {
        let id = HistoryID(newChannel(), parentID: parentID)
        let timeline = try TimelineStory(before, id, MachineBench(cache, intents), cache)
        defer { cache.setCommitHook(nil) }
        run(story, from: before, file: #filePath, line: line) { try timeline.run($0) }
        compare(
            story, from: before,
            [
                ("asks", timeline.asks, asks), ("memory", try timeline.memory(), after),
                ("file", try timeline.file(), file ?? after), ("windows", timeline.shown, shows),
                ("says", timeline.bench.said.joined(separator: "; "), says),
            ], file: #filePath, line: line)
    }

    /// A collection that shows the newest messages, after the questions that a login begins with.
    private let newest = "open w limit 2; login; log; gap [(d)>; fetch w previous"

    // MARK: The order of questions

    func testAfterALoginTheLogComesFirstThenTheGapThenPages() throws {
        try check("[b d]", "open w", asks: "")
        try check("[b d]", "open w; login", asks: "log t:5")
        try check("[b d]", "open w; login; log", asks: "gap b-d")
        try check("[b d]", "open w; login; log; gap [(d)>", asks: "← b", gives: "[b d>")
        try check("[b d]", "open w; login; log; gap [(d)>; ← <a b]", asks: "", gives: "<a b d>")
    }

    func testAChannelOfWhichNothingIsCached() throws {
        try check("", "open w; login", asks: "around newest")
        try check("", "open w; login; around [d e>", asks: "← d", gives: "[d e>")
        try check("", "open w; login; around <(0)>", asks: "", gives: "<(0)>")
    }

    func testPagesGoOnInBothDirectionsFromAViewpoint() throws {
        let story = "open w at d; login; around [c d e]"
        try check("", "open w at d; login", asks: "around d")
        try check("", story, asks: "← c; → e", gives: "[c d e]")
        try check("", "\(story); ← [a b c]", asks: "→ e; ← a", gives: "[a b c d e]")
        try check("", "\(story); → [e f>", asks: "← c", gives: "[c d e f>")
        try check("", "\(story); → [e f>; ← <c]", asks: "", gives: "<c d e f>")
    }

    func testAPageThatTouchesAnotherChunkClosesTheHole() throws {
        try check("[b c] … [f g]", "open w; login; log; gap [(g)>; ← [c d f]", asks: "← b", gives: "[b c d f g>")
        try check("[b c] … [f g]", "open w at b; login; log; → [c d]", asks: "← b; → d", gives: "[b c d] … [f g]")
    }

    func testNothingIsAskedWithoutAWindowALoginOrDuringAPause() throws {
        try check("[b d]", "login", asks: "")
        try check("[b d]", "open w; fetch w previous", asks: "")
        try check("[b d]", "pause; open w; login", asks: "")
        try check("[b d]", "open w; close w; login", asks: "")
    }

    // MARK: What was missed

    func testTheGapBringsWhatWasMissed() throws {
        let story = "open w limit 2; fetch w previous; login; log"
        try check("[b d]", story, shows: "{… b d >}")
        try check("[b d]", "\(story); gap [d e f>", asks: "← b", gives: "[b d e f>", shows: "{… b d e f >}")
        // Not all of it: pages bring the rest.
        try check("[b d]", "\(story); gap [d e]", asks: "← b; → e", gives: "[b d e]")
    }

    func testMoreThanTheServiceFillsStaysAHole() throws {
        let story = "open w limit 2; fetch w previous; login; log; gap huge"
        try check("[b d]", story, asks: "gap b-d filtered", says: "")
        try check("[b d]", "\(story); gap huge", gives: "[b d]", shows: "{… b d …}", says: "w huge gap")
    }

    /// What it looks at is not missing, or not much of it: it goes on following while pages fill the gap.
    func testAGapIsHugeForTheFiltersThatMissMuch() throws {
        let marked = "open w marked limit 2; fetch w previous; login; log; gap huge; gap [(d)>"
        try check("[b! d!]", marked, asks: "← b; → d", gives: "[b! d!]", says: "")
        let both = "open w replies limit 2; open v marked limit 2; fetch w previous; fetch v previous; login; log"
        try check("[b! d!]", "\(both); gap huge", asks: "gap b-d filtered", says: "w huge gap")
        try check("[b! d!]", "\(both); gap huge; gap [(d)>", asks: "← b; → d", says: "")
        try check("[b! d!]", "\(both); gap huge; gap refused", asks: "← b; → d", says: "v huge gap")
    }

    /// It was shown before, so nothing stands in: the service's page around the newest is another place.
    func testAStartUnderWayDoesNotHideThatMoreIsMissing() throws {
        let story = "open v; open w limit 2; start w; login; start w; log; gap huge; gap huge"
        try check("<b d]", story, asks: "around newest", shows: "{… >} {| b d …}", says: "w huge gap")
        try check("<b d]", "\(story); around [h i>; ← [d e h]", shows: "{… >} {| b d …}", says: "")
    }

    /// The page that closes the hole brings only what was missing in it.
    func testWhoFollowsIsShownWhatWasCachedBehindAHole() throws {
        let story = "open v; open w limit 9; fetch w previous; login; log; gap [d e]; around [h i>"
        try check("<b d]", story, asks: "← h; → e", gives: "<b d e] … [h i>")
        try check("<b d]", "\(story); → [e f h]", gives: "<b d e f h i>", shows: "{… >} {| b d e f h i >}")
        try check("<b d]", "\(story); ← [e f h]", gives: "<b d e f h i>", shows: "{… >} {| b d e f h i >}")
        try check("<b d]", "\(story); ← [e f h]; socket j", shows: "{… >} {| b d e f h i j >}")
    }

    /// Who shows a place in the middle does not wait for the newest.
    func testTheGapIsAskedForWhereTheNewestIsWanted() throws {
        try check("[b d]", "open w at b; login; log", asks: "← b; → d")
        try check("[b d]", "open w at b; open v; login; log", asks: "gap b-d")
    }

    // MARK: The change log

    func testTheLogEditsAndDeletesWhatIsCached() throws {
        let story = "open w limit 9; fetch w previous; login"
        try check("[b c d]", "\(story); log c' -b", asks: "gap b-d", gives: "[(b) c' d]", shows: "{… c' d >}")
    }

    func testTheLogIsReadToItsEnd() throws {
        try check("[b d]", "open w; login; log more b'", asks: "log k:1", gives: "[b' d]")
        try check("[b d]", "open w; login; log more b'; log d'", asks: "gap b-d", gives: "[b' d']")
        // Where it ended it goes on with the next login.
        try check("[b d]", "open w; login; log more b'; disconnect; login", asks: "log k:1")
    }

    func testWithoutALogWhatIsCachedIsAskedForAgain() throws {
        try check("[b d]", "open w; login; log expired", asks: "around newest", gives: "")
        try check("[b d]", "no log; open w; login", asks: "around newest", gives: "")
        try check(
            "[b d]", "open w limit 9; fetch w previous; login; log expired; around [d e>", gives: "[d e>",
            shows: "{… d e >}")
    }

    func testAnAnswerThatCannotBeStoredIsAskedForAgain() throws {
        try check("[b d]", "open w; login; full disk; log b'", asks: "", gives: "[b d]")
        try check("[b d]", "open w; login; full disk; log b'; free disk; wait 2000", asks: "log t:5")
        try check("", "open w; login; full disk; around [d e>; free disk", asks: "", gives: "")
        try check("", "open w; login; full disk; around [d e>; free disk; wait 2000", asks: "around newest")
    }

    /// Messages that are lost together are one failure: the pause is as short as after one.
    func testManyMessagesThatCannotBeStoredMakeNoLongPause() throws {
        let lost = "efghijklm".map { "; socket \($0)" }.joined()
        try check("[b d]", "\(newest); full disk\(lost); free disk; wait 2000", asks: "← b; → d")
    }

    /// A host that waits for what cannot be stored is told so at once, not when its time is up.
    func testAFetchEndsWithWhatCannotBeStored() throws {
        let waiting = "open w limit 9; login; fetch w previous"
        let told = "w fetch storage more"
        try check("", "\(waiting); full disk; around [d e>", says: told)
        try check("", "\(waiting); full disk; around [d e>; free disk; wait 2000", asks: "around newest", says: "")
        try check("[b d]", "\(waiting); full disk; log b'", says: told)
        try check("[b d]", "\(waiting); log; full disk; gap [(d) e>", says: told)
        try check("[b d]", "\(waiting); log; gap [(d)>; full disk; ← <a b]", says: told)
        try check("[b d]", "\(waiting); full disk; log expired", says: told)
    }

    /// An answer may overtake events of the connection. When it is lost before the last of them has come, what came of
    /// them is older than the answer, and no later part of the log tells.
    func testTheLogIsReadFromTheLoginBeforeOnceMore() throws {
        try check("[b d]", "open w; login; log b'; disconnect; login", asks: "log t:0")
        try check("[b d]", "open w; login; log more b'; disconnect; login", asks: "log k:1")
        try check("[b d]", "open w; login; log more b'; log d'; disconnect; login", asks: "log t:0")
    }

    // MARK: What is told

    func testARealtimeMessageLengthensTheOpenEnd() throws {
        try check("[b d]", "\(newest); socket e", gives: "[b d e>", shows: "{… b d e >}")
        try check("[b d]", "open w; socket e", gives: "[b d]", says: "w new e")
        try check("[b d]", "open w; login; log; socket e; gap [(d)>", gives: "[b d e>")
    }

    func testWhatIsToldOvertakesAPage() throws {
        let story = "open w at d; login; around [c d e]"
        try check("", "\(story); edit b'; ← [a b c]", gives: "[a b' c d e]")
        try check("", "\(story); react b; ← [a b c]", gives: "[a b+ c d e]")
        try check("", "\(story); delete b; ← [a b c]", gives: "[a c d e]")
        // What was told before it was asked for says nothing of it.
        try check("", "open w at d; login; edit b'; around [c d e]; → [e f>; ← [a b c]", gives: "[a b c d e f>")
    }

    func testAStartWaitsForTheServicesPage() throws {
        try check("[b d]", "\(newest); start w", asks: "← b", says: "w shows 0")
        try check("[b d]", "\(newest); start w; ← [a b]", asks: "around newest", says: "")
        try check("[b d]", "\(newest); start w; ← [a b]; around [d>", asks: "← a", says: "w start ok")
    }

    func testAMessageThatOvertakesAPageIsNotTakenForDeleted() throws {
        let story = "\(newest); start w; ← [b]"
        try check("[b d]", "\(story); socket e; around [d>", gives: "[b d e>")
        try check("[b d]", "\(story); around [d>; socket e", gives: "[b d e>")
    }

    func testWhatCannotBeStoredIsAskedForAgain() throws {
        let full = "\(newest); ← <b]; full disk"
        try check("[b d]", "\(full); socket e; free disk", asks: "", gives: "<b d]", file: "<b d>")
        try check("[b d]", "\(full); socket e; free disk; wait 2000", asks: "→ d")
        // It may be older than what was lost: the next one is believed.
        try check("[b d]", "\(full); socket e; free disk; wait 2000; → [d e>", asks: "→ e", gives: "<b d e]")
        try check("[b d]", "\(full); edit d'; free disk; wait 2000", asks: "log t:0")
    }

    // MARK: Own messages

    func testALostAcknowledgementAsksForWhatFollowedTheSend() throws {
        let story = "\(newest); ← <b]; send; socket f"
        try check("[b d]", story, asks: "", gives: "<b d f>", file: "<b d] … f")
        try check("[b d]", "\(story); acknowledged; socket g*", asks: "", gives: "<b d f g*>")
        try check("[b d]", "\(story); in doubt", asks: "→ d", gives: "<b d] … f")
        try check("[b d]", "\(story); in doubt; → [d e* f>", asks: "", gives: "<b d e* f>", says: "own e*")
    }

    /// All that the window shows came behind what was sure, and a loss of the connection left it outside. Asking around
    /// the newest again and again would never tell what stands there.
    func testARowOutsideOfWhatIsCompleteIsAskedAbout() throws {
        let (cached, stored) = ("<a b^a d^a]", "<a b^a d^a] … f!^a")
        let story = "open w marked limit 2; login; parent a; log; fetch w previous; around [b^a d^a>; "
            + "send; socket f!^a; disconnect"
        try check(cached, story, gives: stored, shows: "{| f!^a >}", thread: "a")
        let again = "\(story); login; parent a; log; fetch w previous"
        try check(cached, again, asks: "around f", gives: stored, shows: "{| f!^a >}", thread: "a")
        try check(
            cached, "\(again); around [e^a f!^a g^a]", asks: "← e; → g", gives: "\(cached) … [e^a f!^a g^a]",
            shows: "{… f!^a >}", thread: "a")
    }

    /// A huge gap lies before it: nothing is shown of what is newer than that.
    func testARowOutsideOfWhatIsCompleteIsNotShownBehindAHugeGap() throws {
        let story = "\(marked); ← <b]; send; socket f!; disconnect; login; log; gap huge"
        try check("[b d]", story, asks: "gap b-d filtered", shows: "{| f! >}")
        try check("[b d]", "\(story); gap huge", asks: "→ d", shows: "{| …}", says: "w huge gap")
        try check("[b d]", "\(story); gap huge; fetch w next; → [d e! f!]", asks: "→ f", shows: "{| e! f! …}")
    }

    /// Of what is shown a part lies in one chunk and a part in another: each is told what becomes of it.
    func testWhatIsShownBeyondAHoleFollowsItsChanges() throws {
        let before = "open w limit 2; login; log; gap [(d)>; fetch w previous; ← <b]; send; socket f; disconnect"
        let story = "\(before); open v at f limit 1; login; log; fetch v previous; gap [(d) e]; around [f g>"
        try check("[b d]", story, gives: "<b d e] … [f g>", shows: "{… b d e f g >} {… f …}")
        try check("[b d]", "\(story); edit b' f'", shows: "{… b' d e f' g >} {… f' …}")
        try check("[b d]", "\(story); edit b'; ← [e f]", gives: "<b' d e f g>", shows: "{| b' d e f g >} {… f …}")
    }

    private let marked = "open w marked limit 2; login; log; gap [(d)>; fetch w previous"

    // MARK: Failures

    func testAFailedPageIsAskedForAgainAfterAPause() throws {
        try check("[b d]", "\(newest); ← fails", asks: "")
        try check("[b d]", "\(newest); ← fails; reset w newest; fetch w previous", asks: "")
        try check("[b d]", "\(newest); ← fails; wait 2000", asks: "← b")
        try check("", "open w at d; login; around [c d e]; ← fails; wait 2000", asks: "→ e; ← c")
    }

    /// A service that repeats itself would be asked without end, as fast as it answers.
    func testAnAnswerThatSaysNothingNewIsFollowedByAPause() throws {
        try check("[b d]", "\(newest); ← [b d]", asks: "← b", gives: "[b d>")
        try check("[b d]", "\(newest); ← [b d]; ← [b d]", asks: "", gives: "[b d>")
        try check("[b d]", "\(newest); ← [b d]; ← [b d]; wait 2000", asks: "← b")
        try check("[b d]", "\(newest); ← [b d]; ← [b d]; wait 2000; ← [a b]", asks: "← a", gives: "[a b d>")
        // A host that asks is no endless question.
        let started = "\(newest); ← <b]; start w; around [b d>; start w; around [b d>; start w; around [b d>"
        try check("[b d]", started, asks: "", gives: "<b d>", says: "w start ok")
        let elsewhere = "open w at b; login; log; around [d e]; around [d e]"
        try check("[d e]", elsewhere, asks: "")
        try check("[d e]", "\(elsewhere); wait 2000", asks: "around b")
    }

    func testARefusedPageIsNotAskedForAgainByItself() throws {
        let story = "open w limit 9; login; log; gap [(d)>; fetch w previous"
        try check("[b d]", "\(story); ← refused", asks: "", says: "w fetch ok short error more")
        try check("[b d]", "\(story); ← refused; wait 600000", asks: "")
    }

    func testAChannelThatIsNotThereIsToldToTheOthers() throws {
        try check("[b d]", "\(newest); ← missing", says: "channel is gone")
    }

    func testAWaitingFetchTimesOut() throws {
        let story = "open w limit 9; login; log; gap [(d)>; fetch w previous"
        try check("[b d]", "\(story); wait 29999", shows: "{… b d >}", says: "")
        try check("[b d]", "\(story); wait 30000", shows: "{… b d >}", says: "w fetch timeout short error more")
    }

    // MARK: What waits comes first

    func testAFetchAtAnUnknownPlaceComesBeforeTheLongWayBack() throws {
        let story = "open w; login; log; gap [(g)>; open v at b limit 1"
        try check("[f g]", "\(story); ← [e f]", asks: "← e")
        try check("[f g]", "\(story); fetch v previous; ← [e f]", asks: "around b")
    }

    func testAPageIsToldWhereHistoryIsHeldAgain() throws {
        let story = "open w at c; open v at g limit 9; login; log"
        try check("[c d:x] … [g:y h]", "\(story); fetch v previous; ← [b c]", asks: "→ d until g; ← g until d")
    }

    func testAWindowThatWaitsComesBeforeOneThatDoesNot() throws {
        let story = "open w at c; open v at g limit 9; login; log"
        try check("[c d] … [g h]", "\(story); ← [b c]", asks: "→ d; ← b")
        try check("[c d] … [g h]", "\(story); fetch v previous; ← [b c]", asks: "→ d; ← g")
        try check("[c d] … [g h]", "\(story); fetch v next; → [d e]", asks: "← c; → h")
    }

    /// A host's fetch takes the place of the one that fills an emptied view again, and ends short.
    func testAnEmptiedViewFillsItselfAlsoWhenAHostsFetchEndedShort() throws {
        let story = "open w limit 2; login; log; gap [(d)>; fetch w previous; disconnect; no log; login"
        try check("[b d]", story, asks: "around newest", gives: "", shows: "{… >}")
        try check("[b d]", "\(story); around [c d>", gives: "[c d>", shows: "{… c d >}")
        let short = "\(story); fetch w previous; disconnect"
        try check("[b d]", short, gives: "", shows: "{… >}", says: "w fetch ok short offline more")
        try check("[b d]", "\(short); login; around [c d>", gives: "[c d>", shows: "{… c d >}")
        let start = "\(story); start w; disconnect"
        try check("[b d]", start, gives: "", shows: "{… >}", says: "w start ok short offline")
        try check("[b d]", "\(start); login; around [c d>", gives: "[c d>", shows: "{… c d >}")
    }

    // MARK: Old answers

    func testAnAnswerOfBeforeIsNotBelieved() throws {
        try check("", "open w; login; empty; around [d e>", asks: "around newest", gives: "")
        try check("[b d]", "\(newest); cut d; ← [a b]", asks: "", gives: "<d>")
        try check("[b d]", "\(newest); channel gone; ← [a b]", gives: "", shows: "{| >}")
    }

    func testACutAsksForAPageUnderWayAgain() throws {
        try check("[c d] … [h i]", "open w; login; log; gap [(i)>", asks: "← h")
        try check("[c d] … [h i]", "open w; login; log; gap [(i)>; cut d", asks: "← h; ← h", gives: "<d] … [h i>")
        try check("[c d] … [h i]", "open w; login; log; gap [(i)>; cut d; ← [e h]; ← [d e h]", gives: "<d e h i>")
    }

    func testWhoEntersAgainAsksForWhatWasMissed() throws {
        try check("[b d]", "\(newest); ← <b]; entered", asks: "log t:0", gives: "<b d]", file: "<b d>")
    }

    // MARK: Threads

    func testAThreadBeginsWithItsParent() throws {
        try check("", "open w; login", asks: "parent a", thread: "a")
        try check("", "open w; login; parent a", asks: "around newest", gives: "a", says: "w parent a", thread: "a")
        try check("", "open w; login; parent missing", asks: "around newest", says: "w parent removed", thread: "a")
        try check("", "open w; login; parent a; around <c^a>", asks: "", gives: "<a c^a>", thread: "a")
    }

    func testAThreadIsToldOfItsParentAndOfItsReplies() throws {
        let story = "open w limit 9; login; parent a; around <c^a>; fetch w previous"
        try check("", "\(story); edit a'", shows: "{| c^a >}", says: "w parent a'", thread: "a")
        try check("", "\(story); delete a", shows: "{| c^a >}", says: "w parent removed", thread: "a")
        try check("", "\(story); socket d^a", shows: "{| c^a d^a >}", thread: "a")
        try check("", "\(story); socket d", shows: "{| c^a >}", says: "", thread: "a")
        try check("", "\(story); socket d^b", shows: "{| c^a >}", says: "", thread: "a")
    }

    /// The gap is a matter of the whole channel.
    func testWhatAThreadMissedComesPageByPage() throws {
        try check(
            "<a c^a]", "open w limit 1; fetch w previous; login; parent a; log", asks: "→ c", thread: "a")
    }
}
