import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// The listing and the change log of channels: answers that are old when they arrive, and very large ones.
final class ChannelSyncTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// No log tells what became of the channels since: a lost cursor means that they are listed once more.
    func testALostCursorListsTheChannelsAgain() throws {
        start()
        command(.post(.openChannelCollection(id: 1, query: ChannelQuery())))
        connect()
        serve(channels: [EngineTestCase.channel("a"), EngineTestCase.channel("b")])
        fetch(1, .next)
        XCTAssertEqual(Set(host.ids(1, .channels)), ["a", "b"])
        loseConnection()
        try cache.setValue("channels.changes", nil)
        wait(0)
        event(.connected(SessionInfo(userID: "mei", loginTime: EngineTestCase.wall)))
        XCTAssertEqual(asked(isChannelListing).count, 1)
        serve(channels: [EngineTestCase.channel("a")])
        XCTAssertEqual(host.ids(1, .channels), ["a"])
    }

    /// The deletion of a last message that is newer than the cached one, while a change log that was made earlier is on
    /// its way.
    func testADeletedLastMessageIsNotBroughtBackByAnOlderChangeLog() throws {
        start()
        command(.post(.openChannelCollection(id: 1, query: ChannelQuery())))
        connect()
        let old = Case.message(1)
        serve(channels: [Case.channel("c", last: old)])
        fetch(1, .next)
        loseConnection()
        wait(0)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall)))
        // The log was made when message 2 was there; it is deleted before the log arrives.
        event(.messageDeleted(channelURL: "c", messageID: "2"))
        answer(
            .channelChanges(ChannelChanges(
                updated: [Case.channel("c", last: Case.message(2))], deletedURLs: [], hasMore: false, next: "log2")),
            to: isChannelLog)
        serve(channels: [Case.channel("c", last: old)])
        XCTAssertEqual(try cache.channels.channel("c")?.lastMessage?.id, "1")
        // From the login on it is read once more: the answer may have overtaken what the connection was to tell.
        XCTAssertEqual(try cache.value("channels.changes"), "t:\(Case.wall)")
    }

    /// More channels than may wait: those that were not asked for come with a listing of all, and the point of the
    /// change log is not stored before.
    func testAFloodOfUnknownChannelsEndsInAListing() throws {
        start()
        command(.post(.openChannelCollection(id: 1, query: ChannelQuery())))
        connect()
        serve(channels: [Case.channel("c", last: Case.message(1))])
        let isOne = { (request: ServiceRequest) in if case .getChannel = request { true } else { false } }
        let flood = ChannelRefresh.capacity + 10
        for number in 0..<flood {
            event(.messageReceived(channelURL: ChannelURL("x\(number)"), message: Case.message(Int64(number + 2))))
        }
        XCTAssertTrue(engine.isPlanned(channel: "x\(flood - 1)"))
        var answered = 0
        while asked(isChannelListing).isEmpty, !asked(isOne).isEmpty {
            answer(Case.failure(.notFound, 400_201), to: isOne)
            answered += 1
        }
        XCTAssertEqual(answered, ChannelRefresh.capacity / 2)
        XCTAssertEqual(asked(isChannelListing).count, 1)
        let last = ChannelURL("x\(flood - 1)")
        serve(channels: [Case.channel("c", last: Case.message(1)), Case.channel(last, last: Case.message(9))])
        fetch(1, .next)
        XCTAssertEqual(Set(host.ids(1, .channels)), ["c", last.text])
        XCTAssertFalse(engine.isPlanned(channel: last))
    }

    /// A service that never comes to an end is not asked without a pause.
    func testPagesWithoutAChannelAreAskedForWithPauses() throws {
        start()
        connect()
        answer(.channels(ChannelPage(channels: [Case.channel("c")], next: "p0")), to: isChannelListing)
        for number in 1...4 {
            XCTAssertEqual(asked(isChannelListing).count, 1, "\(number)")
            answer(.channels(ChannelPage(channels: [], next: "p\(number)")), to: isChannelListing)
        }
        XCTAssertEqual(asked(isChannelListing).count, 0)
        XCTAssertEqual(try cache.value("channels.token"), "p4")
        wait(60_000)
        XCTAssertEqual(asked(isChannelListing).count, 1)
        // What comes then is listed as ever.
        answer(.channels(ChannelPage(channels: [Case.channel("d")], next: "p5")), to: isChannelListing)
        XCTAssertEqual(asked(isChannelListing).count, 1)
    }

    /// A page of the listing that an event crossed leaves a channel out, which is asked for by itself. A process that
    /// ends before the answer lists that page once more.
    func testTheListingIsNotAheadOfAChannelInDoubt() throws {
        start()
        connect()
        event(.messageDeleted(channelURL: "c", messageID: "2"))
        answer(.channels(ChannelPage(channels: [Case.channel("c")], next: "p2")), to: isChannelListing)
        XCTAssertNil(try cache.channels.channel("c"))
        XCTAssertNil(try cache.value("channels.token"))
        start()
        connect()
        answer(
            .channelChanges(ChannelChanges(updated: [], deletedURLs: [], hasMore: false, next: "log")),
            to: isChannelLog)
        answer(.channels(ChannelPage(channels: [Case.channel("c")], next: "p2")), to: isChannelListing)
        XCTAssertNotNil(try cache.channels.channel("c"))
        XCTAssertEqual(try cache.value("channels.token"), "p2")
        event(.messageDeleted(channelURL: "d", messageID: "3"))
        answer(.channels(ChannelPage(channels: [Case.channel("d")], next: "p3")), to: isChannelListing)
        XCTAssertEqual(try cache.value("channels.token"), "p2")
        answer(.channel(Case.channel("d")), to: isGetChannel)
        XCTAssertEqual(try cache.value("channels.token"), "p3")
        XCTAssertNotNil(try cache.channels.channel("d"))
    }

    func testAnEditedLastMessageIsNotMadeOldByAnOlderChangeLog() throws {
        start()
        connect()
        serve(channels: [Case.channel("c", last: Case.message(1))])
        loseConnection()
        wait(0)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall)))
        let edited = Case.message(2, text: "new", updatedAt: Case.wall + 9000)
        event(.messageUpdated(channelURL: "c", message: edited))
        answer(
            .channelChanges(ChannelChanges(
                updated: [Case.channel("c", last: Case.message(2, text: "old"))], deletedURLs: [], hasMore: false,
                next: "log2")),
            to: isChannelLog)
        // The edit is of a message that was not cached, so the channel was asked for; the log crossed that answer, too.
        for _ in 0..<2 {
            serve(channels: [Case.channel("c", last: edited)])
            wait(5_000)
        }
        let json = String(decoding: try XCTUnwrap(try cache.channels.channel("c")).json, as: UTF8.self)
        XCTAssert(json.contains(#""message":"new""#), json)
    }

    /// The disk was full at the first login, so no change log begins there: what an event brought into the cache in
    /// that session is looked for by the listing of the next one.
    func testWhatWasCachedBeforeThereWasALogIsLookedFor() throws {
        start()
        command(.post(.pauseSync))
        cache.setCommitHook { () throws(StoreError) in throw StoreError.failed(code: 13, message: "full") }
        connect()
        cache.setCommitHook(nil)
        event(.channel(url: "c", .changed(Cause(.eventChannelChanged))))
        answer(.channel(Case.channel("c")), to: isGetChannel)
        XCTAssertEqual(try cache.channels.urls(), ["c"])
        loseConnection()
        // Left meanwhile, and every second page of the listing comes after a kill.
        command(.post(.resumeSync))
        connect()
        answer(.channels(ChannelPage(channels: [Case.channel("d")], next: "2")), to: isChannelListing)
        start()
        connect()
        serve(channels: [Case.channel("d")])
        XCTAssertEqual(try cache.channels.urls(), ["d"])
    }

    /// One huge answer is taken in part by part: between two parts the client can be closed, and all of it is shown
    /// when it is not.
    func testAHugeAnswerIsTakenInPartByPart() throws {
        start()
        var query = ChannelQuery()
        query.limit = 100
        command(.post(.openChannelCollection(id: 1, query: query)))
        connect()
        fetch(1, .next)
        let channels = (1...5000).map { Case.channel("c\($0)", last: Case.message(Int64($0 % 997 + 1))) }
        answer(.channels(ChannelPage(channels: channels, next: ""))) {
            if case .listChannels(query, _, _) = $0 { true } else { false }
        }
        let first = try cache.channels.urls().count
        XCTAssertLessThan(first, 1000)
        XCTAssertNotNil(engine.nextDeadline)
        wait(0)
        XCTAssertEqual(try cache.channels.urls().count, 5000)
        XCTAssertEqual(Set(host.ids(1, .channels)).count, 5000)
    }
}
