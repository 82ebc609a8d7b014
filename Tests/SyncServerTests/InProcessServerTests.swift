import SyncJSON
import SyncServer
import XCTest

/// The server's own code, driven within the process: no descriptor, no thread, a time that only the test moves.
final class InProcessServerTests: XCTestCase {
    private static let start: Int64 = 1_700_000_000_000

    private func makeServer(_ change: (inout ServerOptions) -> Void = { _ in }) throws -> InProcessServer {
        var options = ServerOptions()
        options.users = [.init(id: "ann", token: "a"), .init(id: "bo", token: "b"), .init(id: "cy", token: "c")]
        change(&options)
        return try InProcessServer(options, time: Self.start, seed: 7)
    }

    private func makeChannel(_ client: InProcessClient, _ url: String = "c", _ users: [String] = ["ann", "bo"]) throws {
        let body = JSON.object([
            "user_ids": .strings(users), "channel_url": .string(url), "operator_ids": .strings(["ann"]),
        ])
        XCTAssertEqual(try client.ask("POST", "/v3/group_channels", body)["channel_url"]?.string, url)
    }

    private func message(_ text: String, _ requestID: String, in url: String = "c") -> JSON {
        .object(["channel_url": .string(url), "message": .string(text), "req_id": .string(requestID)])
    }

    private func unread(_ client: InProcessClient, _ url: String = "c") throws -> Int64? {
        try client.ask("GET", "/v3/group_channels/\(url)")["unread_message_count"]?.int
    }

    // MARK: Messages

    /// A message by socket is acknowledged to its socket, and told to every other socket of every member, the sender's
    /// other devices among them. One by REST goes to all sockets, those of the user who sent it too.
    func testWhoHearsOfAMessage() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let annsTablet = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        let cy = try InProcessClient(server, "cy", token: "c")
        try makeChannel(ann)
        for client in [ann, annsTablet, bo] { XCTAssertFalse(try client.heard().isEmpty) }

        ann.send("MESG", message("one", "r1"))
        ann.send("MESG", message("two", "r2"))
        let acknowledged = try ann.heard()
        XCTAssertEqual(acknowledged.map(\.name), ["MESG", "MESG"])
        XCTAssertEqual(acknowledged.map { $0.body["req_id"]?.string }, ["r1", "r2"])
        for other in [annsTablet, bo] {
            let told = try other.heard()
            XCTAssertEqual(told.map(\.name), ["MESG", "MESG"])
            XCTAssertEqual(told.map { $0.body["message"]?.string }, ["one", "two"])
            XCTAssertEqual(told.map { $0.body["msg_id"]?.int }, acknowledged.map { $0.body["msg_id"]?.int })
            XCTAssertEqual(told.compactMap { $0.body["req_id"] }.count, 0)
        }

        let sent = try ann.ask(
            "POST", "/v3/group_channels/c/messages", .object(["message": "three", "user_id": "ann", "req_id": "r3"]))
        for client in [ann, annsTablet, bo] {
            let told = try client.heard()
            // Who sends by REST has read the channel.
            XCTAssertEqual(told.map(\.name), ["MESG", "READ"], client.userID)
            XCTAssertEqual(told.first?.body["msg_id"]?.int, sent["message_id"]?.int, client.userID)
            XCTAssertEqual(told.compactMap { $0.body["req_id"] }.count, 0)
        }
        XCTAssertEqual(try cy.heard().count, 0)
    }

    /// What a socket sends twice is stored once; what it may not send is refused to it alone.
    func testAMessageSentTwiceAndOneRefused() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let cy = try InProcessClient(server, "cy", token: "c")
        try makeChannel(ann)
        _ = try ann.heard()
        for _ in 1...2 { ann.send("MESG", message("once", "same")) }
        let acknowledged = try ann.heard()
        XCTAssertEqual(acknowledged.count, 2)
        XCTAssertEqual(Set(acknowledged.map { $0.body["msg_id"]?.int }).count, 1)
        cy.send("MESG", message("from outside", "r"))
        let refused = try cy.heard()
        XCTAssertEqual(refused.map(\.name), ["EROR"])
        XCTAssertEqual(refused.first?.body["code"]?.int, 900_020)
        XCTAssertEqual(refused.first?.body["req_id"]?.string, "r")
        XCTAssertEqual(try ann.heard().count, 0)
        let page = try ann.ask("GET", "/v3/group_channels/c/messages?message_ts=0&next_limit=10&prev_limit=0")
        XCTAssertEqual(page["messages"]?.array?.map { $0["message"]?.string }, ["once"])
    }

    /// Who replied first stands first among equals, also when all happens in one millisecond.
    func testWhoRepliedMostInOneMillisecond() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        try makeChannel(ann)
        let path = "/v3/group_channels/c/messages"
        let parent = try XCTUnwrap(try ann.ask("POST", path, .object(["message": "parent"]))["message_id"])
        for client in [bo, ann] {
            try client.ask("POST", path, .object(["message": "reply", "parent_message_id": parent]))
        }
        let told = try XCTUnwrap(try bo.heard().last { $0.name == "MTHD" })
        let most = told.body["thread_info"]?["most_replies"]?.array
        XCTAssertEqual(most?.map { $0["user_id"]?.string }, ["bo", "ann"])
    }

    func testReadMarksAndUnreadCounts() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        try makeChannel(ann)
        for number in 1...3 {
            server.advance(to: server.time + 10)
            ann.send("MESG", message("m\(number)", "r\(number)"))
        }
        XCTAssertEqual(try unread(bo), 3)
        XCTAssertEqual(try unread(ann), 0)
        for client in [ann, bo] { _ = try client.heard() }
        server.advance(to: server.time + 1000)
        bo.send("READ", .object(["channel_url": "c", "req_id": "read"]))
        let acknowledged = try bo.heard()
        XCTAssertEqual(acknowledged.map(\.name), ["READ"])
        XCTAssertEqual(acknowledged.first?.body["req_id"]?.string, "read")
        let told = try ann.heard()
        XCTAssertEqual(told.map(\.name), ["READ"])
        XCTAssertEqual(told.first?.body["user"]?["user_id"]?.string, "bo")
        XCTAssertEqual(told.first?.body["ts"]?.int, server.time)
        XCTAssertEqual(try unread(bo), 0)
    }

    // MARK: Time

    /// Delivery marks gather for 30 ms: nothing is told before, all of it then, and the time is that of the timer.
    func testDeliveryMarksAreToldWhenTheyAreDue() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        try makeChannel(ann)
        ann.send("MESG", message("m", "r"))
        let sent = try XCTUnwrap(try ann.heard().last)
        let mark = JSON.object(["channel_url": "c"])
        mark.set("msg_id", sent.body["msg_id"])
        bo.send("MACK", mark)
        XCTAssertEqual(server.nextDeadline, Self.start + 30)
        server.advance(to: Self.start + 29)
        XCTAssertEqual(try ann.heard().count, 0)
        server.advance(to: Self.start + 1000)
        let told = try ann.heard()
        XCTAssertEqual(told.map(\.name), ["DLVR"])
        XCTAssertEqual(told.first?.body["ts"]?.int, Self.start + 30)
        XCTAssertEqual(told.first?.body["updated"]?["bo"]?.int, Self.start)
    }

    func testAMuteEnds() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        try makeChannel(ann)
        try ann.ask("POST", "/v3/group_channels/c/mute", .object(["user_id": "bo", "seconds": 10]))
        _ = try bo.heard()
        bo.send("MESG", message("muted", "1"))
        server.advance(to: Self.start + 9_999)
        bo.send("MESG", message("still muted", "2"))
        server.advance(to: Self.start + 10_000)
        bo.send("MESG", message("heard", "3"))
        let answers = try bo.heard()
        XCTAssertEqual(answers.map(\.name), ["EROR", "EROR", "SYEV", "MESG"])
        XCTAssertEqual(answers.compactMap { $0.body["cat"]?.int }, [10200])
        XCTAssertEqual(answers.first?.body["code"]?.int, 900_041)
        XCTAssertEqual(answers.last?.body["ts"]?.int, Self.start + 10_000)
    }

    /// REST refuses a key that ran out; the socket that was opened with it hears of it, lives on and can renew it.
    func testASessionExpires() throws {
        let server = try makeServer { $0.sessionLife = 10_000 }
        let ann = try InProcessClient(server, "ann", token: "a", "&expiring_session=true")
        server.advance(to: Self.start + 9_999)
        try ann.ask("GET", "/v3/users/ann")
        server.advance(to: Self.start + 10_000)
        XCTAssertEqual(try ann.ask("GET", "/v3/users/ann", status: 400)["code"]?.int, 400_309)
        ann.send("LOGI", .object(["token": "a", "expiring_session": true, "req_id": "renewal"]))
        let heard = try ann.heard()
        XCTAssertEqual(heard.map(\.name), ["EXPR", "LOGI"])
        let renewed = try XCTUnwrap(heard.last?.body["new_key"]?.string)
        XCTAssertNotEqual(renewed, ann.key)
        XCTAssertEqual(server.answer("GET", "/v3/users/ann", headers: [("session-key", renewed)]).response.status, 200)
    }

    /// A peer that says nothing is pinged; one that does not answer is dropped, one that does stays.
    func testSilentPeersArePingedAndDropped() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        server.advance(to: Self.start + 20_000)
        XCTAssertEqual([ann, bo].map { $0.socket.takePings() }, [0, 0])
        while server.time < Self.start + 60_000 {
            server.advance(to: try XCTUnwrap(server.nextDeadline))
            if ann.socket.takePings() > 0 { ann.socket.pong() }
        }
        XCTAssertFalse(ann.socket.isClosed)
        XCTAssertTrue(bo.socket.isClosed)
        XCTAssertGreaterThan(bo.socket.takePings(), 0)
        XCTAssertNil(bo.socket.goodbye)
    }

    // MARK: Opening and closing

    /// A refused login gets a LOGI that says why, a close frame, and no messages.
    func testARefusedLogin() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let stranger = try InProcessClient.open(server, "bo", token: "wrong")
        let refusal = try InProcessClient.commands(stranger)
        XCTAssertEqual(refusal.map(\.name), ["LOGI"])
        XCTAssertEqual(refusal.first?.body["code"]?.int, 400_302)
        XCTAssertEqual(stranger.goodbye?.code, 4000)
        XCTAssertFalse(stranger.isClosed)
        try makeChannel(ann)
        ann.send("MESG", message("m", "r"))
        stranger.receive(Array("PING{}".utf8))
        XCTAssertEqual(stranger.takeFrames(), [])
        server.advance(to: Self.start + 2000)
        XCTAssertTrue(stranger.isClosed)
    }

    func testClosing() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        XCTAssertEqual(try ann.ask("GET", "/v3/users/bo")["is_online"]?.bool, true)
        server.advance(to: Self.start + 500)
        bo.socket.closeByClient()
        XCTAssertTrue(bo.socket.isClosed)
        let seen = try ann.ask("GET", "/v3/users/bo")
        XCTAssertEqual(seen["is_online"]?.bool, false)
        XCTAssertEqual(seen["last_seen_at"]?.int, Self.start + 500)
        try makeChannel(ann)
        ann.send("MESG", message("m", "r"))
        bo.send("PING", .object())
        XCTAssertEqual(try bo.heard().count, 0)
        server.close()
        XCTAssertEqual(ann.socket.goodbye?.code, 1001)
        XCTAssertTrue(ann.socket.isClosed)
    }

    /// The control endpoint's faults meet requests and handshakes here as they do over the network.
    func testFaults() throws {
        let server = try makeServer { $0.isControlled = true }
        let ann = try InProcessClient(server, "ann", token: "a")
        func control(_ path: String, _ body: JSON) {
            XCTAssertEqual(server.answer("POST", "/control/\(path)", body: body.serialized()).response.status, 200)
        }
        func read() -> InProcessServer.Reply {
            server.answer("GET", "/v3/users/ann", headers: [("Session-Key", ann.key)])
        }
        control("fault", .object(["kind": "half_body", "path_contains": "/users/"]))
        XCTAssertEqual(read().response.delivery, .half)
        control("fault", .object(["kind": "429", "retry_after": 3]))
        let limited = read().response
        XCTAssertEqual(limited.status, 429)
        XCTAssertTrue(limited.allHeaders.contains { $0 == ("Retry-After", "3") })
        control("delay", .object(["path_prefix": "/v3/users", "ms": 250]))
        XCTAssertEqual(read().delay, 250)
        control("refuse_connections", .object(["on": true]))
        XCTAssertEqual(read().response.delivery, HTTPResponse.Delivery.none)
        XCTAssertThrowsError(try InProcessClient(server, "bo", token: "b"))
        control("clear_faults", .object())
        XCTAssertEqual(read().delay, 0)
        control("drop_sockets", .object(["code": 1012]))
        XCTAssertEqual(ann.socket.goodbye?.code, 1012)
    }

    func testBadRequests() throws {
        let server = try makeServer()
        XCTAssertEqual(server.answer("GET", "/v3/users/ann").response.status, 401)
        XCTAssertEqual(server.answer("GET", "nonsense").response.status, 404)
        let upgrade = server.answer(
            "GET", "/",
            headers: [
                ("upgrade", "websocket"), ("connection", "upgrade"), ("sec-websocket-version", "13"),
                ("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="),
            ])
        XCTAssertEqual(upgrade.response.status, 400)
        let admin = [("Api-Token", server.apiToken)]
        XCTAssertEqual(server.answer("POST", "/v3/users", headers: admin, body: [0x7B]).response.status, 400)
        let huge = [UInt8](repeating: 0x20, count: 33 << 20)
        XCTAssertEqual(server.answer("POST", "/v3/users", headers: admin, body: huge).response.status, 413)
    }
}
