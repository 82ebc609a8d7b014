import SyncModel
import XCTest

@testable import SyncEngine

/// What collections of one channel show of its history, and how their fetches end.
final class MessageWindowsTests: StoryTestCase {
    /// What the windows show after a story, which may open them; `says`: what its last step told beside changes.
    private func check(
        _ before: String, _ story: String, shows: String, says: String? = nil, line: UInt = #line
    ) throws {
        let windows = try WindowsStory(before, newChannel(), MachineBench(cache, intents), cache)
        run(story, from: before, file: #filePath, line: line) { try windows.run($0) }
        compare(
            story, from: before,
            [("windows", windows.shown, shows), ("says", windows.bench.said.joined(separator: "; "), says)],
            file: #filePath, line: line)
    }

    // MARK: Fetches

    func testAFetchShowsWhatIsCachedNextToTheWindow() throws {
        let story = "open w limit 2; fetch w previous"
        try check("<b c d e>", "open w limit 2", shows: "{… >}")
        try check("<b c d e>", story, shows: "{… d e >}", says: "w fetch ok more")
        try check("<b c d e>", "\(story); fetch w previous", shows: "{| b c d e >}", says: "w fetch ok")
        try check("<b c d e>", "\(story); fetch w next", shows: "{… d e >}", says: "w fetch ok")
    }

    func testAFetchWaitsForWhatIsNotCached() throws {
        let story = "open w limit 3; fetch w previous"
        try check("[d e>", story, shows: "{… d e >}", says: "")
        try check("[d e>", "\(story); page [b c d]", shows: "{… c d e >}", says: "w fetch ok more")
        try check("[d e>", "\(story); page <d]", shows: "{| d e >}", says: "w fetch ok")
        try check("[d e>", "\(story); cancel w", shows: "{… d e >}", says: "w fetch canceled more")
        try check("[d e>", "\(story); close w", shows: "", says: "w fetch removed more")
    }

    func testAFetchThatWaitsEndsShortWithTheConnection() throws {
        let story = "open w limit 3; fetch w previous"
        try check("[d e>", "offline; \(story)", shows: "{… d e >}", says: "w fetch ok short offline more")
        try check("[d e>", "paused; \(story)", shows: "{… d e >}", says: "w fetch ok short paused more")
        try check("[d e>", "connecting; \(story)", shows: "{… d e >}", says: "")
        try check("[d e>", "\(story); disconnect", shows: "{… d e >}", says: "w fetch ok short offline more")
    }

    func testOneFetchInADirectionAtATime() throws {
        let story = "open w limit 3; fetch w previous"
        try check("[d e]", "\(story); fetch w previous", shows: "{… >}", says: "w fetch duplicatedFetch")
        try check("[d e>", "\(story); fetch w next", shows: "{… d e >}", says: "w fetch ok")
    }

    func testAFetchDoesNotCrossAHole() throws {
        try check("[b c] … [f g>", "open w limit 5; fetch w previous", shows: "{… f g >}", says: "")
        try check(
            "[b c] … [f g>", "open w at b limit 5; fetch w next", shows: "{… c …}", says: "")
        try check(
            "[b c] … [f g>", "open w limit 5; fetch w previous; page [c f]", shows: "{… b c f g >}", says: "")
    }

    /// What is shown reaches beyond a hole, and one of it was removed there. When the hole is filled it is shown again.
    func testAFilledHoleShowsWhatWasRemovedMeanwhile() throws {
        let story = try HistoryStory("[b c d e f>", newChannel(), cache)
        let bench = MachineBench(cache, intents)
        var view = MessageView(filter: MessageFilter(), viewpoint: .max)
        _ = view.attach(try Letters.messages("b d e f").map(\.row), bench.context.rules)
        func known(_ chunks: String) throws -> [WindowChange] {
            let chunks = ChunkList(try HistorySketch(chunks).chunks)
            let coverage = Coverage(
                channelURL: story.id.channelURL, channelKey: story.history.channelKey, chunks: chunks,
                isGapChecked: true)
            let source = MessageSource(coverage: coverage, context: bench.context, filter: MessageFilter())
            return view.merge([], in: chunks.last, source, bench.context.rules)
        }
        XCTAssertEqual(try known("[b] … [e f>"), [])
        XCTAssertEqual(Letters.text(view.window.rows), "b d e f")
        XCTAssertEqual(try known("[b c d e f>").map(\.action), [.insert])
        XCTAssertEqual(Letters.text(view.window.rows), "b c d e f")
        XCTAssertEqual(try known("[b c d e f>"), [])
    }

    func testTheEndsOfAWindowInTheMiddle() throws {
        let ends = "fetch w previous; fetch w next"
        try check("<b c d e f>", "open w at d limit 1; \(ends)", shows: "{… d e …}", says: "w fetch ok more")
        try check("<b c d e f>", "open w at d limit 1 exclusive; \(ends)", shows: "{… c d …}")
        try check("<b c d e f>", "open w at d limit 9; \(ends)", shows: "{| b c d e f >}", says: "w fetch ok")
        try check("<b c d e f>", "open w at d limit 2/1; \(ends)", shows: "{… c d e …}")
        try check("<b c d e f]", "open w at d limit 9; \(ends)", shows: "{| b c d e f …}", says: "")
    }

    func testAllThatIsNewerIsFetchedToTheNewest() throws {
        let story = "open w at c limit 1; fetch w previous; fetch w all"
        try check("<b c d e f>", story, shows: "{… c d e f >}", says: "w fetch_all_next ok")
        try check("<b c d]", story, shows: "{… c d …}", says: "")
        try check("<b c d]", "\(story); page [d e f>", shows: "{… c d e f >}", says: "w fetch_all_next ok")
    }

    /// Nobody can ask the service: the nearest older messages stand in for the viewpoint.
    func testOfflineTheNearestOlderMessagesStandIn() throws {
        try check("[b c]", "offline; open w limit 1; fetch w previous", shows: "{… c >}", says: "w fetch ok more")
        try check("[b c]", "open w limit 1; fetch w previous", shows: "{… >}", says: "")
        try check("[b c]", "fresh; open w limit 1; fetch w previous", shows: "{… c >}", says: "w fetch ok more")
    }

    /// What stands in has nothing of the list, and begins with the first message: behind it, some may be missing.
    func testAnEmptyStandInIsNotTheWholeList() throws {
        let story = "open w limit 2 marked; fetch w previous"
        try check("<b c]", "fresh; \(story)", shows: "{… >}", says: "")
        try check("<b c]", "fresh; \(story); page [c d! e>", shows: "{| d! >}", says: "w fetch ok")
        try check("<b c]", "offline; \(story)", shows: "{… >}", says: "w fetch ok short offline more")
        try check("<b c>", "offline; \(story)", shows: "{| >}", says: "w fetch ok")
    }

    // MARK: Arrivals

    func testAMessageBehindTheNewestIsShownWhereThatIsShown() throws {
        try check("<b c>", "open w limit 1; fetch w previous; socket d", shows: "{… c d >}", says: "")
        try check("<b c>", "open w limit 1; socket d", shows: "{… >}", says: "w new d")
        try check("<b c d>", "open w at b limit 1; fetch w previous; socket e", shows: "{| b …}", says: "w new e")
    }

    /// It opens at the newest point, whatever comes before its first fetch.
    func testAWindowFollowsBeforeItsFirstFetch() throws {
        try check("<b c>", "open w limit 1; disconnect; fetch w previous", shows: "{… c >}")
        try check("<b c>", "open w limit 1; socket d; disconnect; fetch w previous", shows: "{… d >}")
        try check("[b c]", "open w limit 1; page [c d>; disconnect; fetch w previous", shows: "{… d >}")
        try check("<b c>", "open w at b limit 1; socket d; disconnect; fetch w previous", shows: "{| b …}")
    }

    func testAMessageInAHoleIsToldAndNotShown() throws {
        try check("[b c]", "offline; open w limit 1; fetch w previous; socket e", shows: "{… c >}", says: "w new e")
    }

    func testWhatWaitedIsShownWithThePageThatReachesIt() throws {
        try check("[b c]", "open w limit 2; fetch w previous; socket e; page [c d>", shows: "{… d e >}",
                  says: "w fetch ok more")
    }

    // MARK: Filters

    func testWindowsWithDifferentFilters() throws {
        let story = "open w limit 2; open v limit 2 marked; fetch w previous; fetch v previous"
        try check("<b! c d! e>", story, shows: "{… d! e >} {| b! d! >}")
        try check("<b! c d! e>", "\(story); socket f!", shows: "{… d! e f! >} {| b! d! f! >}")
        try check("<b! c d! e>", "\(story); socket f", shows: "{… d! e f >} {| b! d! >}")
        try check("<b! c d! e>", "\(story); delete d", shows: "{… e >} {| b! >}")
        try check("<b! c d! e>", "\(story); edit d'", shows: "{… d' e >} {| b! >}")
        try check("<b! c d! e>", "\(story); edit c!'", shows: "{… d! e >} {| b! c!' d! >}")
    }

    func testANewMessageIsToldToWindowsThatMatchIt() throws {
        let story = "open w at b limit 1 marked; fetch w previous"
        try check("<b! c d! e>", "\(story); socket f!", shows: "{| b! …}", says: "w new f!")
        try check("<b! c d! e>", "\(story); socket f", shows: "{| b! …}", says: "")
    }

    /// Nobody would tell its host that there is more than was known once.
    func testBeforeItsFirstFetchAWindowDeniesNothing() throws {
        let story = "open w limit 2 marked; page <b c>"
        try check("<b c>", story, shows: "{… >}")
        try check("<b c>", "\(story); disconnect; online; socket e!", shows: "{… >}", says: "w new e!")
        try check("<b c>", "\(story); fetch w previous", shows: "{| >}", says: "w fetch ok")
        try check("<b c>", "open w at c limit 2 marked; page <b c>", shows: "{… …}")
    }

    func testAReplyIsShownWhereRepliesAre() throws {
        let story = "open w limit 3; open v limit 3 replies; fetch w previous; fetch v previous"
        try check("<b c^b d>", story, shows: "{| b d >} {| b c^b d >}")
        try check("<b c^b d>", "\(story); socket e^b", shows: "{| b d >} {| b c^b d e^b >}")
    }

    /// Only positions are told from the other end: the window itself is as any other.
    func testAReversedWindow() throws {
        let story = "open w limit 2 reversed; fetch w previous"
        try check("<b c d e>", "\(story); socket f; delete d", shows: "{… e f >}")
    }

    // MARK: Edits, deletions, moves

    func testAnEditIsShownInItsPlace() throws {
        let story = "open w limit 3; fetch w previous"
        try check("<b c d>", "\(story); edit c'", shows: "{| b c' d >}")
        try check("<b c d>", "\(story); react c", shows: "{| b c+ d >}")
    }

    func testAMovedMessageIsShownInItsNewPlace() throws {
        try check("<b c d>", "open w limit 3; fetch w previous; edit b'@f", shows: "{| c d b'@f >}")
        // Its place is beyond what is shown.
        try check("<b c d e>", "open w at c limit 2; fetch w previous; edit b'@f", shows: "{| c …}")
    }

    func testAnEmptiedWindowGoesOnWhereItStood() throws {
        let story = "open w limit 1; fetch w previous; delete d"
        try check("<b c d>", story, shows: "{… >}")
        try check("<b c d>", "\(story); socket e", shows: "{… e >}")
        try check("<b c d>", "\(story); fetch w previous", shows: "{… c >}")
    }

    func testAPageTakesAwayWhatTheServiceDoesNotHave() throws {
        try check("<b c d e>", "open w limit 4; fetch w previous; page [c e]", shows: "{| b c e >}")
    }

    func testAWindowIsCut() throws {
        let story = "open w limit 3; fetch w previous"
        try check("<b c d e>", "\(story); cut d", shows: "{| d e >}")
        try check("<b c d e>", "\(story); cut f", shows: "{| >}")
    }

    // MARK: Capacity

    func testAFullWindowIsTrimmedAtTheEndThatDidNotGrow() throws {
        let newest = "capacity 3; open w limit 2; fetch w previous"
        try check("<b c d e f>", "\(newest); fetch w previous", shows: "{… c d e …}")
        try check("<b c d e f>", "\(newest); socket g; socket h", shows: "{… f g h >}")
        try check("<b c d e f>", "\(newest); fetch w previous; socket g", shows: "{… c d e …}", says: "w new g")
        try check("<b c d e f>", "\(newest); fetch w previous; fetch w next", shows: "{… d e f >}")
        let middle = "capacity 3; open w at c limit 2; fetch w previous"
        try check("<b c d e f>", "\(middle); fetch w next", shows: "{… c d e …}")
    }

    func testAPageIsNeverTrimmed() throws {
        try check("<b c d e f>", "capacity 3; open w limit 4; fetch w previous", shows: "{… c d e f >}")
    }

    // MARK: Beginning again

    func testAResetStartsAgainAtAPlace() throws {
        let story = "open w limit 2; fetch w previous"
        try check("<b c d e>", "\(story); reset w c", shows: "{… …}")
        try check("<b c d e>", "\(story); reset w c; fetch w previous", shows: "{| b c …}")
        try check("<b c d e>", "\(story); reset w c; fetch w previous; reset w newest; fetch w previous",
                  shows: "{… d e >}")
        let waiting = "open w limit 9; fetch w previous"
        try check("[d e]", "\(waiting); reset w c", shows: "{… …}", says: "w fetch ok short reset more")
    }

    func testWithTheCacheEveryWindowIsEmptied() throws {
        let story = "open w limit 2; open v at c limit 1; fetch w previous; fetch v previous; empty"
        try check("<b c d e>", story, shows: "{… >} {… …}")
    }

    /// The host asked for a deletion: not shown until the service has said what becomes of it.
    func testWhatIsHiddenComesBackInItsPlace() throws {
        let story = "open w limit 2; fetch w previous"
        try check("<b c d e>", "\(story); hide d", shows: "{… e >}")
        try check("<b c d e>", "\(story); hide d; fetch w previous", shows: "{| b c e >}")
        try check("<b c d e>", "\(story); hide d; fetch w previous; unhide d", shows: "{| b c d e >}")
        try check("<b c d e>", "\(story); hide d; unhide d", shows: "{… d e >}")
        try check("<b c d e>", "\(story); hide e; unhide e", shows: "{… d e >}")
        try check("<b c d e>", "\(story); hide d; edit d'; unhide d", shows: "{… d' e >}")
        try check("<b c d e>", "\(story); hide d; delete d", shows: "{… e >}")
    }

    // MARK: Starts

    func testAStartShowsWhatIsCachedAndThenWhatTheServiceSays() throws {
        let known = "open w limit 2; start w"
        try check("[c d e>", known, shows: "{… d e >}", says: "w shows 2")
        try check("[c d e>", "\(known); around newest", shows: "{… d e >}", says: "w start ok")
        try check("[c d e>", "\(known); around c", shows: "{… d e >}", says: "")
        try check("[c d e>", "offline; \(known)", shows: "{… d e >}", says: "w shows 2; w start ok short offline")
    }

    /// Nothing is known about the viewpoint: what is shown meanwhile gives way, but for what belongs to both.
    func testWhatStandsInForAStartGivesWay() throws {
        let story = "open w limit 2; start w"
        try check("[b c]", story, shows: "{… b c >}", says: "w shows 2")
        try check("[b c]", "\(story); page [f g h>; around newest", shows: "{… g h >}", says: "w start ok")
        try check("[b c]", "\(story); page [c d>; around newest", shows: "{… b c d >}", says: "w start ok")
        let middle = "open w at d limit 1; start w"
        try check("[b c]", "\(middle); page [d e f]; around d", shows: "{… d e …}", says: "w start ok")
    }

    // MARK: Channel and host

    func testWithItsChannelEverythingIsGone() throws {
        let story = "open w limit 2; fetch w previous; channel gone"
        try check("<b c d e>", story, shows: "{| >}", says: "w channel removed")
        try check("<b c d e>", "\(story); channel gone", shows: "{| >}", says: "")
        try check("[d e]", story, shows: "{| >}", says: "w channel removed; w fetch notFound")
    }

    /// Its host has fetched while the channel was gone, and that was cut short.
    func testAListFillsItselfWhenItsChannelIsBack() throws {
        let story = "open w limit 2 marked; channel gone; offline; fetch w previous"
        let back = "online; channel back; page [b! c! d e>"
        try check("[d e]", story, shows: "{… >}", says: "w fetch ok short offline more")
        try check("[d e]", "\(story); \(back)", shows: "{… b! c! >}")
        try check("[d e]", "\(story); channel gone; \(back)", shows: "{… b! c! >}")
    }

    func testAHostThatLostEventsIsToldTheWholeList() throws {
        try check("<b c>", "open w limit 2; fetch w previous; overflow w 3", shows: "{| b c >}", says: "w lost 3")
    }

    /// More is missing than the service fills: what follows belongs behind a gap.
    func testAWindowBeforeAHugeGapNoLongerFollows() throws {
        let story = "open w limit 2; open v at b limit 1; fetch w previous; fetch v previous"
        try check("<b c d>", "\(story); disconnect; huge gap", shows: "{… c d …} {| b …}", says: "w huge gap")
        // Where nothing of the list was known, the newest page is shown.
        let empty = "open w limit 2 marked; fetch w previous; disconnect; online; huge gap"
        try check("<b c>", "\(empty); page [d! e>", shows: "{… d! >}")
    }
}
