import SyncModel
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

    /// The same when the connection is lost, the message given up, or the process killed before the acknowledgement is
    /// given up: what came behind an own message under way is not complete, neither in the file nor after a loss.
    func testNothingBehindAMessageUnderWayIsTakenForComplete() throws {
        for policy in EngineOptions.ResendPolicy.allCases {
            let known = [Case.message(1), Case.message(2)]
            startShowing(known, resend: policy)
            send(1, "own")
            event(.messageReceived(channelURL: "c", message: Case.message(4)))
            command(.deleteMessage(collection: 1, .unsent(requestID: "own"), call: newCall()))
            let stored = try cache.chunks(channel: try cache.channelKey("c"))
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
        XCTAssertEqual(try cache.chunks(channel: try cache.channelKey("c")).map(\.isOpenEnded), [true])
        XCTAssertEqual(host.ids(1), ["1", "2", "3"])
    }

    private func tearDownAndSetUp() throws {
        tearDown()
        try setUpWithError()
    }
}
