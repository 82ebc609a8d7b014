import SyncModel
import SyncStore
import XCTest

@testable import SyncEngine

/// What is taken for complete while the answer to an own send is awaited, and when it is lost.
final class AcknowledgementTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// An acknowledgement is lost on a living socket, then a later message arrives: the own one must not be missing
    /// between neighbours, whatever the resend policy.
    func testALostAcknowledgementLeavesNoHole() throws {
        for policy in EngineOptions.ResendPolicy.allCases {
            let known = [Case.message(1), Case.message(2)]
            startShowing(known, resend: policy)
            send(1, "own")
            // It arrived as message 3; nobody tells us. Then bo writes.
            let all = known + [Case.message(3, by: "mei", requestID: "own"), Case.message(4)]
            event(.messageReceived(channelURL: "c", message: all[3]))
            XCTAssertEqual(host.ids(1), ["1", "2", "4"], "\(policy)")
            answer(Case.failure(.timedOut, 800_180), to: isSend)
            serve(channels: [Case.channel("c", last: all.last)], messages: ["c": all])
            XCTAssertEqual(host.ids(1), ["1", "2", "3", "4"], "\(policy)")
            XCTAssertEqual(host.ids(1, .pending) + host.ids(1, .failed), [], "\(policy)")
            close()
            try tearDownAndSetUp()
        }
    }

    /// The service has the message and the cache has no room for it: it is shown as pending until there is, and not
    /// sent a second time.
    func testAMessageThatCannotBeCachedStaysInAList() throws {
        startShowing([Case.message(1)])
        let call = send(1, "own")
        cache.setCommitHook { () throws(StoreError) in throw .full }
        let own = Case.message(2, by: "mei", requestID: "own")
        answer(.message(own), to: isSend)
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1, .pending), ["own"])
        wait(20_000)
        XCTAssertEqual(asked(isSend), [])
        XCTAssertEqual(host.ids(1) + host.ids(1, .pending), ["1", "own"])
        cache.setCommitHook(nil)
        wait(60_000)
        serve(channels: [Case.channel("c", last: own)], messages: ["c": [Case.message(1), own]])
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertEqual(host.ids(1, .pending) + host.ids(1, .failed), [])
        XCTAssertEqual(asked(isSend), [])
    }

    /// The same of one that the service has deleted before the cache had it: it is in no list when all is known.
    func testAMessageThatWasDeletedBeforeItWasCachedLeavesTheList() throws {
        startShowing([Case.message(1)])
        send(1, "own")
        cache.setCommitHook { () throws(StoreError) in throw .full }
        answer(.message(Case.message(2, by: "mei", requestID: "own")), to: isSend)
        cache.setCommitHook(nil)
        XCTAssertEqual(host.ids(1, .pending), ["own"])
        wait(60_000)
        serve(channels: [Case.channel("c", last: Case.message(1))], messages: ["c": [Case.message(1)]])
        XCTAssertEqual(host.ids(1) + host.ids(1, .pending), ["1"])
    }

    /// The same when the connection is lost, the message given up, or the process killed before the acknowledgement is
    /// given up: what came behind an own message under way is not complete, neither in the file nor after a loss.
    func testNothingBehindAMessageUnderWayIsTakenForComplete() throws {
        for policy in EngineOptions.ResendPolicy.allCases {
            let known = [Case.message(1), Case.message(2)]
            startShowing(known, resend: policy)
            send(1, "own")
            event(.messageReceived(channelURL: "c", message: Case.message(4)))
            command(.call(newCall(), .own(.delete(.unsent(requestID: "own")), in: 1)))
            let stored = try cache.chunks.of(channel: try cache.channels.key("c"))
            XCTAssertEqual(stored.map(\.end.position), [known[1].position], "\(policy)")
            XCTAssertEqual(stored.map(\.isOpenEnded), [false], "\(policy)")
            loseConnection()
            wait(0)
            event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall)))
            answerMessageLog()
            let gaps = asked(isGap)
            guard case .messageGap(_, _, let end, _, _) = gaps.first else { return XCTFail("no gap was asked for") }
            XCTAssertEqual(end.position, known[1].position, "\(policy)")
            close()
            try tearDownAndSetUp()
        }
    }

    /// An acknowledged message costs no chunk: the file stays open-ended.
    func testAnAcknowledgedMessageLeavesTheChunkOpen() throws {
        startShowing([Case.message(1)])
        send(1, "own")
        event(.messageReceived(channelURL: "c", message: Case.message(2)))
        answer(.message(Case.message(3, by: "mei", requestID: "own")), to: isSend)
        XCTAssertEqual(try cache.chunks.of(channel: try cache.channels.key("c")).map(\.isOpenEnded), [true])
        XCTAssertEqual(host.ids(1), ["1", "2", "3"])
    }
}
