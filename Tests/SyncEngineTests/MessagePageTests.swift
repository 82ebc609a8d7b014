import SyncModel
import XCTest

@testable import SyncEngine

/// Pages of messages: what is asked when one fails, and what is made of one that is late or stands apart.
final class MessagePageTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// After a failure of the service a fetch waits for the pause instead of asking at once.
    func testAFetchAfterAFailureOfTheServiceWaits() throws {
        start()
        openMessages(1, "c")
        connect()
        answer(.messages(Case.page([Case.message(8)], reachedFirst: false)), to: isAround)
        answer(Case.failure(.unavailable, 500_901), to: isPage(.previous))
        fetch(1, .previous)
        XCTAssertEqual(asked(isPage(.previous)), [])
        wait(1000)
        XCTAssertEqual(asked(isPage(.previous)).count, 1)
    }

    /// A page of one direction fails while the other one is under way: that one is not asked for a second time.
    func testAFailedPageLeavesTheOtherDirectionAlone() throws {
        start()
        openMessages(1, "c", viewpoint: Case.message(5).position.order)
        connect()
        let around = (4...6).map { Case.message($0) }
        answer(.messages(Case.page(around, reachedFirst: false, reachedNewest: false)), to: isAround)
        XCTAssertEqual(asked(isPage(.previous)).count, 1)
        XCTAssertEqual(asked(isPage(.next)).count, 1)
        answer(Case.failure(.unavailable, 500_901), to: isPage(.previous))
        wait(5000)
        XCTAssertEqual(asked(isPage(.next)).count, 1)
        XCTAssertEqual(asked(isPage(.previous)).count, 1)
    }

    /// A channel is closed and opened again while a page is under way: that page's failure says nothing to the new one,
    /// which would forget what overtook its own page.
    func testAnAnswerForAClosedCollectionIsNotTheNextOnes() throws {
        start()
        openMessages(1, "c")
        connect()
        XCTAssertEqual(asked(isAround).count, 1)
        command(.post(.removeCollection(id: 1)))
        openMessages(2, "c")
        fetch(2, .previous)
        XCTAssertEqual(asked(isAround).count, 2)
        answer(Case.failure(.timedOut, 800_180), to: isAround)
        event(.messageUpdated(channelURL: "c", message: Case.message(1, text: "new", updatedAt: Case.wall + 9000)))
        answer(.messages(Case.page([Case.message(1, text: "old")])), to: isAround)
        XCTAssert(host.json(2, .succeeded, "1")?.contains("new") == true, host.json(2, .succeeded, "1") ?? "-")
    }

    /// The socket is dead and nobody knows it yet: a page of what is newest lies beyond what was told, and what is in
    /// between is missing.
    func testAPageBeyondWhatTheSocketToldIsNotItsNeighbour() throws {
        startShowing([Case.message(1), Case.message(2)])
        command(.call(newCall(), .start(collection: 1)))
        let newest = [Case.message(8), Case.message(9)]
        answer(.messages(Case.page(newest, reachedFirst: false)), to: isAround)
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertEqual(try cache.chunks.of(channel: try cache.channels.key("c")).count, 2)
        serve(channels: [Case.channel("c", last: newest[1])], messages: ["c": (1...9).map { Case.message($0) }])
        XCTAssertEqual(host.ids(1), (1...9).map { "\($0)" })
        XCTAssertEqual(try cache.chunks.of(channel: try cache.channels.key("c")).count, 1)
    }

    /// A message at the edge of two pages counts once.
    func testProgressCountsAMessageOnce() throws {
        start()
        openMessages(1, "c")
        connect()
        let messages = (1...3).map { Case.message($0) }
        answer(.messages(Case.page([messages[2]], reachedFirst: false)), to: isAround)
        serve(channels: [Case.channel("c", last: messages.last)], messages: ["c": messages])
        let done = host.events.compactMap {
            if case .client(.syncProgress(let progress)) = $0 { progress.done } else { nil }
        }
        XCTAssertEqual(done.last, 3)
    }

    /// Opened at the newest point, and fetched only after the connection was lost: it follows as any other does.
    func testACollectionThatIsFetchedLateFollowsTheNewest() throws {
        start()
        openMessages(1, "c")
        connect()
        let known = [Case.message(1), Case.message(2)]
        serve(channels: [Case.channel("c", last: known[1])], messages: ["c": known])
        loseConnection()
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2"])
        connect()
        answerMessageLog()
        let missed = Case.page([known[1], Case.message(3)], reachedFirst: false)
        answer(.gap(.fill(missed)), to: isGap)
        XCTAssertEqual(host.ids(1), ["1", "2", "3"])
    }
}
