import SyncModel
import XCTest

@testable import SyncSendbird

/// The session: login, signs of life, its end.
final class SessionTests: XCTestCase {
    private let connected = "connected me at 1700000000123 reconnect 1500*3<=20000 #5"
    private let ping = #"{"id":1700000000000,"active":true}"#

    // MARK: Login

    func testALogin() {
        let harness = ServiceHarness()
        XCTAssertNil(harness.service.nextDeadline)
        XCTAssertEqual(harness.connect(), ["open 1 by TOKEN tok"])
        XCTAssertEqual(harness.service.nextDeadline, 1_020_000)
        XCTAssertEqual(harness.opened(1), [])
        XCTAssertEqual(harness.received(FrameDecoder.loginFrame), [connected])
        // A second word of welcome is none.
        XCTAssertEqual(harness.received(FrameDecoder.loginFrame), [])
        // The next one shows the key.
        XCTAssertEqual(harness.closed(1), ["disconnected unreachable 800200"])
        XCTAssertEqual(harness.connect(), ["open 2 by AUTH KEY"])
        // But not for another token.
        XCTAssertEqual(harness.connect("tok2"), ["close 2", "open 3 by TOKEN tok2"])
    }

    func testAWelcomeBeforeTheSocketIsToldToBeOpen() {
        let harness = ServiceHarness()
        _ = harness.connect()
        XCTAssertEqual(harness.received(FrameDecoder.loginFrame), [connected])
        XCTAssertEqual(harness.opened(1), [])
        XCTAssertEqual(harness.received(#"READ{"channel_url":"c","user":{"user_id":"bo"},"ts":5}"#),
                       ["channel c read by bo at 5"])
    }

    func testNothingIsToldBeforeTheLogin() {
        let harness = ServiceHarness()
        _ = harness.connect()
        _ = harness.opened(1)
        for frame in [
            #"MESG{"msg_id":1,"ts":2,"channel_url":"c"}"#, #"MESG{"msg_id":1,"ts":2,"channel_url":"c","req_id":"r"}"#,
            #"EXPR{"expires_in":5}"#, #"EROR{"code":900020,"req_id":"r"}"#, "PONG{}", "nonsense",
        ] {
            XCTAssertEqual(harness.received(frame), [], frame)
        }
        XCTAssertEqual(harness.ask(.getChannel(url: "c"), id: 1), ["reply 1 failure unreachable 800101"])
    }

    func testALoginThatIsNotAnswered() {
        for isOpen in [false, true] {
            let harness = ServiceHarness()
            _ = harness.connect()
            if isOpen { _ = harness.opened(1) }
            XCTAssertEqual(harness.wait(19_999), [])
            XCTAssertEqual(harness.wait(1), ["close 1", "disconnected unreachable 800190"])
            XCTAssertNil(harness.service.nextDeadline)
            XCTAssertEqual(harness.received(FrameDecoder.loginFrame), [], "a late word of an old socket")
        }
    }

    func testALoginWithoutTheServicesTime() {
        let harness = ServiceHarness()
        _ = harness.connect()
        XCTAssertEqual(
            harness.received(#"LOGI{"user_id":"me","key":"K"}"#), ["close 1", "disconnected unavailable 800130"])
    }

    func testRefusedLogins() {
        let cases: [(frame: String, outcome: String)] = [
            (#"LOGI{"error":true,"code":400302}"#, "tokenRejected 400302"),
            // With the access token there is no session to renew: only the host has a better token.
            (#"LOGI{"error":true,"code":400309}"#, "tokenRejected 400309"),
            (#"EROR{"code":400302}"#, "tokenRejected 400302"),
            (#"EROR{"code":400501}"#, "refused 400501"),
            (#"LOGI{"error":true,"code":500901}"#, "unavailable 500901"),
            (#"LOGI{"error":true}"#, "refused 800000"),
            (#"EXPR{"expires_in":-1}"#, "tokenRejected 400310"),
        ]
        for (frame, outcome) in cases {
            let harness = ServiceHarness()
            _ = harness.connect()
            _ = harness.opened(1)
            XCTAssertEqual(harness.received(frame), ["close 1", "disconnected " + outcome], frame)
            XCTAssertNil(harness.service.nextDeadline)
        }
    }

    func testRefusedSockets() {
        let cases: [(kind: TransportFailure.Kind, outcome: String)] = [
            (.refused(status: 401), "tokenRejected 400302"), (.refused(status: 403), "tokenRejected 400302"),
            (.refused(status: 503), "unreachable 800200"), (.timedOut, "unreachable 800200"),
            (.failed, "unreachable 800200"), (.notInstalled, "unreachable 800200"),
        ]
        for (kind, outcome) in cases {
            let harness = ServiceHarness()
            _ = harness.connect()
            XCTAssertEqual(harness.closed(1, kind), ["disconnected " + outcome], "\(kind)")
        }
        // In a session it says nothing of the token.
        XCTAssertEqual(ServiceHarness.online().closed(1, .refused(status: 401)), ["disconnected unreachable 800200"])
    }

    func testALoginRefusedForItsSessionKeyIsTriedOnceMoreWithTheToken() {
        let refusals: [(ServiceHarness) -> [String]] = [
            { $0.received(#"LOGI{"error":true,"code":400309}"#, on: 2) },
            { $0.received(#"EROR{"code":400309}"#, on: 2) },
            { $0.received(#"LOGI{"error":true,"code":400303}"#, on: 2) }, { $0.closed(2, .refused(status: 401)) },
        ]
        for (index, refuse) in refusals.enumerated() {
            let harness = ServiceHarness.online()
            _ = harness.closed(1)
            XCTAssertEqual(harness.connect(), ["open 2 by AUTH KEY"])
            _ = harness.wait(15_000)
            XCTAssertEqual(refuse(harness), (index < 3 ? ["close 2"] : []) + ["open 3 by TOKEN tok"], "\(index)")
            // The time for the login is one, not one for each socket.
            XCTAssertEqual(harness.wait(5000), ["close 3", "disconnected unreachable 800190"])
            XCTAssertEqual(harness.connect(), ["open 4 by TOKEN tok"], "a refused key is not shown again")
            XCTAssertEqual(
                harness.received(#"LOGI{"error":true,"code":400302}"#, on: 4),
                ["close 4", "disconnected tokenRejected 400302"])
        }
        // Without a token there is nothing else to show.
        let harness = ServiceHarness()
        _ = harness.connect("")
        _ = harness.received(FrameDecoder.loginFrame)
        _ = harness.closed(1)
        XCTAssertEqual(harness.connect(""), ["open 2 by AUTH KEY"])
        XCTAssertEqual(
            harness.received(#"LOGI{"error":true,"code":400309}"#, on: 2),
            ["close 2", "disconnected tokenRejected 400309"])
    }

    // MARK: Signs of life

    /// The answer to a ping may be among what waits to be taken in.
    func testThePeerIsNotSilentWhileWhatItSaidWaits() {
        let harness = ServiceHarness.online()
        XCTAssertEqual(harness.wait(15_000), ["text 1 PING" + ping])
        harness.now.unheardSince = harness.now.monotonic
        harness.now.monotonic += 60_000
        harness.service.advance(now: harness.now)
        XCTAssertEqual(harness.out(), [])
        XCTAssertEqual(harness.received("PONG{}"), [])
        harness.now.unheardSince = nil
        XCTAssertEqual(harness.wait(15_000), ["text 1 PING" + ping])
    }

    func testPings() {
        let harness = ServiceHarness.online()
        XCTAssertEqual(harness.wait(14_999), [])
        XCTAssertEqual(harness.wait(1), ["text 1 PING" + ping])
        XCTAssertEqual(harness.wait(4999), [])
        XCTAssertEqual(harness.received("PONG{}"), [])
        // Whatever is heard puts the next ping off.
        XCTAssertEqual(harness.wait(14_000), [])
        XCTAssertEqual(harness.received("nonsense"), [])
        XCTAssertEqual(harness.wait(14_999), [])
        XCTAssertEqual(harness.wait(1), ["text 1 PING" + ping])
        XCTAssertEqual(harness.wait(5000), ["close 1", "disconnected unreachable 800190"])
        XCTAssertEqual(harness.wait(1_000_000), [])
    }

    func testIntervalsComeFromTheLoginWithinBounds() {
        let harness = ServiceHarness()
        _ = harness.connect()
        _ = harness.received(#"LOGI{"login_ts":1,"ping_interval":0,"pong_timeout":0.25}"#)
        XCTAssertEqual(harness.wait(999), [])
        XCTAssertEqual(harness.wait(1), ["text 1 PING" + ping])
        XCTAssertEqual(harness.wait(1000), ["close 1", "disconnected unreachable 800190"])
    }

    // MARK: The end

    func testWordsOfOldSocketsAreIgnored() {
        let harness = ServiceHarness.online()
        XCTAssertEqual(harness.connect(), ["close 1", "open 2 by AUTH KEY"])
        XCTAssertEqual(harness.opened(1), [])
        XCTAssertEqual(harness.received(FrameDecoder.loginFrame, on: 1), [])
        XCTAssertEqual(harness.closed(1), [])
        XCTAssertEqual(harness.received(FrameDecoder.loginFrame, on: 2), [connected])
        XCTAssertEqual(harness.received(#"DELM{"channel_url":"c","msg_id":9}"#, on: 1), [])
        XCTAssertEqual(harness.received(#"DELM{"channel_url":"c","msg_id":9}"#, on: 2), ["deleted c 9"])
    }

    func testAnOverloadedService() {
        let harness = ServiceHarness.online()
        XCTAssertEqual(
            harness.received(#"BUSY{"retry_after":7}"#),
            ["close 1", "disconnected rateLimited(retryAfter: 7000) 800221 come back after 7000"])
        let early = ServiceHarness()
        _ = early.connect()
        XCTAssertEqual(
            early.received(#"BUSY{"retry_after":2}"#),
            ["close 1", "disconnected rateLimited(retryAfter: 2000) 800221 come back after 2000"])
    }

    func testARevokedSession() {
        for (frame, code) in [
            (#"EXPR{"expires_in":-1}"#, 400_310), (#"EXPR{"expires_in":9,"reason":400310}"#, 400_310),
            (#"EROR{"code":400310}"#, 400_310), (#"EROR{"code":400302}"#, 400_302),
        ] {
            let harness = ServiceHarness.online()
            XCTAssertEqual(harness.received(frame), ["close 1", "disconnected tokenRejected \(code)"], frame)
        }
        // One that names no request and is none of a command means the connection.
        XCTAssertEqual(
            ServiceHarness.online().received(#"EROR{"code":400920}"#), ["close 1", "disconnected refused 400920"])
        XCTAssertEqual(ServiceHarness.online().received(#"EROR{"code":500910}"#), [])
        // Errors of commands end nothing, and what comes behind the end of a session is of no session.
        let harness = ServiceHarness.online()
        XCTAssertEqual(harness.received(#"EROR{"code":900020}"#), [])
        let deletion = #"DELM{"channel_url":"c","msg_id":9}"#
        XCTAssertEqual(
            harness.received(deletion + "\n" + #"EROR{"code":400310}"# + "\n" + deletion),
            ["deleted c 9", "close 1", "disconnected tokenRejected 400310"])
    }

    /// The service ends the socket because a text is larger than it takes: the largest message fails for good.
    func testATextThatIsTooLarge() {
        let harness = ServiceHarness.online()
        for (id, size) in [(1, 10), (2, 30), (3, 20)] as [(UInt64, Int)] {
            let body = Array(#"{"message":"\#(String(repeating: "x", count: size))"}"#.utf8)
            _ = harness.ask(
                .sendMessage(channelURL: "c\(id)", requestID: "r\(id)", body: body), id: id, timeout: 50_000)
        }
        let ended = harness.closed(1, .textTooLarge)
        XCTAssertEqual(ended.count, 2, "\(ended)")
        XCTAssertEqual(ended.first, "reply 2 failure refused 800110", "\(ended)")
        XCTAssert(ended.last?.hasPrefix("disconnected unreachable") ?? false, "\(ended)")
        XCTAssertEqual(ServiceHarness.online().closed(1, .textTooLarge).count, 1, "nothing was sent")
    }

    private func byRequest(_ id: String) -> ServiceRequest {
        .sendMessageByRequest(channelURL: "c", requestID: RequestID(id), body: Array(#"{"message":"hi"}"#.utf8))
    }

    /// A message by a request needs no socket, and outlasts what becomes of sockets.
    func testAMessageWithoutTheSocket() {
        let harness = ServiceHarness.online()
        _ = harness.closed(1)
        let sent = harness.ask(byRequest("r"), id: 1, timeout: 50_000)
        XCTAssertEqual(sent, ["http 1 POST /group_channels/c/messages by KEY within 50000"])
        XCTAssertEqual(harness.ask(.getChannel(url: "c"), id: 2).count, 1, "all else is refused")
        _ = harness.connect()
        _ = harness.closed(2)
        XCTAssertEqual(
            harness.answered(1, #"{"message_id":7,"created_at":5,"type":"MESG","user":{"user_id":"me"}}"#).count, 1)
        _ = harness.ask(byRequest("q"), id: 3, timeout: 9_000)
        XCTAssertEqual(harness.wait(9_000), ["cancel 2", "reply 3 failure timedOut 800180"])
        _ = harness.ask(byRequest("p"), id: 4)
        harness.service.disconnect(now: harness.now)
        XCTAssertEqual(harness.answered(3, #"{"message_id":8}"#), [], "the host has ended it")
    }

    /// Nothing of the session ends by the answer; the next login finds out what is the matter.
    func testAMessageWithoutTheSocketIsRefusedForItsKey() {
        for code in [400_309, 400_302, 400_310] {
            let harness = ServiceHarness.online()
            _ = harness.closed(1)
            _ = harness.ask(byRequest("r"), id: 1)
            XCTAssertEqual(
                harness.answered(1, #"{"error":true,"code":\#(code)}"#, status: 400),
                ["reply 1 failure tokenRejected 800101"])
            XCTAssertEqual(harness.ask(byRequest("q"), id: 2), ["reply 2 failure tokenRejected 800101"])
            XCTAssertEqual(harness.connect(), ["open 2 by TOKEN tok"])
        }
    }

    func testAnAnswerToAMessageThatIsNotTheServicesWord() {
        let harness = ServiceHarness.online()
        _ = harness.closed(1)
        for (id, answer) in [("<html>", 200), ("", 200), ("<html>", 502), ("{}", 200)].enumerated() {
            let id = UInt64(id + 1)
            _ = harness.ask(byRequest("r"), id: id)
            XCTAssertEqual(
                harness.answered(id, answer.0, status: answer.1), ["reply \(id) failure unavailable 500901"], answer.0)
        }
    }

    func testNoReplyAfterTheEnd() {
        let ends: [(ServiceHarness) -> [String]] = [
            { $0.closed(1) }, { $0.received(#"BUSY{"retry_after":7}"#) }, { $0.wait(20_000) },
            { harness in
                harness.service.disconnect(now: harness.now)
                return harness.out()
            },
        ]
        for (index, end) in ends.enumerated() {
            let harness = ServiceHarness.online()
            let sent = ServiceRequest.sendMessage(channelURL: "c", requestID: "r", body: [])
            _ = harness.ask(.getChannel(url: "c"), id: 1, timeout: 50_000)
            _ = harness.ask(sent, id: 2, timeout: 50_000)
            _ = harness.ask(.getChannel(url: "d"), id: 3, timeout: 50_000)
            _ = harness.answered(2, #"{"error":true,"code":400309}"#, status: 400)
            let last = end(harness)
            XCTAssertFalse(last.contains { $0.hasPrefix("reply") }, "\(index): \(last)")
            XCTAssertEqual(last.contains { $0.hasPrefix("disconnected") }, index < 3, "\(index): \(last)")
            XCTAssertNil(harness.service.nextDeadline)
            for exchange in 1...3 as ClosedRange<UInt64> {
                XCTAssertEqual(harness.answered(exchange, #"{"channel_url":"c","key":"K2"}"#), [])
            }
            // Numbers of a new session are new.
            _ = harness.connect()
            _ = harness.received(FrameDecoder.loginFrame, on: 2)
            XCTAssertEqual(
                harness.ask(.getChannel(url: "c"), id: 4, timeout: 100), [
                    "http 4 GET /group_channels/c by KEY within 100",
                ])
        }
        let harness = ServiceHarness()
        harness.service.disconnect(now: harness.now)
        XCTAssertEqual(harness.out(), [])
    }
}
