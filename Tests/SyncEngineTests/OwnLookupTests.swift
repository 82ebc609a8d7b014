import SyncModel
import XCTest

@testable import SyncEngine

/// A repeat that the service refuses, since it has the message: it is looked for among the user's own ones.
final class OwnLookupTests: EngineTestCase {
    private typealias Case = EngineTestCase
    private static let exists = Case.failure(.exists, 400_202)

    private func own(_ id: Int64, at second: Int64? = nil, _ requestID: RequestID = "own") -> MessageRecord {
        Case.message(id, at: second, by: "mei", requestID: requestID)
    }

    /// A message goes out from a list that shows another one, and is refused as known.
    @discardableResult
    private func sendRefused() -> CallID {
        startShowing([Case.message(1)])
        let call = send(1, "own")
        answer(OwnLookupTests.exists, to: isSend)
        return call
    }

    private func answerLookup(_ messages: [MessageRecord], isLast: Bool = true) {
        answer(.messages(Case.page(messages, reachedFirst: isLast)), to: isOwnMessages)
    }

    func testTheMessageIsShownAsSent() {
        let call = sendRefused()
        XCTAssertEqual(host.ids(1, .pending), ["own"])
        XCTAssertNil(host.status(call))
        XCTAssertEqual(
            asked(isOwnMessages), [.ownMessages(channelURL: "c", before: HistoryEdge(.last), limit: 100)])
        answerLookup([own(2, "other"), own(3)])
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1), ["1", "3"])
        XCTAssertEqual(host.ids(1, .pending) + host.ids(1, .failed), [])
        XCTAssertEqual(try intents.intents().count, 0)
    }

    /// It may stand where the cache is complete but for it, and be older than the session.
    func testAMessageOfBeforeTheLoginTakesItsPlace() {
        startShowing([Case.message(1, at: -90), Case.message(3, at: -30)])
        send(1, "own")
        answer(OwnLookupTests.exists, to: isSend)
        answerLookup([own(2, at: -60)])
        XCTAssertEqual(host.ids(1), ["1", "2", "3"])
    }

    /// Nothing that was written later goes out before it is known what became of the message.
    func testTheNextOneWaits() {
        startShowing([Case.message(1)])
        send(1, "own")
        send(1, "next")
        answer(OwnLookupTests.exists, to: isSend)
        XCTAssertEqual(asked(isSend), [])
        answerLookup([own(3)])
        guard case .sendMessage(_, "next", _) = asked(isSend).first else { return XCTFail("it does not go out") }
    }

    func testItIsLookedForOnTenPagesAndNoMore() {
        let call = sendRefused()
        for page in 0..<9 {
            let oldest = own(Int64(900 - page), "other")
            answerLookup([oldest], isLast: false)
            XCTAssertEqual(
                asked(isOwnMessages),
                [.ownMessages(channelURL: "c", before: HistoryEdge(oldest.position), limit: 100)])
        }
        answerLookup([own(500, "other")], isLast: false)
        XCTAssertEqual(asked(isOwnMessages), [])
        XCTAssertEqual(host.status(call), .service)
        XCTAssertEqual(host.results[call]?.failure?.code, 400_202)
        XCTAssertEqual(host.ids(1, .failed), ["own"])
    }

    /// Somebody else's message may have the same request id.
    func testAnothersMessageIsNotTakenForIt() {
        sendRefused()
        answerLookup([Case.message(3, by: "bo", requestID: "own")])
        XCTAssertEqual(host.ids(1, .failed), ["own"])
    }

    /// The question has no answer: the message stays under way, and is sent and looked for again.
    func testWithoutAnAnswerItStaysUnderWay() {
        sendRefused()
        answer(Case.failure(.unavailable, 500_901), to: isOwnMessages)
        XCTAssertEqual(host.ids(1, .pending), ["own"])
        XCTAssertEqual(asked(isSend), [])
        wait(60_000)
        answer(OwnLookupTests.exists, to: isSend)
        answerLookup([own(3)])
        XCTAssertEqual(host.ids(1), ["1", "3"])
    }

    func testTheNextLoginLooksForItAgain() {
        let call = sendRefused()
        loseConnection()
        XCTAssertEqual(host.ids(1, .pending), ["own"])
        wait(60_000)
        event(.connected(SessionInfo(userID: "mei", loginTime: Case.wall + 60_000)))
        serve(channels: [Case.channel("c")], messages: ["c": [Case.message(1)]])
        answer(OwnLookupTests.exists, to: isSend)
        answerLookup([own(3)])
        XCTAssertEqual(host.status(call), .ok)
        XCTAssertEqual(host.ids(1), ["1", "3"])
    }

    /// The channel may be gone for this user: that is what the host is told then.
    func testARefusedQuestionFailsTheMessage() {
        let call = sendRefused()
        answer(Case.failure(.notFound, 900_020), to: isOwnMessages)
        XCTAssertEqual(host.results[call]?.failure?.code, 900_020)
        XCTAssertEqual(host.ids(1, .failed), ["own"])
    }

    func testAMessageGivenUpMeanwhileIsNotLookedForFurther() {
        sendRefused()
        command(.call(newCall(), .own(.delete(.unsent(requestID: "own")), in: 1)))
        answerLookup([own(900, "other")], isLast: false)
        XCTAssertEqual(asked(isOwnMessages), [])
        XCTAssertEqual(host.ids(1, .pending) + host.ids(1, .failed), [])
    }

    /// A page brings it first, and then it is deleted: the late answer brings it back to nobody.
    func testAMessageDeletedMeanwhileStaysGone() {
        sendRefused()
        event(.messageReceived(channelURL: "c", message: own(3)))
        event(.messageDeleted(channelURL: "c", messageID: "3"))
        answerLookup([own(3)])
        XCTAssertEqual(host.ids(1), ["1"])
        XCTAssertEqual(host.ids(1, .pending) + host.ids(1, .failed), [])
    }
}
