import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// The service changes the time of a cached message, so that it stands behind the newest one known. What lies between
/// is not held, whatever tells of the change.
final class MovedMessageTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// The second one is an own one.
    private let known = (1...3).map { EngineTestCase.message($0, by: $0 == 2 ? "mei" : "bo") }

    /// Connected, with a collection of a channel's newest messages that has shown all of them.
    private func begin() {
        start()
        openMessages(1, "c")
        connect()
        serve(channels: [Case.channel("c", last: known[2])], messages: ["c": known])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2", "3"])
    }

    private func moved(_ id: Int64, to second: Int64, by sender: String = "bo") -> MessageRecord {
        Case.message(id, at: second, by: sender, updatedAt: Case.wall + 9000)
    }

    private func stored() throws -> StoredChunk {
        try XCTUnwrap(try cache.chunks.of(channel: cache.channels.key("c")).last)
    }

    /// The process is killed between two pages of the change log, the first of which tells of the move (simulation,
    /// seed 3255).
    func testAMoveThatTheChangeLogTellsLeavesNoHoleAfterAKill() throws {
        begin()
        loseConnection()
        connect()
        answerMessageLog(updated: [moved(3, to: 6)], hasMore: true)
        start()
        openMessages(1, "c")
        connect()
        let all = known.prefix(2) + [Case.message(4), Case.message(5), moved(3, to: 6), Case.message(7)]
        // Also an edit of what is in the hole says that it is there, and not that its neighbours are.
        let edited = Case.message(5, updatedAt: Case.wall + 9500)
        answerMessageLog(updated: [edited])
        guard case .messageGap(_, _, let end, let held, _) = asked(isGap).first
        else { return XCTFail("no gap was asked for") }
        XCTAssertEqual(end.position, known[2].position)
        XCTAssertEqual(held, 0)
        let missed = Array(all.dropFirst(2))
        answer(
            .gap(.fill(MessagePage(
                messages: missed, range: (end, HistoryEdge(missed[3].position)), reachedFirst: false,
                reachedNewest: true))),
            to: isGap)
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["1", "2", "4", "5", "3", "7"])
    }

    /// The socket tells of the move while the acknowledgement of an own message is missing: the own one may stand
    /// before the moved one.
    func testAMoveBehindAMessageUnderWayIsNotTakenForComplete() throws {
        begin()
        send(1, "own")
        event(.messageUpdated(channelURL: "c", message: moved(1, to: 6)))
        XCTAssertEqual(host.ids(1), ["2", "3", "1"])
        XCTAssertEqual(try stored().end.position, known[2].position)
    }

    /// A host tells of it before the service's connection has told what came before.
    func testAMoveThatAHostTellsIsNotTakenForComplete() throws {
        begin()
        let call = newCall()
        command(.call(call, .own(.tellEdit(moved(2, to: 6, by: "mei")), in: 1)))
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1), ["1", "3", "2"])
        XCTAssertEqual(try stored().end.position, known[2].position)
        event(.messageReceived(channelURL: "c", message: Case.message(5)))
        XCTAssertEqual(host.ids(1), ["1", "3", "5", "2"])
        XCTAssertEqual(try stored().end.position, Case.message(5).position)
    }

    /// It overtakes the first page, which has the message at its old place.
    func testAMoveThatOvertakesAPageIsNotTakenForComplete() throws {
        start()
        openMessages(1, "c")
        connect()
        send(1, "own")
        event(.messageUpdated(channelURL: "c", message: moved(1, to: 6)))
        serve(channels: [Case.channel("c", last: known[2])], messages: ["c": known])
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["2", "3", "1"])
        XCTAssertEqual(try stored().end.position, known[2].position)
    }

    /// It overtakes the answer to the gap check: shown and stored at its new place, behind what was missed.
    func testAMoveThatOvertakesTheGapCheckStandsBehindWhatWasMissed() throws {
        begin()
        loseConnection()
        connect()
        answerMessageLog()
        event(.messageUpdated(channelURL: "c", message: moved(3, to: 6)))
        let page = [known[2], Case.message(4), Case.message(5)]
        answer(
            .gap(.fill(MessagePage(
                messages: page, range: (HistoryEdge(page[0].position), HistoryEdge(page[2].position)),
                reachedFirst: false, reachedNewest: true))),
            to: isGap)
        XCTAssertEqual(host.ids(1), ["1", "2", "4", "5", "3"])
        openMessages(2, "c")
        fetch(2, .previous)
        XCTAssertEqual(host.ids(2), ["1", "2", "4", "5", "3"])
        XCTAssertEqual(try stored().end.position, page[2].position)
    }

    /// While the connection lives, what it tells is complete: a collection opened later shows the message, too.
    func testAMovedMessageIsShownByACollectionOpenedLater() throws {
        begin()
        event(.messageUpdated(channelURL: "c", message: moved(1, to: 6)))
        openMessages(2, "c")
        fetch(2, .previous)
        XCTAssertEqual(host.ids(2), ["2", "3", "1"])
        loseConnection()
        connect()
        answerMessageLog()
        guard case .messageGap(_, _, let end, _, _) = asked(isGap).first else { return XCTFail("no gap was asked for") }
        XCTAssertEqual(end.position, known[2].position)
    }

    /// A message whose time the service changed stands once, at its new place.
    func testAMessageWhoseTimeChangedStandsOnce() throws {
        startShowing([Case.message(1), Case.message(2), Case.message(3)])
        event(.messageUpdated(channelURL: "c", message: Case.message(1, at: 2, updatedAt: Case.wall + 9000)))
        XCTAssertEqual(host.ids(1), ["1", "2", "3"])
        event(.messageUpdated(channelURL: "c", message: Case.message(3, at: 0, updatedAt: Case.wall + 9000)))
        XCTAssertEqual(Set(host.ids(1)).count, host.ids(1).count)
        command(.post(.resetViewpoint(collection: 1, viewpoint: .max)))
        fetch(1, .previous)
        XCTAssertEqual(host.ids(1), ["3", "1", "2"])
    }
}
