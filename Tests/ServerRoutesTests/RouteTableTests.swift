import ServerChat
import ServerHTTP
import SyncJSON
import XCTest

@testable import ServerRoutes

/// What a route declares is what its handler reads, neither more nor less, over real requests to every route.
final class RouteTableTests: XCTestCase {
    private static let all = ["ann", "bob", "cid"]

    func testEachRouteReadsWhatItDeclares() throws {
        let client = try RoutesClient()
        try askUsers(client)
        try askOfUser(client)
        try askChannels(client)
        try askMembers(client)
        try askMessages(client)
        try askApplication(client)
        try askPolls(client)
        try askRefused(client)
        for route in RouteTable.all {
            let name = RoutesClient.name(route)
            guard let reads = client.reads[name] else {
                XCTFail("\(name): no request came to it")
                continue
            }
            XCTAssertEqual(reads.strays.sorted(), [], "\(name) reads what it does not declare")
            XCTAssertEqual(reads.acceptedQuery.subtracting(reads.query).sorted(), [], "\(name): query, never read")
            XCTAssertEqual(reads.acceptedBody.subtracting(reads.body).sorted(), [], "\(name): body, never read")
            XCTAssertTrue(reads.hasSucceeded || Self.refuse.contains(name), "\(name): no request succeeded")
        }
        XCTAssertEqual(Set(RouteTable.all.map(RoutesClient.name)).count, RouteTable.all.count, "one stands there twice")
    }

    /// Of the keys that nobody reads, those pass that the route names as such; others are refused.
    func testKeysThatNobodyReads() throws {
        let client = try RoutesClient()
        try client.ask("GET", "scheduled_messages/count?order=x&channel_type=y")
        try client.ask("GET", "scheduled_messages/count?reverse=x", status: 400)
    }

    func testAKeyThatIsReadAndNotDeclaredIsFound() throws {
        let declared = Route("GET", "polls/:poll/**", query: "a :poll -c", body: .any, PollRoutes.viewPoll)
        let values = try XCTUnwrap(declared.match("GET", ["polls", "k", "more"]))
        let target = RequestTarget(Array("/v3/polls/k/more?c=1&d=2".utf8))
        let request = RoutedRequest(
            HTTPRequest(method: "GET", target: target, body: Array(#"{"x":1}"#.utf8)) { _ in nil }, declared, values)
        let watch = request.watch()
        _ = try (request.query["a"], request.query.bool("k"), request.payload()["x"])
        XCTAssertEqual(watch.query.strays, [])
        _ = (request.query.text("a", "c"), request.query.choice("e"))
        XCTAssertEqual(watch.query.strays, ["c", "e"])
        XCTAssertEqual(watch.body.strays, [])
        XCTAssertEqual(watch.body.read, ["x"])
    }

    func testTemplates() {
        let route = Route("GET PUT", "users/:user/metadata/:key/**", UserRoutes.viewUser)
        XCTAssertEqual(route.match("GET", ["users", "ann", "metadata", "k"]), ["ann", "k"])
        XCTAssertEqual(route.match("PUT", ["users", "ann", "metadata", "k", "l"]), ["ann", "k"])
        XCTAssertNil(route.match("POST", ["users", "ann", "metadata", "k"]))
        XCTAssertNil(route.match("GET", ["users", "ann", "metadata"]))
        XCTAssertNil(Route("*", "users/:user", UserRoutes.viewUser).match("GET", ["users", "ann", "x"]))
    }

    // MARK: Requests

    /// Routes that only refuse: that is the answer their requests expect below.
    private static let refuse = Set(
        RouteTable.all.filter { $0.method == "*" }.map(RoutesClient.name)
            + ["GET users/:user/:word", "DELETE users/:user/block", "POST report/:kind/:id/**"]
    ).subtracting([
        "* users/:user/count_preference/:url", "* users/:user/push_preference/:url", "* users/:user/metadata",
        "* users/:user/metadata/:key/**", "* group_channels/:url/messages_gap/**",
    ])

    private func key(_ client: RoutesClient, _ user: String) throws -> String {
        let made = try client.ask("POST", "users/\(user)/session_key", #"{"expiring_session":false}"#)
        return try XCTUnwrap(made["key"]?.string)
    }

    @discardableResult
    private func channel(_ client: RoutesClient, _ url: String, _ more: String = "") throws -> String {
        try client.ask(
            "POST", "group_channels",
            #"{"user_ids":["ann","bob","cid"],"operator_ids":["ann"],"channel_url":"\#(url)"\#(more)}"#)
        return "group_channels/\(url)"
    }

    private func message(_ client: RoutesClient, _ channel: String) throws -> String {
        let sent = try client.ask(
            "POST", "\(channel)/messages", #"{"message_type":"MESG","user_id":"bob","message":"hello"}"#)
        return "\(channel)/messages/\(sent["message_id"]?.int ?? 0)"
    }

    private func askUsers(_ client: RoutesClient) throws {
        for user in Self.all + ["dan"] {
            try client.ask("POST", "users", #"{"user_id":"\#(user)","nickname":"\#(user)","access_token":"t"}"#)
        }
        try client.ask(
            "POST", "users", #"{"user_id":"eve","issue_access_token":true,"issue_session_token":true}"#)
        try client.upload("POST", "users", "profile_file", ["user_id": "flo"])
        try client.ask("GET", "users?show_bot=true")
        try client.ask("GET", "users/ann?include_unread_count=true")
        try client.ask("PUT", "users/ann", #"{"nickname":"Ann","issue_session_token":true}"#)
        try client.ask("PUT", "users/flo", #"{"is_active":false}"#)
        let access = ["Access-Token": "t", "Session-Key": ""]
        for path in ["session_key", "login"] {
            try client.ask("POST", "users/ann/\(path)", "{}", key: "", headers: access)
            try client.ask("POST", "users/ann/\(path)", #"{"token":"t"}"#, key: "")
        }
        try client.ask("POST", "users/ann/token")
        try client.ask("DELETE", "users/eve")
        try client.ask("GET", "users/ann/other", status: 404)
    }

    private func askOfUser(_ client: RoutesClient) throws {
        try channel(client, "u1")
        for path in [
            "my_group_channels", "my_group_channels?metacounter_key=k", "my_group_channels/changelogs?change_ts=0",
            "unread_message_count", "unread_channel_count", "group_channel_count", "unread_item_count",
            "channel_invitation_preference", "count_preference/u1", "push_preference/u1", "push_preference",
            "push/template", "push/gcm", "ban", "banned_group_channels", "mute", "muted_group_channels",
            "banned_channel_custom_types", "muted_channel_custom_types", "friends", "block", "metadata",
        ] { try client.ask("GET", "users/ann/\(path)") }
        try client.ask("PUT", "users/ann/mark_as_read_all")
        try client.ask("PUT", "users/ann/channel_invitation_preference", #"{"auto_accept":true}"#)
        try client.ask("PUT", "users/ann/count_preference/u1", #"{"count_preference":"all"}"#)
        try client.ask("PUT", "users/ann/push_preference/u1", #"{"enable":true}"#)
        try client.ask("PUT", "users/ann/push_preference", #"{"push_trigger_option":"all"}"#)
        try client.ask("DELETE", "users/ann/push_preference")
        try client.ask("POST", "users/ann/push_preference", status: 404)
        try client.ask("PUT", "users/ann/push/template", #"{"name":"default"}"#)
        for (type, name) in [("gcm", "gcm"), ("apns", "apns_device"), ("huawei", "huawei_device")] {
            let key = type == "gcm" ? "gcm_reg_token" : "\(name)_token"
            try client.ask("POST", "users/ann/push/\(type)", #"{"\#(key)":"d-\#(type)"}"#)
        }
        try client.ask("POST", "users/ann/push/gcm", #"{"token":"d2"}"#)
        try client.ask("GET", "push/device_tokens/gcm/d2")
        try client.ask("DELETE", "push/device_tokens/gcm/d2")
        try client.ask("DELETE", "users/ann/push/gcm/d-gcm")
        try client.ask("DELETE", "users/ann/push")
        try client.ask("PUT", "users/ann/push/gcm", status: 404)
        for kind in ["banned", "muted"] {
            let path = "users/ann/\(kind)_channel_custom_types"
            try client.ask("POST", path, #"{"channel_custom_types":["x"]}"#)
            try client.ask("DELETE", "\(path)?channel_custom_types=x")
            try client.ask("PATCH", path, status: 404)
        }
        try client.ask("POST", "users/ann/friends", #"{"user_ids":["bob"]}"#)
        try client.ask("DELETE", "users/ann/friends?user_ids=bob")
        try client.ask("DELETE", "users/ann/friends/bob")
        for path in ["friends", "friends/bob", "friend_discoveries"] {
            try client.ask("PUT", "users/ann/\(path)", status: 404)
        }
        try client.ask(
            "POST", "users/ann/friend_discoveries", #"{"friend_discoveries":[{"friend_discovery_key":"k"}]}"#)
        try client.ask("DELETE", "users/ann/friend_discoveries?friend_discovery_keys=k")
        try client.ask("POST", "users/ann/block", #"{"target_id":"dan"}"#)
        try client.ask("DELETE", "users/ann/block/dan")
        try client.ask("DELETE", "users/ann/block", status: 400)
        try client.ask("PUT", "users/ann/block", status: 404)
        try client.ask("POST", "users/ann/metadata", #"{"metadata":{"k":"v"}}"#)
        try client.ask("PUT", "users/ann/metadata", #"{"metadata":{"k":"v"}}"#)
        try client.ask("POST", "users/ann/metadata/l", #"{"value":"v"}"#)
        try client.ask("PUT", "users/ann/metadata/k", #"{"value":"w"}"#)
        try client.ask("GET", "users/ann/metadata/k")
        try client.ask("DELETE", "users/ann/metadata/k")
        try client.ask("DELETE", "users/ann/metadata?keys=l")
        try client.ask("PUT", "users/ann/my_group_channels/leave")
    }

    private func askChannels(_ client: RoutesClient) throws {
        let path = try channel(client, "c1")
        try client.upload("POST", "group_channels", "cover_file", ["user_ids": "ann"])
        try client.upload("PUT", path, "cover_file")
        try client.ask("GET", "group_channels?metacounter_key=k")
        try client.ask("GET", path)
        try client.ask("PUT", path, #"{"name":"n"}"#)
        try client.ask("DELETE", try channel(client, "c2"))
        try client.ask("PATCH", path, status: 404)
        for field in ["metadata", "metacounter"] {
            try client.ask("POST", "\(path)/\(field)", #"{"\#(field)":{"k":"1"}}"#)
            try client.ask("PUT", "\(path)/\(field)/k", #"{"value":"2"}"#)
            try client.ask("PUT", "\(path)/\(field)/k", #"{"k":"2"}"#)
            try client.ask("GET", "\(path)/\(field)")
            try client.ask("GET", "\(path)/\(field)/k")
            try client.ask("DELETE", "\(path)/\(field)/k")
            try client.ask("DELETE", "\(path)/\(field)")
            try client.ask("PATCH", "\(path)/\(field)", status: 404)
        }
        try client.ask("GET", "\(path)/polls/changelogs?change_ts=0", key: try key(client, "ann"))
        try client.ask("GET", "\(path)/polls", status: 404)
    }

    private func askMembers(_ client: RoutesClient) throws {
        let path = try channel(client, "m1", #","is_public":true"#)
        try client.ask("GET", "\(path)/members")
        try client.ask("GET", "\(path)/members/ann")
        try client.ask("POST", "\(path)/invite", #"{"users":["dan"],"invitation_status":{"dan":"invited"}}"#)
        try client.ask("PUT", "\(path)/accept?user_id=dan")
        try client.ask("PUT", "\(path)/leave", #"{"user_ids":["dan"]}"#)
        try client.ask("PUT", "\(path)/join?user_id=dan")
        try client.ask("PUT", "\(path)/leave", #"{"user_id":"dan"}"#)
        try client.ask("POST", "\(path)/invite", #"{"user_ids":["dan"],"invitation_status":{"dan":"invited"}}"#)
        try client.ask("PUT", "\(path)/decline?user_id=dan")
        try client.ask("PUT", "\(path)/hide?user_id=ann")
        try client.ask("DELETE", "\(path)/hide?user_id=ann")
        try client.ask("PUT", "\(path)/freeze", #"{"freeze":false}"#)
        try client.ask("PUT", "\(path)/reset_user_history?user_id=ann")
        try client.ask("GET", "\(path)/message_purge_offset")
        for method in ["POST", "DELETE"] { try client.ask(method, "\(path)/typing", #"{"user_ids":["ann"]}"#) }
        try client.ask("POST", "\(path)/mute?user_id=bob")
        try client.ask("GET", "\(path)/mute")
        try client.ask("GET", "\(path)/mute/bob")
        try client.ask("DELETE", "\(path)/mute/bob")
        try client.ask("PUT", "\(path)/mute", status: 404)
        try client.ask("POST", "\(path)/ban?user_id=bob")
        try client.ask("POST", "\(path)/ban/cid")
        try client.ask("PUT", "\(path)/ban/bob", #"{"seconds":5}"#)
        try client.ask("GET", "\(path)/ban")
        try client.ask("GET", "\(path)/ban/bob")
        try client.ask("PUT", "\(path)/ban", status: 404)
        try client.ask("POST", "\(path)/operators?operator_ids=ann")
        try client.ask("GET", "\(path)/operators")
        try client.ask("DELETE", "\(path)/operators?delete_all=true")
        try client.ask("PUT", "\(path)/operators", status: 404)
        try client.ask("GET", "\(path)/freeze", status: 404)
    }

    private func askMessages(_ client: RoutesClient) throws {
        let path = try channel(client, "t1")
        let one = try message(client, path)
        let bob = try key(client, "bob")
        try client.ask("POST", "\(path)/messages", #"{"message_type":"FILE","user_id":"ann","file_url":"u"}"#)
        try client.upload("POST", "\(path)/messages", "file", ["message_type": "FILE", "user_id": "ann"])
        try client.ask("GET", "\(path)/messages?message_ts=0")
        try client.ask("GET", "\(path)/messages?message_id=1", key: bob)
        try client.ask("GET", "\(path)/messages/changelogs?change_ts=0", key: bob)
        try client.ask("GET", "\(path)/messages_gap", key: bob)
        try client.ask("PUT", "\(path)/messages/mark_as_read", #"{"user_id":"ann"}"#)
        try client.ask(
            "PUT", "\(path)/messages/mark_as_read",
            #"{"user_id":"ann","is_excluded":true,"message_id":\#(one.split(separator: "/").last ?? "")}"#)
        try client.ask("PUT", "\(path)/messages/mark_as_delivered", #"{"user_id":"ann"}"#)
        for word in ["unread_count", "total_count"] { try client.ask("GET", "\(path)/messages/\(word)") }
        try client.ask("GET", one)
        try client.ask("PUT", one, #"{"message":"changed"}"#)
        let file = try client.ask(
            "POST", "\(path)/messages", #"{"message_type":"FILE","user_id":"ann","url":"u"}"#)
        try client.ask("PUT", "\(path)/messages/\(file["message_id"]?.int ?? 0)", #"{"url":"v"}"#)
        for method in ["POST", "GET", "DELETE"] {
            try client.ask(method, "\(one)/reactions?user_id=ann\(method == "GET" ? "" : "&reaction=joy")")
        }
        for method in ["POST", "DELETE"] { try client.ask(method, "\(one)/pin?user_id=ann") }
        for method in ["POST", "PUT", "DELETE"] { try client.ask(method, "\(one)/sorted_metaarray?keys=k") }
        try client.ask("POST", "\(one)/translation", #"{"target_langs":["de"]}"#)
        try client.ask("GET", "\(one)/other", status: 404)
        try client.ask("GET", "\(path)/messages/unread_count/x", status: 404)
        try client.ask("PATCH", "\(path)/messages", status: 404)
        try client.ask("DELETE", one)

        let later = client.chat.now + 500_000
        let scheduled = "\(path)/scheduled_messages"
        try client.ask("POST", "\(scheduled)?user_id=ann", #"{"message":"s","scheduled_at":\#(later)}"#)
        try client.ask(
            "POST", scheduled,
            #"{"user_id":"ann","message_type":"FILE","file_url":"u","scheduled_at":\#(later)}"#)
        try client.upload(
            "POST", scheduled, "file", ["user_id": "ann", "message_type": "FILE", "scheduled_at": "\(later)"])
        try client.ask("GET", "\(scheduled)/1")
        try client.ask("PUT", "\(scheduled)/1", #"{"message":"other"}"#)
        try client.ask("POST", "\(scheduled)/2/send_now")
        try client.ask("DELETE", "\(scheduled)/1")
        try client.ask("GET", scheduled, status: 404)
        try client.ask("PATCH", "\(scheduled)/1", status: 404)
        try client.ask("GET", "scheduled_messages")
        try client.ask("GET", "scheduled_messages/count")
    }

    private func askApplication(_ client: RoutesClient) throws {
        let stored = try client.upload("POST", "storage/file", "file", ["require_auth": "true"])
        let address = try XCTUnwrap(stored["url"]?.string)
        try client.ask("GET", "/" + address.split(separator: "/").dropFirst(2).joined(separator: "/"))
        let path = try channel(client, "a1")
        _ = try message(client, path)
        try client.ask("GET", "search/messages?query=hello&user_id=ann")
        try client.ask("GET", "sdk/applications/settings")
        try client.ask("POST", "sdk/statistics")
        for word in ["dau", "mau", "ccu", "settings_global", "default_channel_invitation_preference"] {
            try client.ask("GET", "applications/\(word)")
        }
        try client.ask("PUT", "applications/default_channel_invitation_preference", #"{"auto_accept":true}"#)
        try client.ask(
            "POST", "announcements",
            #"""
            {"unique_id":"x","target_at":"target_channels","target_list":["a1"],"scheduled_at":1800000000000,
            "message":{"type":"MESG","user_id":"ann","content":"c"}}
            """#)
        try client.ask("GET", "announcements")
        try client.ask("GET", "announcements/x")
        try client.ask("PUT", "announcements/x", #"{"action":"pause"}"#)
        try client.ask("POST", "bots", #"{"bot_userid":"b","bot_nickname":"B"}"#)
        try client.ask("GET", "bots")
        try client.ask("GET", "bots/b")
        try client.ask("PUT", "bots/b", #"{"bot_nickname":"C"}"#)
        try client.ask("POST", "bots/b/channels", #"{"channel_urls":["a1"]}"#)
        try client.ask("POST", "bots/b/send", #"{"channel_url":"a1","message":"hi"}"#)
        try client.ask("POST", "bots/b/send", #"{"channel_url":"a1","message_type":"FILE","file_url":"u"}"#)
        try client.upload("POST", "bots/b/send", "file", ["channel_url": "a1", "message_type": "FILE"])
        try client.ask("DELETE", "bots/b/channels/a1")
        try client.ask("DELETE", "bots/b/channels")
        try client.ask("DELETE", "bots/b")
        try client.ask("POST", "emojis", #"{"emojis":[{"key":"e","url":"u"}]}"#)
        try client.ask("POST", "emoji_categories", #"{"emoji_categories":[{"name":"n","emojis":["e"]}]}"#)
        for (path, body) in [("emojis/e", #"{"url":"v"}"#), ("emoji_categories/1", #"{"name":"m"}"#)] {
            try client.ask("GET", String(path.split(separator: "/")[0]))
            try client.ask("GET", path)
            try client.ask("PUT", path, body)
            try client.ask("DELETE", path)
        }
        try client.ask(
            "POST", "migration/a1",
            #"{"messages":[{"message_type":"MESG","user_id":"ann","message":"old","timestamp":1600000000000}]}"#)
        for path in ["users/bob", "group_channels/a1"] {
            try client.ask("POST", "report/\(path)", #"{"reporting_user_id":"ann"}"#)
            try client.ask("POST", "report/\(path)", #"{"user_id":"ann"}"#)
        }
        try client.ask("GET", "report")
    }

    private func askPolls(_ client: RoutesClient) throws {
        let path = try channel(client, "p1")
        let made = try client.ask("POST", "polls", #"{"title":"t","options":["x","y"],"user_id":"ann"}"#)
        let poll = made["id"]?.int ?? 0
        let options = (made["options"]?.array ?? []).compactMap { $0["id"]?.int }
        try client.ask(
            "POST", "\(path)/messages",
            #"{"message_type":"MESG","user_id":"ann","message":"p","poll_id":\#(poll)}"#)
        // Who is named by the query; the body has no such key.
        try client.ask("POST", "polls?user_id=ann", #"{"title":"t","options":["x"]}"#)
        try client.ask("GET", "polls?channel_url=p1")
        try client.ask("GET", "polls/\(poll)?channel_url=p1&channel_type=group")
        try client.ask("PUT", "polls/\(poll)", #"{"title":"u"}"#)
        try client.ask("POST", "polls/\(poll)/options", #"{"option":"z"}"#)
        for user in ["ann", "bob"] {
            try client.ask("PUT", "polls/\(poll)/vote?user_id=\(user)", #"{"option_ids":[\#(options[0])]}"#)
        }
        try client.ask("GET", "polls/\(poll)/options/\(options[0])")
        try client.ask("GET", "polls/\(poll)/options/\(options[0])/voters")
        try client.ask("PUT", "polls/\(poll)/options/\(options[0])", #"{"text":"w"}"#)
        try client.ask("PATCH", "polls/\(poll)/options/\(options[0])", status: 404)
        try client.ask("DELETE", "polls/\(poll)/options/\(options[1])")
        try client.ask("PUT", "polls/\(poll)/close")
        try client.ask("PATCH", "polls/\(poll)", status: 404)
        try client.ask("DELETE", "polls/\(poll)")
        try client.ask("PUT", "polls", status: 404)
    }

    private func askRefused(_ client: RoutesClient) throws {
        try client.ask("POST", "bots", #"{"bot_userid":"z","bot_nickname":"Z"}"#)
        try client.ask("PATCH", "announcements/x", status: 404)
        try client.ask("POST", "report/other/x", "{}", status: 404)
        for path in [
            "announcements/x/y", "bots", "bots/z", "emojis", "emoji_categories", "applications/other", "migration/x",
            "push/device_tokens/gcm/d", "push",
        ] { try client.ask("PATCH", path, status: 404) }
        // What nobody has a route for.
        for path in ["other", "users/ann/friends/bob/x", "/v3", "/other"] {
            try client.ask("GET", path, status: 404)
        }
    }
}
