import SyncBytes
import SyncJSON
import SyncModel
import XCTest

@testable import SyncMatrix

final class MatrixServiceTests: MatrixCase {
    func begin() {
        start()
        sync(Self.joined([Self.text("$1", "hello")], state: Self.state, next: "s1"))
    }

    // MARK: The stream

    func testTheFirstAnswerHasEverything() {
        start()
        XCTAssertFalse(polls[0].url.contains(text: "since="))
        sync(Self.joined([Self.text("$1", "hello")], state: Self.state, next: "s1"))
        guard case .connected(let info) = events.first else { return XCTFail("\(events)") }
        XCTAssertFalse(info.isContinued)
        XCTAssertEqual(batch, ["hole  [\"$1\"] from ps1"])
        ask(.listChannels(query: ChannelQuery(), token: "", limit: 100))
        guard case .channels(let page) = replies[1] else { return XCTFail("\(replies)") }
        XCTAssertEqual(page.channels.map(\.name), ["Lunch"])
        XCTAssertEqual(page.channels.first?.lastMessage?.id, "$1")
        XCTAssertTrue(polls[1].url.contains(text: "since=s1"))
    }

    func testItGoesOnFromAPoint() {
        start(resume: "s1")
        XCTAssertTrue(polls[0].url.contains(text: "since=s1"))
        sync(Self.joined(
            [Self.text("$2", "news")], more: #","unread_notifications":{"notification_count":1}"#, next: "s2"))
        guard case .connected(let info) = events.first else { return XCTFail("\(events)") }
        XCTAssertTrue(info.isContinued)
        XCTAssertEqual(batch, ["message $2", "patched"])
    }

    func testARefusedPointBeginsAgain() {
        start(resume: "foreign")
        refuse(400, #"{"errcode":"M_UNKNOWN","error":"Invalid stream token"}"#)
        XCTAssertTrue(events.isEmpty)
        XCTAssertFalse(polls[1].url.contains(text: "since="))
        sync(Self.joined([], state: Self.state, next: "s1"))
        guard case .connected(let info) = events.first else { return XCTFail("\(events)") }
        XCTAssertFalse(info.isContinued)
    }

    /// What came could not be stored: the channels are told, since they are listed once in a session.
    func testTheStreamBeginsAgainWithinASession() {
        begin()
        service.resume(from: nil, now: now)
        take()
        sync(Self.joined([Self.text("$1", "hello")], state: Self.state, next: "s1"))
        XCTAssertEqual(batch, ["channel Lunch joined", "hole  [\"$1\"] from ps1"])
    }

    func testWhatTheStreamLeavesOutIsAHole() {
        begin()
        sync(Self.joined(
            [
                Self.text("$8", "eight"),
                #"{"event_id":"$9","type":"m.room.redaction","sender":"@bo:x","content":{"redacts":"$1"}}"#,
            ], limited: true, next: "s2"))
        XCTAssertEqual(
            batch, ["hole s1 [\"$8\"] from ps2", "deleted $1", "relations +[] -[\"$1\"]"])
    }

    func testInvitationsAndLeaving() {
        begin()
        sync(#"{"next_batch":"s2","rooms":{"invite":{"!new:x":{"invite_state":{"events":[\#(Self.state)]}}},"#
            + #""leave":{"\#(Self.room)":{"timeline":{"events":[]}}}}}"#)
        XCTAssertEqual(batch, ["channel Lunch invited", "removed"])
    }

    func testTypingIsToldByDifferences() {
        begin()
        func typing(_ ids: String, _ next: String) {
            let event = #"{"type":"m.typing","content":{"user_ids":[\#(ids)]}}"#
            sync(Self.joined([], more: #","ephemeral":{"events":[\#(event)]}"#, next: next))
        }
        typing(#""@bo:x","@mei:x""#, "s2")
        XCTAssertEqual(batch, ["@bo:x typing true"])
        typing(#""@kit:x""#, "s3")
        XCTAssertEqual(batch, ["@bo:x typing false", "@kit:x typing true"])
    }

    /// A server that answers at once without news is not asked without end.
    func testAnswersWithoutNewsAreSpaced() {
        begin()
        sync(#"{"next_batch":"s1"}"#)
        XCTAssertEqual(polls.count, 2)
        now.monotonic += 1000
        service.advance(now: now)
        take()
        XCTAssertEqual(polls.count, 3)
    }

    func testASilentServerEndsTheSession() {
        begin()
        now.monotonic += 50_000
        service.advance(now: now)
        take()
        guard case .disconnected(let failure, nil) = events.last else { return XCTFail("\(events)") }
        XCTAssertEqual(failure.kind, .timedOut)
    }

    func testFailuresOfTheStream() {
        start()
        refuse(401, #"{"errcode":"M_UNKNOWN_TOKEN","error":"no"}"#)
        guard case .disconnected(let failure, nil) = events.last else { return XCTFail("\(events)") }
        XCTAssertEqual(failure.kind, .tokenRejected)
        start()
        refuse(429, #"{"errcode":"M_LIMIT_EXCEEDED","retry_after_ms":4654}"#)
        guard case .disconnected(_, 4654) = events.last else { return XCTFail("\(events)") }
        start()
        sync("<html>")
        guard case .disconnected(let broken, nil) = events.last else { return XCTFail("\(events)") }
        XCTAssertEqual(broken.kind, .unavailable)
    }

    // MARK: Requests

    func testAPageEndsWhereHistoryIsHeld() {
        begin()
        let edge = HistoryEdge(MessagePosition(order: 9, tie: 0), token: "newer")
        let until = HistoryEdge(MessagePosition(order: 2, tie: 0), token: "older")
        ask(.messages(channelURL: Self.room, from: edge, direction: .previous, limit: 500, until: until))
        let url = requests[0].request.url
        XCTAssertTrue(url.contains(text: "dir=b&from=newer&to=older&limit=100"), url)
        answer(#"{"start":"newer","chunk":[\#(Self.text("$3", "c")),\#(Self.text("$2", "b"))]}"#)
        guard case .messages(let page) = replies[1] else { return XCTFail("\(replies)") }
        XCTAssertEqual(page.messages.map(\.id), ["$2", "$3"])
        XCTAssertEqual(page.range?.start, until)
        XCTAssertEqual(page.range?.end, edge)
        XCTAssertFalse(page.reachedFirst)
        // Without a bound, no token means that nothing is older.
        ask(.messages(channelURL: Self.room, from: edge, direction: .previous, limit: 30), id: 2)
        answer(#"{"start":"newer","chunk":[]}"#)
        guard case .messages(let last) = replies[2] else { return XCTFail("\(replies)") }
        XCTAssertTrue(last.reachedFirst)
    }

    /// The server finds no replies by time, so pages go back until one is that old. What is no reply is no message of
    /// the thread.
    func testRepliesAboutATimeAreFoundBackwards() {
        func reply(_ number: Int, to parent: String = "$root") -> String {
            #"{"event_id":"$\#(number)","type":"m.room.message","sender":"@bo:x","origin_server_ts":\#(number),"#
                + #""content":{"msgtype":"m.text","body":"r","m.relates_to":{"rel_type":"m.thread","#
                + #""event_id":"\#(parent)"}}}"#
        }
        begin()
        ask(.messagesAround(channelURL: Self.room, time: 15, limit: 5, parentID: "$root"))
        let url = requests[0].request.url
        XCTAssertTrue(url.contains(text: "/v1/rooms/%21lunch%3Ax/relations/%24root?dir=b&from=s1&limit=100"), url)
        answer(#"{"chunk":[\#(reply(30)),\#(Self.text("$29", "reference")),\#(reply(20))],"next_batch":"p1"}"#)
        XCTAssertTrue(requests[1].request.url.contains(text: "from=p1"), requests[1].request.url)
        answer(#"{"chunk":[\#(reply(11)),\#(reply(12, to: "$other")),\#(reply(10))],"next_batch":"p2"}"#)
        guard case .messages(let page) = replies[1] else { return XCTFail("\(replies)") }
        XCTAssertEqual(page.messages.map(\.id), ["$10", "$11", "$20", "$30"])
        XCTAssertEqual(page.range?.start.token, "p2")
        XCTAssertEqual(page.range?.end, HistoryEdge(MessagePosition(order: 30, tie: 0), token: "s1"))
        XCTAssertTrue(page.reachedNewest)
        XCTAssertFalse(page.reachedFirst)
    }

    /// A server whose tokens never end is not asked without end.
    func testPagesOfAThreadHaveABound() {
        begin()
        ask(.messagesAround(channelURL: Self.room, time: 15, limit: 5, parentID: "$root"))
        for _ in 0..<50 { answer(#"{"chunk":[],"next_batch":"p"}"#) }
        XCTAssertEqual(requests.count, 50)
        guard case .messages = replies[1] else { return XCTFail("\(replies)") }
    }

    func testNothingGoesInClearToAnEncryptedRoom() {
        begin()
        let send = ServiceRequest.sendMessage(
            channelURL: "!other:x", requestID: "r", body: Array(#"{"message":"secret"}"#.utf8))
        ask(send)
        XCTAssertEqual(requests.count, 1)
        XCTAssertEqual(requests[0].request.method, "GET")
        answer(#"{"algorithm":"m.megolm.v1.aes-sha2"}"#)
        guard case .failure(let failure) = replies[1] else { return XCTFail("\(replies)") }
        XCTAssertEqual(failure.code, 700_011)
        // An answer that says neither sends nothing, either.
        ask(send, id: 2)
        answer("{}", status: 500)
        guard case .failure = replies[2] else { return XCTFail("\(replies)") }
        XCTAssertFalse(requests.contains { $0.request.method == "PUT" })
        // The stream tells that a room is encrypted from now on.
        sync(Self.joined(
            [#"{"event_id":"$e","type":"m.room.encryption","state_key":"","sender":"@bo:x","content":{}}"#],
            next: "s2"))
        ask(.sendMessage(channelURL: Self.room, requestID: "r2", body: Array(#"{"message":"x"}"#.utf8)), id: 3)
        guard case .failure(let known) = replies[3] else { return XCTFail("\(replies)") }
        XCTAssertEqual(known.code, 700_011)
    }

    func testATextIsSentUnderItsRequestID() {
        begin()
        ask(.sendMessage(
            channelURL: Self.room, requestID: "r/1", body: Array(#"{"message":"hi","parent_message_id":"$1"}"#.utf8)))
        XCTAssertTrue(requests[0].request.url.hasSuffix("/rooms/%21lunch%3Ax/send/m.room.message/r%2F1"))
        let content = requests[0].request.body.flatMap { try? JSON.parse($0) }
        XCTAssertEqual(content?["body"]?.string, "hi")
        XCTAssertEqual(content?["m.relates_to"]?["event_id"]?.string, "$1")
        answer(#"{"event_id":"$2"}"#)
        guard case .accepted("$2") = replies[1] else { return XCTFail("\(replies)") }
    }

    func testALateAnswerIsNotTaken() {
        begin()
        ask(.getMessage(channelURL: Self.room, messageID: "$1"))
        now.monotonic += 10_000
        service.advance(now: now)
        take()
        guard case .failure(let failure) = replies[1] else { return XCTFail("\(replies)") }
        XCTAssertEqual(failure.kind, .timedOut)
        answer(Self.text("$1", "late"))
        guard case .failure = replies[1] else { return XCTFail("\(replies)") }
    }

    func testRoomsThatCannotBeReadAreNotFound() {
        begin()
        ask(.getMessage(channelURL: "!other:x", messageID: "$1"))
        answer(#"{"errcode":"M_FORBIDDEN","error":"no"}"#, status: 403)
        guard case .failure(let failure) = replies[1] else { return XCTFail("\(replies)") }
        XCTAssertEqual(failure.kind, .notFound)
        XCTAssertEqual(failure.code, 700_101)
    }

    /// Synapse says M_UNKNOWN when it fails inside and is worth asking again, and to requests that are wrong.
    func testAServerThatFailsIsAskedAgain() {
        for (status, errcode, isWorthIt) in [
            (500, "M_UNKNOWN", true), (502, "M_UNKNOWN", true), (503, "M_RESOURCE_LIMIT_EXCEEDED", true),
            (408, "M_UNKNOWN", true), (500, "", true), (429, "M_LIMIT_EXCEEDED", true), (400, "M_UNKNOWN", false),
            (403, "M_FORBIDDEN", false),
        ] {
            let document = errcode.isEmpty ? "{}" : #"{"errcode":"\#(errcode)","error":"why"}"#
            let failure = ServiceFailure(MatrixAnswer(
                TransportResponse(status: status, headers: [], body: Array(document.utf8))))
            XCTAssertEqual(MatrixRules().isCurable(code: failure.code), isWorthIt, "\(status) \(errcode)")
            if !errcode.isEmpty { XCTAssertEqual(failure.message, "\(errcode): why") }
        }
    }
}
