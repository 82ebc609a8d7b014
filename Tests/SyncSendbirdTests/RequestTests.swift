import SyncJSON
import SyncModel
import XCTest

@testable import SyncSendbird

final class RequestTests: XCTestCase {
    private let encoder = RequestEncoder.forTest
    private var credentials = Credentials()

    private func http(
        _ request: ServiceRequest, file: StaticString = #filePath, line: UInt = #line
    ) throws -> (method: String, path: String, query: [String: String], headers: [String: String], body: JSON?) {
        let encoded = encoder.encode(request, credentials, requestID: "q")
        guard case .http(let method, let url, let headers, let body, _) = encoded else {
            XCTFail("not HTTP", file: file, line: line)
            throw CancellationError()
        }
        let base = "http://127.0.0.1:1/v3"
        XCTAssertTrue(url.hasPrefix(base), url, file: file, line: line)
        let parts = url.dropFirst(base.count).split(separator: "?", maxSplits: 1).map(String.init)
        var query: [String: String] = [:]
        for pair in (parts.count > 1 ? parts[1] : "").split(separator: "&") {
            let sides = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
            XCTAssertNil(query[sides[0]], "\(sides[0]) is there twice", file: file, line: line)
            query[sides[0]] = sides[1]
        }
        return (
            method, parts[0], query, Dictionary(headers.map { ($0.name, $0.value) }) { $1 },
            try body.map { try JSON.parse($0) }
        )
    }

    private func frame(_ request: ServiceRequest) throws -> (command: String, body: JSON, awaiting: RequestID?) {
        guard case .frame(let bytes, let awaiting) = encoder.encode(request, Credentials(), requestID: "q") else {
            throw CancellationError()
        }
        XCTAssertEqual(bytes.last, 0x0A)
        return (
            String(decoding: bytes.prefix(4), as: UTF8.self), try JSON.parse(Array(bytes.dropFirst(4).dropLast())),
            awaiting
        )
    }

    // MARK: Login

    func testWhatTheHostSaysOfSessions() throws {
        let encoder = RequestEncoder(
            appID: "APP", userID: "me", apiHost: "http://a", wsHost: "ws://w", libraryVersion: "0.1.0",
            systemVersion: "6.1.0-9", isSessionExpiring: true)
        let url = encoder.login(credentials).url
        for part in ["o=Linux", "ov=6.1.0-9", "expiring_session=1"] { XCTAssertTrue(url.contains("&" + part), part) }
        let renewal = encoder.renewal(credentials, timeout: 1)
        XCTAssertEqual(try JSON.parse(XCTUnwrap(renewal.body))["expiring_session"], true)
    }

    func testTheFirstLoginShowsTheTokenAndTheNextTheSessionKey() {
        credentials.setToken("tok")
        let first = encoder.login(credentials)
        XCTAssertTrue(first.url.hasPrefix("ws://127.0.0.1:2/?p="), first.url)
        for part in [
            "ai=APP", "user_id=me", "sv=0.1.0", "expiring_session=0", "use_local_cache=1", "include_poll_details=1",
        ] {
            XCTAssertTrue(first.url.contains("&" + part), part)
        }
        XCTAssertFalse(first.url.contains("tok"), "a token in a URL ends up in logs")
        XCTAssertEqual(first.headers, [.init("SENDBIRD-WS-TOKEN", "tok")])

        credentials.adopt(sessionKey: "KEY")
        XCTAssertEqual(encoder.login(credentials).headers, [.init("SENDBIRD-WS-AUTH", "KEY")])
        credentials.setToken("tok")
        XCTAssertEqual(credentials.sessionKey, "KEY")
        credentials.adopt(sessionKey: "")
        XCTAssertEqual(credentials.sessionKey, "KEY")
        // Another token than the one the key was given for.
        credentials.setToken("tok2")
        XCTAssertEqual(encoder.login(credentials).headers, [.init("SENDBIRD-WS-TOKEN", "tok2")])
        credentials.adopt(sessionKey: "KEY2")
        credentials.forgetSessionKey()
        XCTAssertEqual(encoder.login(credentials).headers, [.init("SENDBIRD-WS-TOKEN", "tok2")])
    }

    func testTheServicesOwnHosts() {
        let encoder = RequestEncoder(appID: "A1", userID: "m e", apiHost: nil, wsHost: nil, libraryVersion: "1")
        XCTAssertTrue(encoder.login(credentials).url.hasPrefix("wss://ws-A1.sendbird.com/?"))
        XCTAssertTrue(encoder.login(credentials).url.contains("user_id=m%20e"))
        XCTAssertEqual(
            encoder.renewal(credentials, timeout: 1).url,
            "https://api-A1.sendbird.com/v3/users/m%20e/session_key")
    }

    func testALineBreakInATokenMakesNoHeader() {
        credentials.setToken("a\r\nX-Evil: 1\u{7F}")
        let headers = encoder.login(credentials).headers
        XCTAssertEqual(headers[0].value, "aX-Evil:%201")
    }

    func testALoginsHeadersAreDecodedByTheService() {
        credentials.setToken("a%2e b+/=.é")
        XCTAssertEqual(encoder.login(credentials).headers[0].value, "a%252e%20b+/=.%C3%A9")
        credentials.adopt(sessionKey: "50%")
        XCTAssertEqual(encoder.login(credentials).headers[0].value, "50%25")
    }

    func testRequestsCarryTheSessionKey() throws {
        XCTAssertNil(try http(.getChannel(url: "c")).headers["Session-Key"])
        credentials.adopt(sessionKey: "KEY")
        XCTAssertEqual(try http(.getChannel(url: "c")).headers["Session-Key"], "KEY")
        XCTAssertNil(try http(.getChannel(url: "c")).headers["Content-Type"])
    }

    func testRenewal() throws {
        credentials.setToken("tok")
        credentials.adopt(sessionKey: "KEY")
        let request = encoder.renewal(credentials, timeout: 77)
        XCTAssertEqual(request.method, "POST")
        XCTAssertEqual(request.url, "http://127.0.0.1:1/v3/users/me/session_key")
        XCTAssertEqual(request.headers, [
            .init("App-Id", "APP"), .init("Access-Token", "tok"), .init("Content-Type", "application/json"),
        ])
        XCTAssertEqual(try JSON.parse(XCTUnwrap(request.body))["expiring_session"], false)
        XCTAssertEqual(request.timeout, 77)
    }

    // MARK: Channels

    func testThePlainestChannelList() throws {
        let request = try http(.listChannels(query: ChannelQuery(), token: "", limit: 100))
        XCTAssertEqual(request.method, "GET")
        XCTAssertEqual(request.path, "/users/me/my_group_channels")
        XCTAssertEqual(request.query, [
            "limit": "100", "order": "latest_last_message", "show_member": "true", "show_read_receipt": "true",
            "show_delivery_receipt": "true", "show_metadata": "true", "show_empty": "true", "show_frozen": "true",
            "include_chat_notification": "false", "distinct_mode": "all", "super_mode": "all", "public_mode": "all",
            "hidden_mode": "unhidden_only", "unread_filter": "all", "member_state_filter": "all",
        ])
    }

    func testEveryFilterReachesTheChannelList() throws {
        let cases: [(query: String, parameters: [String: String])] = [
            (#"{"order":"chronological","include_empty":false,"include_frozen":false,"#
                + #""include_chat_notification":true}"#,
             ["order": "chronological", "show_empty": "false", "show_frozen": "false",
              "include_chat_notification": "true"]),
            (#"{"super_channels":"exclusive_only","public_channels":"private","unread_channels":"unread_message"}"#,
             ["super_mode": "exclusive_only", "public_mode": "private", "unread_filter": "unread_message"]),
            (#"{"hidden_channels":"hidden_prevent_auto_unhide","member_state":"invited_by_friend"}"#,
             ["hidden_mode": "hidden_prevent_auto_unhide", "member_state_filter": "invited_by_friend"]),
            (#"{"custom_types":["a,b","ü"],"custom_type_starts_with":"x y","channel_urls":["u/1","u2"]}"#,
             ["custom_types": "a%2Cb,%C3%BC", "custom_type_startswith": "x%20y", "channel_urls": "u%2F1,u2"]),
            (#"{"channel_name_contains":"a&b=c","nickname_contains":"n","nickname_starts_with":"s","#
                + #""nickname_exact":"e"}"#,
             ["name_contains": "a%26b%3Dc", "members_nickname_contains": "n", "members_nickname_startswith": "s",
              "members_nickname": "e"]),
            (#"{"user_ids_exact":["a","b"]}"#, ["members_exactly_in": "a,b"]),
            (#"{"user_ids_include":["a","b"],"user_ids_query_type":"or"}"#,
             ["members_include_in": "a,b", "query_type": "or"]),
            (#"{"search_query":"q"}"#, ["search_query": "q", "search_fields": "member_nickname,channel_name"]),
            (#"{"search_query":"q","search_fields":["channel_name"]}"#,
             ["search_query": "q", "search_fields": "channel_name"]),
            (#"{"metadata_key":"k","metadata_values":["1","2"]}"#, ["metadata_key": "k", "metadata_values": "1,2"]),
            (#"{"metadata_key":"k","metadata_value_starts_with":"v"}"#,
             ["metadata_key": "k", "metadata_value_startswith": "v"]),
            (#"{"order":"metadata_value_alphabetical","metadata_order_key":"o"}"#,
             ["order": "metadata_value_alphabetical", "metadata_order_key": "o"]),
            // Seconds there; a bound between two seconds keeps the same channels.
            (#"{"created_before":2000,"created_after":1000}"#, ["created_before": "2", "created_after": "1"]),
            (#"{"created_before":1999,"created_after":1001}"#, ["created_before": "2", "created_after": "1"]),
            (#"{"created_before":9223372036854775807}"#, ["created_before": "9223372036854776"]),
        ]
        let plain = try http(.listChannels(query: ChannelQuery(), token: "", limit: 20)).query
        for (text, parameters) in cases {
            let query = try ChannelQuery(json: JSON.parse(text))
            let request = try http(.listChannels(query: query, token: "", limit: 20))
            XCTAssertEqual(request.query, plain.merging(parameters) { $1 }, text)
        }
        let request = ServiceRequest.listChannels(query: ChannelQuery(), token: "a/b=", limit: 1)
        XCTAssertEqual(try http(request).query["token"], "a%2Fb%3D")
    }

    func testChannelChangesAndOneChannel() throws {
        let byTime = try http(.channelChanges(since: .time(1_700_000_000_000)))
        XCTAssertEqual(byTime.path, "/users/me/my_group_channels/changelogs")
        XCTAssertEqual(byTime.query["change_ts"], "1700000000000")
        XCTAssertNil(byTime.query["token"])
        XCTAssertEqual(byTime.query["show_metadata"], "true")
        let byToken = try http(.channelChanges(since: .token("t1")))
        XCTAssertEqual(byToken.query["token"], "t1")
        XCTAssertNil(byToken.query["change_ts"])

        let one = try http(.getChannel(url: "a/b c?ü"))
        XCTAssertEqual(one.path, "/group_channels/a%2Fb%20c%3F%C3%BC")
        XCTAssertEqual(one.query["show_member"], "true")
    }

    // MARK: Messages

    /// A cached row is complete, whatever a collection shows of it.
    private let completeness = [
        "include_reply_type": "all", "with_sorted_meta_array": "true", "include_reactions": "true",
        "include_thread_info": "true", "include_parent_message_info": "true", "include_poll_details": "true",
        "is_sdk": "true", "checking_has_next": "true", "checking_continuous_messages": "true",
    ]

    private func page(_ time: String, _ before: String, _ after: String) -> [String: String] {
        completeness.merging([
            "message_ts": time, "prev_limit": before, "next_limit": after, "include": "true", "reverse": "false",
        ]) { $1 }
    }

    func testMessagePages() throws {
        let newest = try http(.messagesAround(channelURL: "c1", time: Int64.max, limit: 100))
        XCTAssertEqual(newest.method, "GET")
        XCTAssertEqual(newest.path, "/group_channels/c1/messages")
        // Nothing is newer than the end of time.
        XCTAssertEqual(newest.query, page("9223372036854775807", "100", "0"))
        XCTAssertEqual(
            try http(.messagesAround(channelURL: "c1", time: 5, limit: 100)).query, page("5", "100", "100"))
        let edge = HistoryEdge(MessagePosition(order: 77, tie: 9))
        XCTAssertEqual(
            try http(.messages(channelURL: "c1", from: edge, direction: .previous, limit: 30)).query,
            page("77", "30", "0"))
        XCTAssertEqual(
            try http(.messages(channelURL: "c1", from: edge, direction: .next, limit: 30)).query, page("77", "0", "30"))
        XCTAssertEqual(
            try http(.ownMessages(channelURL: "c1", before: edge, limit: 30)).query,
            page("77", "30", "0").merging(["sender_ids": "me"]) { $1 })
        let changes = try http(.messageChanges(channelURL: "c1", since: .time(5)))
        XCTAssertEqual(changes.path, "/group_channels/c1/messages/changelogs")
        XCTAssertEqual(changes.query, completeness.merging(["change_ts": "5"]) { $1 })
    }

    private func gap(_ start: Int64, _ end: Int64, held: Int) -> ServiceRequest {
        .messageGap(
            channelURL: "c1", start: HistoryEdge(MessagePosition(order: start, tie: 3)),
            end: HistoryEdge(MessagePosition(order: end, tie: 4)), held: held)
    }

    func testTheGapBehindTheNewestMessageHeld() throws {
        let request = try http(gap(100, 900, held: 40))
        XCTAssertEqual(request.path, "/group_channels/c1/messages_gap")
        XCTAssertEqual(
            request.query,
            completeness.merging([
                "prev_start_ts": "100", "prev_end_ts": "100", "prev_cache_count": "1", "next_start_ts": "900",
                "next_end_ts": "9223372036854775807", "next_cache_count": "40",
            ]) { $1 })
        XCTAssertEqual(try http(gap(1, 1, held: 0)).query["next_cache_count"], "0")
    }

    func testSendingGoesOverTheSocket() throws {
        let body = Array(#"{"message":"hi","custom_type":"t","req_id":"forged","channel_url":"other"}"#.utf8)
        let request = ServiceRequest.sendMessage(channelURL: "c1", requestID: "r-1", body: body)
        let sent = try frame(request)
        XCTAssertEqual(sent.command, "MESG")
        XCTAssertEqual(sent.awaiting, "r-1")
        XCTAssertEqual(
            sent.body, try JSON.parse(#"{"message":"hi","custom_type":"t","req_id":"r-1","channel_url":"c1"}"#))
    }

    func testSendingWithoutTheSocket() throws {
        credentials.adopt(sessionKey: "key")
        let body = Array(#"{"message":"hi","sorted_metaarray":[{"key":"k","value":["v"]}],"user_id":"forged"}"#.utf8)
        let sent = try http(.sendMessageByRequest(channelURL: "c/1", requestID: "r-1", body: body))
        XCTAssertEqual(sent.method, "POST")
        XCTAssertEqual(sent.path, "/group_channels/c%2F1/messages")
        XCTAssertEqual(sent.headers["Session-Key"], "key")
        XCTAssertEqual(
            sent.body,
            try JSON.parse(
                #"{"message":"hi","metaarray":[{"key":"k","value":["v"]}],"req_id":"r-1","channel_url":"c/1","#
                    + #""message_type":"MESG","user_id":"me","mark_as_read":false}"#))
        let file = Array(#"{"type":"FILE","file":{"url":"http://x/a","name":"a","size":3}}"#.utf8)
        XCTAssertEqual(
            try http(.sendMessageByRequest(channelURL: "c", requestID: "r", body: file)).body,
            try JSON.parse(
                #"{"url":"http://x/a","name":"a","size":3,"req_id":"r","channel_url":"c","message_type":"FILE","#
                    + #""user_id":"me","mark_as_read":false}"#))
    }

    func testEditingAndDeleting() throws {
        let edit = try http(.action(ActionCall(
            action: .message(.editMessage),
            arguments: ["channel_url": .text("c/1"), "message_id": .text("7"), "message": .text("new")])))
        XCTAssertEqual(edit.method, "PUT")
        XCTAssertEqual(edit.path, "/group_channels/c%2F1/messages/7")
        XCTAssertEqual(edit.headers["Content-Type"], "application/json")
        XCTAssertEqual(edit.body, try JSON.parse(#"{"message":"new","message_type":"MESG","user_id":"me"}"#))
        let delete = try http(deletion("-7"))
        XCTAssertEqual(delete.method, "DELETE")
        XCTAssertEqual(delete.path, "/group_channels/c1/messages/-7")
        XCTAssertNil(delete.body)
        // An id is text: what a host makes up must not lead to another address.
        XCTAssertEqual(
            try http(deletion("../x?")).path,
            "/group_channels/c1/messages/..%2Fx%3F")
    }

    private func deletion(_ id: String) -> ServiceRequest {
        .action(ActionCall(
            action: .message(.deleteMessage), arguments: ["channel_url": .text("c1"), "message_id": .text(id)]))
    }

    func testCommandsBySocket() throws {
        let call = ActionCall(action: .reading(.markAsRead), arguments: ["channel_url": .text("c1")])
        let read = try frame(.action(call))
        XCTAssertEqual(read.command, "READ")
        XCTAssertEqual(read.body, try JSON.parse(#"{"channel_url":"c1","req_id":"q"}"#))
        XCTAssertEqual(read.awaiting, "q")
        XCTAssertEqual(String(decoding: encoder.ping(time: 5), as: UTF8.self), #"PING{"id":5,"active":true}"# + "\n")
    }

    func testABodyThatIsNoObjectIsAnEmptyOne() throws {
        for body in ["", "[1]", "{"] {
            let sent = try frame(.sendMessage(channelURL: "c", requestID: "r", body: Array(body.utf8)))
            XCTAssertEqual(sent.body, try JSON.parse(#"{"channel_url":"c","req_id":"r"}"#))
        }
    }
}
