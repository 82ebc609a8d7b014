import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// A service whose changes are in its stream: what a batch tells and the point behind it are one.
final class StreamPointTests: EngineTestCase {
    private typealias Case = EngineTestCase
    private let inStream = ServiceCapabilities(channelChanges: .inStream, messageChanges: .inStream, hasGapCheck: false)

    private func login(isContinued: Bool) {
        command(.call(newCall(), .connect))
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall, isContinued: isContinued)))
    }

    /// A collection that shows the messages 1 and 2, after a first batch.
    private func startStreaming() {
        start(capabilities: inStream)
        openMessages(1, "c")
        login(isContinued: false)
        event(.batch([], resume: "p1"))
        serve(channels: [Case.channel("c")], messages: ["c": [Case.message(1), Case.message(2)]])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2"])
    }

    private func arrival(_ id: Int64) -> ServiceEvent {
        .messageReceived(channelURL: "c", message: Case.message(id))
    }

    private func stored() throws -> [String] {
        try cache.messageReferences(channel: try cache.channels.key("c"), from: .first, through: .last).map(\.id.text)
    }

    private func startAgain(isContinued: Bool) {
        close()
        start(capabilities: inStream)
        login(isContinued: isContinued)
    }

    func testTheNextSessionGoesOnFromTheLastBatch() throws {
        startStreaming()
        XCTAssertNil(starts.last?.resume)
        event(.batch([arrival(3), arrival(4)], resume: "p2"))
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "4"])
        startAgain(isContinued: true)
        XCTAssertEqual(starts.last?.resume, "p2")
        openMessages(1, "c")
        serve(channels: [Case.channel("c")])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "4"])
        XCTAssertFalse(everAsked.contains { if case .messages = $0 { true } else { false } })
    }

    /// The process ends before the commit: neither the messages nor the point are there.
    func testABatchIsStoredAsOne() throws {
        startStreaming()
        var writes = 0
        cache.setStatementHook { (sql) throws(StoreError) in
            writes += sql.contains("INTO message") ? 1 : 0
            if writes > 1 { throw .full }
        }
        event(.batch([arrival(3), arrival(4)], resume: "p2"))
        cache.setStatementHook(nil)
        XCTAssertEqual(try stored(), ["1", "2"])
        XCTAssertEqual(try cache.value("service.resume"), "p1")
    }

    /// After a pause the service is told to go on from the point that is stored, and hosts see each message once.
    func testWhatCouldNotBeStoredIsToldAgain() throws {
        startStreaming()
        cache.setCommitHook { () throws(StoreError) in throw .full }
        event(.batch([arrival(3)], resume: "p2"))
        XCTAssertEqual(resumedFrom, [])
        // Whatever comes before the service knows is behind a hole.
        cache.setCommitHook(nil)
        event(.batch([arrival(4)], resume: "p3"))
        XCTAssertEqual(try cache.value("service.resume"), "p1")
        wait(1999)
        XCTAssertEqual(resumedFrom, ["p1"])
        event(.batch([arrival(3), arrival(4)], resume: "p3"))
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "4"])
        XCTAssertEqual(try stored(), ["1", "2", "3", "4"])
        XCTAssertEqual(try cache.value("service.resume"), "p3")
        XCTAssertEqual(try cache.chunks.of(channel: try cache.channels.key("c")).map(\.isOpenEnded), [true])
    }

    /// Lists are told of a batch when it is stored: a repeat may leave out messages that the first one had.
    func testABatchThatIsNotStoredIsNotShown() throws {
        startStreaming()
        cache.setCommitHook { () throws(StoreError) in throw .full }
        event(.batch([try hole("older", [Case.message(8)]), arrival(9)], resume: "p2"))
        XCTAssertEqual(host.ids(1), ["1", "2"])
        cache.setCommitHook(nil)
        wait(1999)
        event(.batch((3...8).map { arrival($0) }, resume: "p2"))
        XCTAssertEqual(host.ids(1), (1...8).map { "\($0)" })
        event(.batch([.messageDeleted(channelURL: "c", messageID: "8")], resume: "p3"))
        XCTAssertEqual(host.ids(1), (1...7).map { "\($0)" })
    }

    /// What a page says before the first batch of a stream that begins again would be older than its point, and nobody
    /// would tell what changed in between.
    func testPagesWaitForTheFirstBatchOfAStreamThatBeginsAgain() throws {
        startStreaming()
        startAgain(isContinued: false)
        openMessages(1, "c")
        let call = fetch(1, .previous)
        serve(channels: [Case.channel("c")])
        XCTAssertFalse(everAsked.contains { if case .messagesAround = $0 { true } else { false } })
        XCTAssertEqual(host.syncStates.last, .running)
        // A host that waits is told when the batch cannot be stored.
        cache.setCommitHook { () throws(StoreError) in throw .full }
        event(.batch([], resume: "p9"))
        XCTAssertEqual(host.status(call), .storage)
        cache.setCommitHook(nil)
        wait(1999)
        event(.batch([], resume: "p9"))
        serve(channels: [Case.channel("c")], messages: ["c": [Case.message(1), Case.message(2)]])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2"])
    }

    /// A page that has what the stream told and could not be stored would be ahead of the point: the repeat would be
    /// taken for newer than the page. One under way is given up, and another one asked for behind the repeat.
    func testPagesWaitForTheRepeatOfWhatCouldNotBeStored() throws {
        start(capabilities: inStream)
        openMessages(1, "c")
        login(isContinued: false)
        event(.batch([], resume: "p1"))
        answer(.channels(ChannelPage(channels: [Case.channel("c")], next: "")), to: isChannelListing)
        if asked(isAround).isEmpty { fetch(1, .previous) }
        let early = try XCTUnwrap(asked(isAround).first)
        cache.setCommitHook { () throws(StoreError) in throw .full }
        event(.batch([arrival(2)], resume: "p2"))
        cache.setCommitHook(nil)
        answer(.messages(Case.page([Case.message(1), Case.message(2)])), to: { $0 == early })
        XCTAssertEqual(try stored(), [])
        XCTAssertEqual(asked(isAround), [])
        wait(1999)
        XCTAssertEqual(resumedFrom, ["p1"])
        event(.batch([arrival(2)], resume: "p2"))
        XCTAssertEqual(asked(isAround).count, 1)
        serve(channels: [Case.channel("c")], messages: ["c": [Case.message(1), Case.message(2)]])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2"])
    }

    /// The same of an event that stands alone.
    func testNoPointIsStoredBehindAnEventThatIsNot() throws {
        startStreaming()
        cache.setCommitHook { () throws(StoreError) in throw .full }
        event(arrival(3))
        cache.setCommitHook(nil)
        event(.batch([arrival(4)], resume: "p2"))
        XCTAssertEqual(try cache.value("service.resume"), "p1")
        wait(1999)
        XCTAssertEqual(resumedFrom, ["p1"])
    }

    /// The service does not know the point any more: nothing counts as complete, once that is stored with the first
    /// batch; until then a restart asks from the old point.
    func testAStreamThatBeginsAgainMakesNothingComplete() throws {
        startStreaming()
        startAgain(isContinued: false)
        let key = try cache.channels.key("c")
        XCTAssertEqual(try cache.chunks.of(channel: key).map(\.isOpenEnded), [true])
        XCTAssertEqual(try cache.value("service.resume"), "p1")
        event(.batch([arrival(5)], resume: "p9"))
        XCTAssertEqual(try cache.chunks.of(channel: key), [])
        XCTAssertEqual(try stored(), ["1", "2"])
        openMessages(1, "c")
        serve(channels: [Case.channel("c")], messages: ["c": (1...5).map { Case.message($0) }])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2", "3", "4", "5"])
    }

    private func hole(_ older: String, _ messages: [MessageRecord]) throws -> ServiceEvent {
        var page = Case.page(messages, reachedFirst: false)
        page.range?.start.token = "newer"
        return .hole(channelURL: "c", older: older, newer: page)
    }

    /// The hole is filled page by page, between its two tokens.
    func testAHoleOfWhatIsShownIsFilled() throws {
        startStreaming()
        event(.batch([try hole("older", [Case.message(7), Case.message(8)]), arrival(9)], resume: "p2"))
        XCTAssertEqual(host.ids(1), ["1", "2"])
        let asked = asked(isPage(.next))
        guard case .messages(_, let edge, _, _, _, let until) = asked.first else { return XCTFail("no page is asked") }
        XCTAssertEqual(edge, HistoryEdge(Case.message(2).position, token: "older"))
        XCTAssertEqual(until, HistoryEdge(Case.message(7).position, token: "newer"))
        serve(channels: [Case.channel("c")], messages: ["c": (2...9).map { Case.message($0) }])
        XCTAssertEqual(host.ids(1), (1...9).map { "\($0)" })
    }

    /// Nobody shows the channel, and the process ends behind the batch.
    func testAHoleIsOnTheDisk() throws {
        startStreaming()
        command(.post(.removeCollection(id: 1)))
        event(.batch([try hole("older", [Case.message(7)]), arrival(8)], resume: "p2"))
        let key = try cache.channels.key("c")
        XCTAssertEqual(try cache.chunks.of(channel: key).map(\.isOpenEnded), [false, true])
        XCTAssertEqual(try cache.chunks.of(channel: key).map(\.end.token), ["older", ""])
        XCTAssertEqual(try cache.chunks.of(channel: key).map(\.start.token), ["", "newer"])
        startAgain(isContinued: true)
        event(.batch([arrival(9)], resume: "p3"))
        openMessages(1, "c")
        fetch(1, .previous)
        serve(channels: [Case.channel("c")], messages: ["c": (1...9).map { Case.message($0) }])
        XCTAssertEqual(host.ids(1), (1...9).map { "\($0)" })
    }

    /// Nothing but the hole is known: what comes next is behind it.
    func testAHoleWithoutMessagesEndsWhatIsOpen() throws {
        startStreaming()
        let nothing = MessagePage(messages: [], range: nil, reachedFirst: false, reachedNewest: true)
        event(.batch([.hole(channelURL: "c", older: "older", newer: nothing)], resume: "p2"))
        let stored = try cache.chunks.of(channel: try cache.channels.key("c"))
        XCTAssertEqual(stored.map(\.isOpenEnded), [false])
        XCTAssertEqual(stored.map(\.end.token), ["older"])
        event(arrival(5))
        XCTAssertEqual(host.ids(1), ["1", "2"])
        serve(channels: [Case.channel("c")], messages: ["c": (1...5).map { Case.message($0) }])
        XCTAssertEqual(host.ids(1), (1...5).map { "\($0)" })
    }

    func testWhatIsKeptIsThereAtTheNextLogin() throws {
        startStreaming()
        event(.keep("token 2"))
        XCTAssertEqual(keptAnswers, [true])
        intents.setCommitHook { () throws(StoreError) in throw .full }
        event(.keep("token 3"))
        intents.setCommitHook(nil)
        XCTAssertEqual(keptAnswers, [true, false])
        startAgain(isContinued: true)
        XCTAssertEqual(starts.last?.kept, "token 2")
        command(.call(newCall(), .signOut))
        login(isContinued: false)
        XCTAssertNil(starts.last?.kept)
        XCTAssertNil(starts.last?.resume)
    }
}
