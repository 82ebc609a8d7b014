import SyncJSON
import SyncModel
import XCTest

@testable import SyncSendbird

final class ReplyTests: XCTestCase {
    private func reply(
        _ request: ServiceRequest, _ body: String, status: Int = 200, headers: [TransportHeader] = []
    ) -> ServiceReply {
        let response = TransportResponse(status: status, headers: headers, body: Array(body.utf8))
        return ReplyDecoder.decode(request, response, userID: "me")
    }

    private func described(_ request: ServiceRequest, _ body: String, status: Int = 200) -> String {
        Described.text(reply(request, body, status: status))
    }

    private let page = ServiceRequest.messagesAround(channelURL: "c", time: 5, limit: 5)
    private let gap = ServiceRequest.messageGap(
        channelURL: "c", start: HistoryEdge(MessagePosition(order: 1, tie: 1)),
        end: HistoryEdge(MessagePosition(order: 2, tie: 1)), held: 1)

    // MARK: Messages

    func testAMessageKeepsItsTextAsItStands() throws {
        let text = #"{ "type" : "MESG", "message_id":7,"created_at":1700000000001, "message":"caf\u00e9 \ud83d\ude00","#
            + #""updated_at":1700000000009,"custom_type":"note","user":{"user_id":"bo","nickname":"Bo"},"#
            + #""parent_message_id":3,"is_reply_to_channel":true,"silent":true,"req_id":"r1","unknown":[1,{"a":null}]}"#
        guard case .messages(let answer) = reply(page, #"{"messages":[ \#(text) ],"has_next":false}"#) else {
            return XCTFail("no page")
        }
        XCTAssertEqual(answer.messages.count, 1)
        XCTAssertEqual(String(decoding: answer.messages[0].json, as: UTF8.self), text)
        XCTAssertEqual(
            Described.text(answer.messages[0]),
            "user 7@1700000000001 by 'bo' edited 1700000000009 type 'note' in 3 to channel silent request r1")
    }

    func testKindsOfMessages() {
        let cases: [(message: String, kind: MessageRecord.Kind)] = [
            (#""type":"MESG""#, .user), (#""type":"FILE","file":{"url":"x"}"#, .file), (#""type":"ADMM""#, .admin),
            (#""type":"ADMN""#, .admin), (#""type":"BRDM""#, .admin),
            (#""type":"image/png","file":{"url":"x"}"#, .file),
            (#""type":"new_kind""#, .user), (#""type":"MESG","file":{}"#, .user),
        ]
        for (message, kind) in cases {
            let body = #"{"messages":[{"message_id":1,"created_at":2,\#(message)}]}"#
            guard case .messages(let answer) = reply(page, body)
            else { return XCTFail(message) }
            XCTAssertEqual(answer.messages.map(\.kind), [kind], message)
        }
    }

    func testPagesComeOutAscendingWhateverTheirOrder() {
        func message(_ id: Int, _ time: Int) -> String { #"{"type":"MESG","message_id":\#(id),"created_at":\#(time)}"# }
        let descending = [message(9, 30), message(8, 20), message(3, 20), message(7, 10)].joined(separator: ",")
        XCTAssertEqual(
            described(page, #"{"messages":[\#(descending)]}"#), "messages [7, 3, 8, 9] first 7@10...9@30 newest")
        XCTAssertEqual(described(page, #"{"messages":[]}"#), "messages [] first nothing newest")
        // Without a place in time there is no message.
        XCTAssertEqual(
            described(page, #"{"messages":[{"message_id":1},7,null,{"created_at":1},\#(message(2, 1))]}"#),
            // And the four others are no reason to take the channel's beginning for reached.
            "messages [2] 2@1...2@1 newest")
    }

    func testAPageInTheSocketsShapeIsRewritten() throws {
        let body = #"{"messages":[{"type":"MESG","msg_id":4,"ts":40,"message":"x","custom":"d","#
            + #""metaarray":{"b":["2"],"a":["1"]},"metaarray_key_order":["a","b"],"#
            + #""user":{"guest_id":"bo","name":"Bo"}}]}"#
        guard case .messages(let answer) = reply(page, body) else { return XCTFail("no page") }
        XCTAssertEqual(answer.messages.map(Described.text), ["user 4@40 by 'bo'"])
        XCTAssertEqual(
            try JSON.parse(answer.messages[0].json),
            try JSON.parse("""
                {"type":"MESG","message_id":4,"created_at":40,"message":"x","data":"d",
                 "sorted_metaarray":[{"key":"a","value":["1"]},{"key":"b","value":["2"]}],
                 "user":{"user_id":"bo","nickname":"Bo"}}
                """))
    }

    func testChangesAndGapsInBothSpellings() {
        let changes = ServiceRequest.messageChanges(channelURL: "c", since: .time(1))
        XCTAssertEqual(
            described(changes, """
                {"updated":[{"type":"MESG","message_id":2,"created_at":3,"updated_at":4}],
                 "deleted":[{"message_id":5,"deleted_at":9},6,{"msg_id":7}],"has_more":true,"next":"n1"}
                """),
            "changes [2] gone [5, 6, 7] more true next 'n1'")
        XCTAssertEqual(described(changes, #"{"updated":[]}"#), "changes [] gone [] more false next ''")

        let next = #""next_messages":[{"type":"MESG","message_id":2,"created_at":3}],"prev_messages":[]"#
        for more in [#""next_hasmore":true,"prev_hasmore":false"#, #""next_has_more":true,"prev_has_more":false"#] {
            XCTAssertEqual(
                described(gap, #"{"is_huge_gap":false,\#(next),\#(more)}"#), "gap [2] 1@2...2@3", more)
        }
        XCTAssertEqual(
            described(gap, #"{"is_huge_gap":false,\#(next),"next_hasmore":false}"#), "gap [2] 1@2...2@3 newest")
        XCTAssertEqual(described(gap, #"{"is_huge_gap":true,"prev_messages":[],"next_messages":[]}"#), "gap huge")
    }

    func testSentEditedDeleted() {
        let message = #"{"type":"MESG","message_id":2,"created_at":3,"req_id":"r","user":{"user_id":"me"}}"#
        XCTAssertEqual(
            described(.sendMessage(channelURL: "c", requestID: "r", body: []), message),
            "message user 2@3 by 'me' request r")
    }

    /// A page has what was asked for and others of one time; a service that sends anything else would fill the memory.
    func testAPageWithFarTooManyMessagesIsRefused() {
        func body(_ count: Int) -> String {
            let messages = (1...count).map { #"{"type":"MESG","message_id":\#($0),"created_at":5}"# }
            return #"{"messages":[\#(messages.joined(separator: ","))]}"#
        }
        guard case .messages(let answer) = reply(page, body(2010)) else { return XCTFail("no page") }
        XCTAssertEqual(answer.messages.count, 2010)
        XCTAssertEqual(described(page, body(2011)), "failure unavailable 800130")
    }

    // MARK: Channels

    /// It would be asked for again at once, without end.
    func testAPageThatIsItsOwnNextOneIsRefused() {
        let request = ServiceRequest.listChannels(query: ChannelQuery(), token: "t", limit: 2)
        XCTAssertEqual(
            described(request, #"{"channels":[],"next":"t","ts":1}"#), "failure unavailable 800130")
        guard case .channels(let page) = reply(request, #"{"channels":[],"next":"u","ts":1}"#) else {
            return XCTFail("no page")
        }
        XCTAssertEqual(page.next, "u")
    }

    func testChannelPages() {
        let request = ServiceRequest.listChannels(query: ChannelQuery(), token: "", limit: 2)
        let text = #"{"channel_url":"u1","name":"N","custom_type":"t","created_at":1700000000,"freeze":true,"#
            + #""unread_message_count":3,"is_hidden":true,"ts_message_offset":8,"#
            + #""last_message":{"message_id":7,"created_at":1700000000001}}"#
        let body = #"{"channels":[\#(text),{"name":"no url"}],"next":"n","ts":1}"#
        guard case .channels(let answer) = reply(request, body)
        else { return XCTFail("no page") }
        XCTAssertEqual(answer.next, "n")
        XCTAssertEqual(answer.channels, [
            ChannelRecord(
                url: "u1", name: "N", customType: "t", createdAt: 1_700_000_000_000,
                lastMessage: MessageReference(
                    id: "7", position: MessagePosition(order: 1_700_000_000_001, tie: 7)),
                unreadMessageCount: 3, isHidden: true, isFrozen: true, messageOffset: 8, json: Array(text.utf8))
        ])
        XCTAssertEqual(
            described(.channelChanges(since: .token("t")), """
                {"updated":[{"channel_url":"a"}],"deleted":["b",{"channel_url":"c"}],"has_more":true,"next":"n","ts":1}
                """),
            #"changes ["a"] gone ["b", "c"] more true next 'n'"#)
        XCTAssertEqual(described(.getChannel(url: "a"), #"{"channel_url":"a"}"#), "channel a")
    }

    // MARK: Session

    func testRenewalBringsTheKeyInBothSpellings() {
        func renewal(_ body: String, status: Int = 200) -> String {
            let response = TransportResponse(status: status, headers: [], body: Array(body.utf8))
            switch ReplyDecoder.renewal(response) {
            case .success(let key): return key
            case .failure(let failure): return Described.text(failure)
            }
        }
        XCTAssertEqual(renewal(#"{"key":"K1"}"#), "K1")
        XCTAssertEqual(renewal(#"{"new_key":"K2"}"#), "K2")
        for body in ["", "{}", "[]", "{", #"{"key":""}"#, #"{"key":7}"#] {
            XCTAssertEqual(renewal(body), "unavailable 800130", body)
        }
        let refusal = #"{"error":true,"code":400302,"message":"m"}"#
        XCTAssertEqual(renewal(refusal, status: 400), "tokenRejected 400302")
        XCTAssertEqual(renewal(refusal), "tokenRejected 400302")
    }

    // MARK: Failures

    func testFailuresByCodeAndStatus() {
        let cases: [(status: Int, code: Int?, kind: ServiceFailure.Kind)] = [
            (400, 400_309, .tokenRejected), (400, 400_302, .tokenRejected), (401, 400_302, .tokenRejected),
            (400, 400_310, .tokenRejected),
            (400, 400_108, .tokenRejected), (400, 400_303, .tokenRejected), (401, nil, .tokenRejected),
            (400, 400_109, .pageTokenExpired),
            (400, 400_202, .exists),
            (400, 400_201, .notFound), (400, 900_020, .notFound), (400, 900_500, .notFound), (400, 900_300, .notFound),
            (404, 400_000, .notFound), (403, 400_000, .notFound),
            // Not what the service says, who always gives a code.
            (404, nil, .unavailable), (403, nil, .unavailable), (400, nil, .unavailable),
            (429, nil, .rateLimited(retryAfter: 1000)), (400, 500_910, .rateLimited(retryAfter: 1000)),
            (500, 900_200, .rateLimited(retryAfter: 1000)),
            (500, 500_901, .unavailable), (500, nil, .unavailable), (503, nil, .unavailable), (599, 1, .unavailable),
            (408, nil, .unavailable), (302, nil, .unavailable), (0, nil, .unavailable), (-200, nil, .unavailable),
            (400, 400_111, .refused), (400, 900_060, .refused), (413, nil, .refused),
        ]
        for (status, code, kind) in cases {
            let body = code.map { #"{"error":true,"code":\#($0),"message":"why"}"# } ?? "<html>"
            guard case .failure(let failure) = reply(page, body, status: status) else { return XCTFail("\(status)") }
            XCTAssertEqual(failure.kind, kind, "\(status) \(code ?? 0)")
            XCTAssertEqual(failure.code, code ?? status)
            XCTAssertEqual(failure.message, code == nil ? "HTTP status \(status)" : "why")
        }
        // Forbidden to do is not gone.
        XCTAssertEqual(
            described(
                .sendMessage(channelURL: "c", requestID: "1", body: []), #"{"error":true,"code":7}"#, status: 403),
            "failure refused 7")
        // What stands before the service has no codes; an upload that it refuses for a while is sent again.
        let upload = ServiceRequest.uploadFile(
            channelURL: "c", requestID: "r",
            OutgoingFile(path: "/a", stamp: FileStamp(size: 1, modified: 0, inode: 1), name: "a", type: "a/b"))
        XCTAssertEqual(described(upload, "<html>", status: 503), "failure unavailable 500901")
        XCTAssertEqual(described(upload, "", status: 429), "failure rateLimited(retryAfter: 1000) 500910")
        for body in ["<html>", "", "{}", #"{"url":7}"#, #"{"url":""}"#, "[1,2]"] {
            XCTAssertEqual(described(upload, body), "failure unavailable 500901", body)
        }
        // A failure that pretends to be well.
        XCTAssertEqual(
            described(page, #"{"error":true,"code":400201,"message":"m"}"#, status: 200), "failure notFound 400201")
    }

    func testHowLongToWait() {
        let cases: [(name: String, value: String, pause: Int64)] = [
            ("Retry-After", "3", 3000), ("retry-after", "0", 0), ("X-RateLimit-RetryAfter", "12", 12_000),
            ("x-ratelimit-retryafter", "7", 7000), ("Retry-After", "Wed, 21 Oct 2026 07:28:00 GMT", 1000),
            ("Retry-After", "-5", 1000), ("Retry-After", "99999999999999999999", 1000), ("Retry-After", "86400", 1000),
            ("X-Other", "9", 1000),
        ]
        for (name, value, pause) in cases {
            let header = TransportHeader(name, value)
            guard case .failure(let failure) = reply(page, "", status: 429, headers: [header]) else {
                return XCTFail(value)
            }
            XCTAssertEqual(failure.kind, .rateLimited(retryAfter: pause), "\(name): \(value)")
        }
    }

    func testAnAnswerThatIsNoAnswer() {
        let requests: [ServiceRequest] = [
            .listChannels(query: ChannelQuery(), token: "", limit: 1), .channelChanges(since: .time(1)),
            .getChannel(url: "c"), page, .messageChanges(channelURL: "c", since: .time(1)), gap,
            .sendMessage(channelURL: "c", requestID: "r", body: []),
        ]
        let bodies = ["", "{}", "[]", "null", "<html>", "{", #"{"messages":7,"channels":{},"updated":"x"}"#, "\u{0}"]
        for request in requests {
            for body in bodies {
                XCTAssertEqual(described(request, body), "failure unavailable 800130", "\(request) \(body)")
            }
        }
    }
}
