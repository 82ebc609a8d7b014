import SyncModel
import XCTest

@testable import SyncSendbird

/// Requests from the asking to the reply: answers, acknowledgements, deadlines, session renewal.
final class PendingRequestTests: XCTestCase {
    private let channel = ServiceRequest.getChannel(url: "c")
    private let expired = #"{"error":true,"code":400309,"message":"m"}"#

    private func message(_ requestID: RequestID) -> ServiceRequest {
        .sendMessage(channelURL: "c", requestID: requestID, body: Array(#"{"message":"hi"}"#.utf8))
    }

    private func sent(_ requestID: RequestID) -> String {
        #"text 1 MESG{"message":"hi","req_id":"\#(requestID)","channel_url":"c"}"#
    }

    private func ack(_ requestID: RequestID) -> String {
        #"MESG{"msg_id":1,"ts":2,"channel_url":"c","req_id":"\#(requestID)","user":{"user_id":"me"}}"#
    }

    // MARK: Answers

    func testARequestAndItsAnswer() {
        let harness = ServiceHarness.online()
        XCTAssertEqual(harness.ask(channel, id: 7), ["http 1 GET /group_channels/c by KEY within 10000"])
        XCTAssertEqual(harness.answered(1, #"{"channel_url":"c"}"#), ["reply 7 channel c"])
        XCTAssertEqual(harness.answered(1, #"{"channel_url":"c"}"#), [], "an answer is taken once")
        XCTAssertEqual(harness.answered(9, #"{"channel_url":"c"}"#), [])
    }

    func testNoAnswer() {
        for (kind, outcome) in [
            (TransportFailure.Kind.timedOut, "timedOut 800180"), (.failed, "unreachable 800120"),
            (.notInstalled, "unreachable 800120"), (.tooLarge, "tooLarge 800130"), (.crowded, "crowded 800120"),
        ] {
            let harness = ServiceHarness.online()
            _ = harness.ask(channel, id: 7)
            XCTAssertEqual(harness.unanswered(1, kind), ["reply 7 failure " + outcome])
        }
        // Also when the transport forgets it.
        let harness = ServiceHarness.online()
        _ = harness.ask(channel, id: 7, timeout: 9000)
        _ = harness.ask(channel, id: 8, timeout: 8000)
        XCTAssertEqual(harness.wait(7999), [])
        XCTAssertEqual(harness.wait(1), ["cancel 2", "reply 8 failure timedOut 800180"])
        XCTAssertEqual(harness.wait(1000), ["cancel 1", "reply 7 failure timedOut 800180"])
        XCTAssertEqual(harness.answered(1, #"{"channel_url":"c"}"#), [])
    }

    /// What the service was asked to change is not cut off by the end of the session.
    func testTheEndOfASessionEndsQuestions() {
        let harness = ServiceHarness.online()
        _ = harness.ask(channel, id: 7)
        let read = ActionCall(action: .reading(.markAsRead), arguments: ["channel_url": .text("c")])
        _ = harness.ask(.action(read), id: 8)
        _ = harness.ask(channel, id: 9)
        let asked = harness.closed(1)
        XCTAssertEqual(asked.filter { $0.hasPrefix("cancel") }.count, 2, "\(asked)")
        XCTAssertEqual(harness.answered(1, #"{"channel_url":"c"}"#), [])
    }

    func testTimesAtTheEndsOfTheirRange() {
        let harness = ServiceHarness.online()
        XCTAssertEqual(
            harness.ask(channel, id: 1, timeout: Int64.max),
            ["http 1 GET /group_channels/c by KEY within \(Int64.max - 1_000_000)"])
        _ = harness.ask(channel, id: 2, timeout: Int64.min)
        XCTAssertEqual(harness.wait(0), ["cancel 2", "reply 2 failure timedOut 800180"])
    }

    func testATokenThatIsRejectedEndsTheSession() {
        let harness = ServiceHarness.online()
        _ = harness.ask(channel, id: 7)
        _ = harness.ask(channel, id: 8)
        XCTAssertEqual(
            harness.answered(1, #"{"error":true,"code":400302}"#, status: 400),
            ["close 1", "cancel 2", "disconnected tokenRejected 400302"])
        XCTAssertEqual(harness.answered(2, #"{"channel_url":"c"}"#), [])
    }

    // MARK: Messages and their acknowledgements

    func testAMessageAndItsAcknowledgement() {
        let harness = ServiceHarness.online()
        XCTAssertEqual(harness.ask(message("r1"), id: 7), [sent("r1")])
        XCTAssertEqual(harness.ask(message("r2"), id: 8), [sent("r2")])
        XCTAssertEqual(harness.received(ack("r2")), ["reply 8 message user 1@2 by 'me' request r2"])
        XCTAssertEqual(
            harness.received(#"EROR{"code":900060,"req_id":"r1"}"#), ["reply 7 failure refused 900060"])
        // For the second time it is a message like any other.
        XCTAssertEqual(harness.received(ack("r2")), ["received c user 1@2 by 'me' request r2"])
        XCTAssertEqual(harness.received(#"EROR{"code":900060,"req_id":"r1"}"#), [])
    }

    func testAnAcknowledgementThatComesTooLate() {
        let harness = ServiceHarness.online()
        _ = harness.ask(message("r1"), id: 7, timeout: 3000)
        XCTAssertEqual(harness.wait(3000), ["reply 7 failure timedOut 800180"])
        XCTAssertEqual(harness.received(ack("r1")), ["received c user 1@2 by 'me' request r1"])
        XCTAssertEqual(harness.received(#"MESG{"msg_id":1,"ts":2,"req_id":"r1"}"#), [], "of no channel")
    }

    func testOneRequestIdUsedTwice() {
        let harness = ServiceHarness.online()
        _ = harness.ask(message("r1"), id: 7)
        _ = harness.ask(message("r1"), id: 8)
        XCTAssertEqual(
            harness.received(ack("r1")),
            ["reply 7 message user 1@2 by 'me' request r1", "reply 8 message user 1@2 by 'me' request r1"])
    }

    func testAnActionBySocketIsAnsweredByTheEventWithItsRequestID() {
        let harness = ServiceHarness.online()
        XCTAssertEqual(
            harness.ask(read, id: 7), [#"text 1 READ{"channel_url":"c","req_id":"1700000000000-7"}"#])
        XCTAssertEqual(
            harness.received(#"READ{"channel_url":"c","user":{"user_id":"me"},"ts":5,"req_id":"1700000000000-7"}"#),
            ["channel c read by me at 5", "reply 7 action"])
    }

    private let read = ServiceRequest.action(
        ActionCall(action: .reading(.markAsRead), arguments: ["channel_url": .text("c")]))

    func testNothingGoesOutWithoutASession() {
        for request in [message("r"), channel, read] {
            let harness = ServiceHarness()
            XCTAssertEqual(harness.ask(request, id: 1), ["reply 1 failure unreachable 800101"])
            _ = harness.connect()
            XCTAssertEqual(harness.ask(request, id: 2), ["reply 2 failure unreachable 800101"])
            _ = harness.opened(1)
            XCTAssertEqual(harness.ask(request, id: 3), ["reply 3 failure unreachable 800101"])
        }
    }

    // MARK: Session renewal

    func testOneRenewalServesAllThatWait() {
        let harness = ServiceHarness.online()
        _ = harness.ask(channel, id: 7)
        _ = harness.ask(channel, id: 8)
        _ = harness.ask(message("r1"), id: 9)
        _ = harness.wait(4000)
        XCTAssertEqual(
            harness.answered(1, expired, status: 400), ["http 3 POST /users/me/session_key by tok within 60000"])
        XCTAssertEqual(harness.answered(2, expired, status: 400), [])
        XCTAssertEqual(harness.received(#"EROR{"code":400309,"req_id":"r1"}"#), [])
        XCTAssertEqual(harness.received(#"EROR{"code":400309}"#), [])
        XCTAssertEqual(harness.received(#"EXPR{"expires_in":5}"#), [])
        // Asked with the old key; its answer comes when there is a new one.
        XCTAssertEqual(harness.ask(channel, id: 10), ["http 4 GET /group_channels/c by KEY within 10000"])
        XCTAssertEqual(harness.answered(3, #"{"key":"KEY2"}"#), [
            "http 5 GET /group_channels/c by KEY2 within 6000", "http 6 GET /group_channels/c by KEY2 within 6000",
            sent("r1"),
        ])
        XCTAssertEqual(
            harness.answered(4, expired, status: 400), ["http 7 GET /group_channels/c by KEY2 within 10000"])
        XCTAssertEqual(harness.answered(5, #"{"channel_url":"c"}"#), ["reply 7 channel c"])
        // Asked twice is enough.
        XCTAssertEqual(harness.answered(6, expired, status: 400), ["reply 8 failure unavailable 400309"])
        XCTAssertEqual(harness.received(ack("r1")), ["reply 9 message user 1@2 by 'me' request r1"])
        XCTAssertEqual(harness.answered(7, #"{"channel_url":"c"}"#), ["reply 10 channel c"])
        // The new key is the one that is shown from now on.
        _ = harness.closed(1)
        XCTAssertEqual(harness.connect(), ["open 2 by AUTH KEY2"])
    }

    /// What is repeated with a new key does not jump a pause that the service asked for meanwhile.
    func testAPauseHoldsForWhatIsRepeated() {
        let harness = ServiceHarness.online()
        _ = harness.ask(channel, id: 7)
        _ = harness.ask(channel, id: 8)
        XCTAssertEqual(harness.answered(1, "", status: 429), ["reply 7 failure rateLimited(retryAfter: 1000) 429"])
        _ = harness.wait(400)
        _ = harness.answered(2, expired, status: 400)
        XCTAssertEqual(harness.answered(3, #"{"key":"KEY2"}"#), ["reply 8 failure rateLimited(retryAfter: 600) 429"])
        // It is over: what is asked next is asked, and repeated.
        _ = harness.wait(600)
        _ = harness.ask(channel, id: 9)
        _ = harness.answered(4, expired, status: 400)
        XCTAssertEqual(
            harness.answered(5, #"{"key":"KEY3"}"#), ["http 6 GET /group_channels/c by KEY3 within 10000"])
    }

    func testTheServiceTellsThatTheKeyEnds() {
        for frame in [#"EXPR{"expires_in":5}"#, #"EROR{"code":400309}"#] {
            let harness = ServiceHarness.online()
            XCTAssertEqual(harness.received(frame), ["http 1 POST /users/me/session_key by tok within 60000"], frame)
            XCTAssertEqual(harness.answered(1, #"{"new_key":"KEY2"}"#), [])
            XCTAssertEqual(harness.ask(channel, id: 1), ["http 2 GET /group_channels/c by KEY2 within 10000"])
        }
        // Or brings a new one itself.
        let harness = ServiceHarness.online()
        XCTAssertEqual(harness.received(#"LOGI{"req_id":"r","new_key":"KEY3"}"#), [])
        XCTAssertEqual(harness.ask(channel, id: 1), ["http 1 GET /group_channels/c by KEY3 within 10000"])
    }

    func testARenewalThatFails() {
        let renewals: [(answer: (ServiceHarness) -> [String], outcome: [String])] = [
            ({ $0.unanswered(2, .failed) }, ["reply 7 failure unreachable 800120"]),
            ({ $0.unanswered(2, .timedOut) }, ["reply 7 failure timedOut 800180"]),
            ({ $0.answered(2, "", status: 503) }, ["reply 7 failure unavailable 503"]),
            ({ $0.answered(2, "", status: 429) }, ["reply 7 failure rateLimited(retryAfter: 1000) 429"]),
            ({ $0.answered(2, "{}") }, ["reply 7 failure unavailable 800130"]),
            ({ $0.answered(2, #"{"error":true,"code":400302}"#, status: 400) },
             ["close 1", "disconnected tokenRejected 400302"]),
            ({ $0.answered(2, #"{"error":true,"code":400309}"#, status: 400) },
             ["close 1", "disconnected tokenRejected 400309"]),
        ]
        for (answer, outcome) in renewals {
            let harness = ServiceHarness.online()
            _ = harness.ask(channel, id: 7)
            _ = harness.answered(1, expired, status: 400)
            XCTAssertEqual(answer(harness), outcome)
            guard outcome.count == 1 else { continue }
            // The next that finds the key expired tries again.
            _ = harness.ask(channel, id: 8)
            XCTAssertEqual(
                harness.answered(3, expired, status: 400), ["http 4 POST /users/me/session_key by tok within 60000"])
        }
    }

    func testNobodyWaitsForARenewalLongerThanForAnAnswer() {
        let harness = ServiceHarness.online()
        _ = harness.ask(channel, id: 7)
        _ = harness.answered(1, expired, status: 400)
        var life: [String] = []
        for _ in 0..<7 {
            life += harness.wait(10_000)
            life += harness.received("PONG{}")
        }
        XCTAssertEqual(life, ["reply 7 failure timedOut 800180", "cancel 2"])
        // The renewal is given up, too, and can begin again.
        XCTAssertEqual(harness.answered(2, #"{"key":"KEY2"}"#), [])
        XCTAssertEqual(
            harness.received(#"EXPR{"expires_in":5}"#), ["http 3 POST /users/me/session_key by tok within 60000"])
    }
}
