import SyncModel
import XCTest

@testable import SyncEngine

/// Messages that go by requests while the connection is lost.
final class SendByRequestTests: EngineTestCase {
    private typealias Case = EngineTestCase

    /// Logged in, with a list of "c" that shows one message.
    private func online(policy: EngineOptions.ResendPolicy = .automatic, takesRequests: Bool = true) {
        start {
            $0.resendPolicy = policy
            $0.sendsByRequest = true
        }
        openMessages(1, "c")
        connect(takesRequests: takesRequests)
        serve(channels: [Case.channel("c")], messages: ["c": [Case.message(1)]])
        fetch(1, .previous)
    }

    private func own(_ number: Int64, _ id: RequestID) -> MessageRecord {
        Case.message(number, by: "mei", requestID: id)
    }

    private var byRequest: [RequestID] {
        asked(isSendByRequest).compactMap { if case .sendMessageByRequest(_, let id, _) = $0 { id } else { nil } }
    }

    private var bySocket: [RequestID] {
        asked(isSend).compactMap { if case .sendMessage(_, let id, _) = $0 { id } else { nil } }
    }

    /// An attempt to connect fails, or the connection is lost. What is in flight by requests stays so.
    private func lost(_ kind: ServiceFailure.Kind = .unreachable) {
        event(.disconnected(ServiceFailure(kind: kind, code: 800_200, message: "lost"), retryAfter: nil))
    }

    private func again(_ messages: [MessageRecord]) {
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall, takesMessagesByRequest: true)))
        guard !messages.isEmpty else { return serve(channels: [Case.channel("c")]) }
        // The log of changes first, then what the gap had.
        answer(.messageChanges(MessageChanges(updated: [], deletedIDs: [], hasMore: false, next: "log"))) {
            if case .messageChanges = $0 { true } else { false }
        }
        let edges = messages.map { HistoryEdge($0.position) }
        if let first = edges.first, let last = edges.last {
            let fill = MessagePage(messages: messages, range: (first, last), reachedFirst: false, reachedNewest: true)
            answer(.gap(.fill(fill))) { if case .messageGap = $0 { true } else { false } }
        }
        serve(channels: [Case.channel("c")])
    }

    /// The attempt to connect that follows a loss at once.
    private func connecting() { wait(100) }

    func testAMessageGoesOutAndIsShownAsSentUntilAPageBringsIt() throws {
        online()
        loseConnection()
        let call = send(1, "a")
        XCTAssertEqual(byRequest, ["a"])
        answer(.message(own(2, "a")), to: isSendByRequest)
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1, .pending), ["a"])
        XCTAssertTrue(try XCTUnwrap(host.json(1, .pending, "a")).contains(#""status":"sent""#))
        XCTAssertEqual(try intents.intents().map(\.status), [.accepted])
        connecting()
        again([Case.message(1), own(2, "a")])
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(bySocket, [])
        XCTAssertEqual(try intents.intents().count, 0)
    }

    func testOneThatTheSessionDoesNotBringWasDeleted() {
        online()
        loseConnection()
        send(1, "a")
        answer(.message(own(2, "a")), to: isSendByRequest)
        connecting()
        again([Case.message(1)])
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(host.ids(1), ["1"])
    }

    /// Where nobody shows the channel no page brings it.
    func testOneOfAChannelThatNobodyShows() {
        online()
        loseConnection()
        send(1, "a")
        answer(.message(own(2, "a")), to: isSendByRequest)
        command(.post(.removeCollection(id: 1)))
        connecting()
        again([])
        XCTAssertEqual(try intents.intents().count, 0)
    }

    func testOneAtATimeInTheOrderOfWriting() {
        online()
        loseConnection()
        for id in ["a", "b"] as [RequestID] { send(1, id) }
        XCTAssertEqual(byRequest, ["a"])
        answer(.message(own(2, "a")), to: isSendByRequest)
        XCTAssertEqual(byRequest, ["b"])
    }

    /// Also when it ends a login that was under way: nothing else of the channel goes out before its answer.
    func testAnAnswerMayComeInTheNextSession() {
        online()
        loseConnection()
        let call = send(1, "a")
        connecting()
        lost()
        XCTAssertEqual(byRequest, ["a"], "it is asked once")
        wait(2_000)
        again([Case.message(1)])
        send(1, "b")
        XCTAssertEqual(bySocket, [])
        answer(.message(own(2, "a")), to: isSendByRequest)
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertEqual(bySocket, ["b"])
    }

    func testALostAnswerCountsAsNoAttemptAndIsRepeatedByEitherRoad() throws {
        online()
        loseConnection()
        send(1, "a")
        for _ in 0..<20 {
            answer(Case.failure(.unreachable, 800_120), to: isSendByRequest)
            XCTAssertEqual(byRequest, [], "it waits")
            XCTAssertEqual(try intents.intents().map(\.retryCount), [0])
            var waited: Int64 = 0
            while byRequest.isEmpty, waited < 200_000 {
                wait(1_000)
                waited += 1_000
            }
            XCTAssertEqual(byRequest, ["a"])
        }
        answer(Case.failure(.unavailable, 500_901), to: isSendByRequest)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall, takesMessagesByRequest: true)))
        serve(channels: [Case.channel("c")], messages: ["c": [Case.message(1)]])
        wait(70_000)
        XCTAssertEqual(bySocket, ["a"])
    }

    func testAnAcknowledgementThatIsLostWithTheConnection() {
        online()
        send(1, "a")
        XCTAssertEqual(bySocket, ["a"])
        lost()
        XCTAssertEqual(byRequest, ["a"], "the same request id")
        answer(.message(own(2, "a")), to: isSendByRequest)
        XCTAssertEqual(host.ids(1, .pending), ["a"])
        XCTAssertEqual(host.ids(1, .failed), [])
    }

    func testARefusalIsOne() {
        online()
        loseConnection()
        let call = send(1, "a")
        answer(Case.failure(.refused, 900_041), to: isSendByRequest)
        XCTAssertEqual(host.status(call), .service)
        XCTAssertEqual(host.ids(1, .failed), ["a"])
    }

    /// One that is known waits for the socket, by which it is looked for.
    func testAKnownOneWaitsForTheLogin() {
        online()
        loseConnection()
        send(1, "a")
        answer(Case.failure(.exists, 400_202), to: isSendByRequest)
        XCTAssertEqual(host.ids(1, .pending), ["a"])
        connecting()
        again([Case.message(1), own(2, "a")])
        XCTAssertEqual(host.ids(1), ["1", "2"])
        XCTAssertEqual(host.ids(1, .pending), [])
    }

    func testAKeyThatIsRefusedEndsIt() throws {
        for policy in [EngineOptions.ResendPolicy.automatic, .manual] {
            online(policy: policy)
            loseConnection()
            let id: RequestID = policy == .manual ? "m" : "a"
            send(1, id)
            answer(Case.failure(.tokenRejected, 800_101), to: isSendByRequest)
            connecting()
            XCTAssertEqual(byRequest, [])
            XCTAssertEqual(host.ids(1, policy == .manual ? .failed : .pending), [id.text])
            send(1, "later-\(id)" as RequestID)
            wait(30_000)
            XCTAssertEqual(byRequest, [])
            try tearDownAndSetUp()
        }
    }

    func testWhatEndsIt() {
        let ends: [(SendByRequestTests) -> Void] = [
            { $0.command(.post(.disconnect)) },
            { $0.lost(.refused) },
            { $0.lost(.rateLimited(retryAfter: 5_000)) },
            { $0.lost(.tokenRejected) },
        ]
        for (index, end) in ends.enumerated() {
            online()
            loseConnection()
            // The attempt that follows at once.
            connecting()
            end(self)
            send(1, "a\(index)" as RequestID)
            wait(30_000)
            XCTAssertEqual(byRequest, [], "\(index)")
        }
        online(takesRequests: false)
        loseConnection()
        send(1, "b")
        XCTAssertEqual(byRequest, [], "the service gave no key")
        startShowing([])
        loseConnection()
        send(1, "c")
        XCTAssertEqual(byRequest, [], "it is off")
    }

    /// What waited for a login does not go into frozen channels, and not before channels are known.
    func testWhatWaitedForTheLostSession() {
        start { $0.sendsByRequest = true }
        openMessages(1, "c")
        send(1, "a")
        connect(takesRequests: true)
        loseConnection()
        XCTAssertEqual(byRequest, [], "nobody has said which channels are frozen")
        send(1, "b")
        XCTAssertEqual(byRequest, [], "what was written later comes later")
    }

    func testAPauseOfTheServiceHoldsItBack() {
        online()
        loseConnection()
        send(1, "a")
        answer(Case.failure(.rateLimited(retryAfter: 5_000), 500_910), to: isSendByRequest)
        wait(4_900)
        XCTAssertEqual(byRequest, [])
        wait(60_000)
        XCTAssertEqual(byRequest, ["a"])
    }

    /// After a kill it is shown, and not sent again.
    func testItOutlivesTheProcess() {
        online()
        loseConnection()
        send(1, "a")
        answer(.message(own(2, "a")), to: isSendByRequest)
        start { $0.sendsByRequest = true }
        openMessages(1, "c")
        XCTAssertEqual(host.ids(1, .pending), ["a"])
        connect(takesRequests: true)
        serve(channels: [Case.channel("c")], messages: ["c": [Case.message(1), own(2, "a")]])
        XCTAssertEqual(bySocket + byRequest, [])
        wait(1_000)
        serve(messages: ["c": [Case.message(1), own(2, "a")]])
        XCTAssertEqual(host.ids(1, .pending), [])
        XCTAssertEqual(try intents.intents().count, 0)
    }
}
