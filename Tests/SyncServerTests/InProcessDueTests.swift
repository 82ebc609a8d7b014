import ServerBase
import ServerChat
import SyncJSON
import XCTest

@testable import SyncServer

/// What happens by itself at a time, and what requests are refused for: the same in the process as over the network,
/// by a time that only the test moves.
final class InProcessDueTests: XCTestCase {
    private static let start: Int64 = 1_700_000_000_000

    private func makeServer(_ change: (inout ServerOptions) -> Void = { _ in }, time: Int64 = start) throws
        -> InProcessServer
    {
        var options = ServerOptions()
        options.users = [.init(id: "ann", token: "a"), .init(id: "bo", token: "b")]
        // These clients never ping; they shall not be dropped for it.
        options.pingInterval = 3600
        change(&options)
        return try InProcessServer(options, time: time, seed: 7)
    }

    private func temporaryDatabase() -> String {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("due-\(UUID().uuidString).db").path
        addTeardownBlock {
            for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        }
        return path
    }

    private func makeChannel(_ client: InProcessClient, _ extra: JSON = .object()) throws {
        extra.set("user_ids", .strings(["ann", "bo"]))
        extra.set("channel_url", "c")
        try client.ask("POST", "/v3/group_channels", extra)
    }

    private func schedule(_ client: InProcessClient, _ text: String, at time: Int64) throws {
        try client.ask(
            "POST", "/v3/group_channels/c/scheduled_messages",
            .object(["message": .string(text), "scheduled_at": .int(time)]))
    }

    private func commands(_ client: InProcessClient, _ name: String) throws -> [JSON] {
        try client.heard().filter { $0.name == name }.map(\.body)
    }

    /// They go out at their own times and not before, also when the owner lets much time pass in one step.
    func testScheduledMessagesKeepToTheVirtualClock() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        try makeChannel(ann)
        // Longer than the one timer waits at a time; two of one moment keep their order.
        for (text, after) in [("late", 200_000), ("first", 1000), ("second", 1000)] {
            try schedule(ann, text, at: Self.start + Int64(after))
        }
        _ = try bo.heard()
        server.advance(to: Self.start + 999)
        XCTAssertEqual(try commands(bo, "MESG").count, 0)
        XCTAssertEqual(server.nextDeadline, Self.start + 1000)
        server.advance(to: Self.start + 300_000)
        let told = try commands(bo, "MESG")
        XCTAssertEqual(told.map { $0["message"]?.string }, ["first", "second", "late"])
        XCTAssertEqual(
            told.map { $0["ts"]?.int }, [Self.start + 1000, Self.start + 1000, Self.start + 200_000])
    }

    func testMessagesThatDoNotLastAndPollsThatClose() throws {
        let server = try makeServer()
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        try makeChannel(ann, .object(["message_survival_seconds": 60]))
        let poll = try ann.ask(
            "POST", "/v3/polls",
            .object(["title": "t", "options": .strings(["x", "y"]), "close_at": .int(Self.start / 1000 + 10)]))
        let id = try XCTUnwrap(poll["id"]?.int)
        try ann.ask("POST", "/v3/group_channels/c/messages", .object(["message": "m", "poll_id": .int(id)]))
        _ = try bo.heard()
        server.advance(to: Self.start + 9999)
        XCTAssertEqual(try bo.ask("GET", "/v3/polls/\(id)")["status"]?.string, "open")
        XCTAssertEqual(try bo.heard().count, 0)
        server.advance(to: Self.start + 10_000)
        XCTAssertEqual(try bo.ask("GET", "/v3/polls/\(id)")["status"]?.string, "closed")
        XCTAssertEqual(try commands(bo, "PEDI").count, 1)
        server.advance(to: Self.start + 59_999)
        XCTAssertEqual(try commands(bo, "DELM").count, 0)
        server.advance(to: Self.start + 60_000)
        XCTAssertEqual(try commands(bo, "DELM").map { $0["ts"]?.int }, [Self.start + 60_000])
    }

    /// What came due while no server ran happens at the start; what nobody can read of it holds nothing up.
    func testWhatCameDueBetweenTwoRuns() throws {
        let path = temporaryDatabase()
        let first = try makeServer { $0.database = path }
        let ann = try InProcessClient(first, "ann", token: "a")
        try makeChannel(ann)
        try schedule(ann, "one", at: Self.start + 1000)
        try schedule(ann, "two", at: Self.start + 90_000)
        first.close()
        let file = try Storage(path: path)
        try file.connection.execute(
            "INSERT INTO documents (kind, id, scope, at, due, json) VALUES ('scheduled', 'x', '', 1, 1, 'rubbish')")
        file.connection.shut()

        let second = try makeServer({ $0.database = path }, time: Self.start + 5000)
        func texts() throws -> [String?] {
            let page = second.answer(
                "GET", "/v3/group_channels/c/messages?message_ts=0&next_limit=9", headers: [("Session-Key", ann.key)])
            return try JSON.parse(page.response.body)["messages"]?.array?.map { $0["message"]?.string } ?? []
        }
        XCTAssertEqual(try texts(), ["one"])
        second.advance(to: Self.start + 90_000)
        XCTAssertEqual(try texts(), ["one", "two"])
        second.close()
    }

    /// A storage that refuses to write, as a full disk does: what was due stays due, happens once when the storage
    /// writes again, and others need not wait for it.
    func testWhatTheStorageRefusedIsTriedAgain() throws {
        let path = temporaryDatabase()
        let server = try makeServer { $0.database = path }
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        try makeChannel(ann)
        try schedule(ann, "one", at: Self.start + 1000)
        try schedule(ann, "two", at: Self.start + 1000)
        try schedule(ann, "later", at: Self.start + 20_000)
        _ = try bo.heard()
        let file = try Storage(path: path)
        defer { file.connection.shut() }
        for (trigger, expected) in [
            ("BEFORE INSERT ON messages WHEN instr(NEW.json, '\"one\"') > 0", ["two"]),
            // Its sending must not be kept without the note that it was sent.
            ("BEFORE UPDATE OF due ON documents", []),
        ] {
            try file.connection.execute(
                "CREATE TRIGGER refusal \(trigger) BEGIN SELECT RAISE(ABORT, 'refused'); END")
            server.advance(to: server.time + 1000)
            XCTAssertEqual(try commands(bo, "MESG").map { $0["message"]?.string }, expected)
            XCTAssertNotNil(server.nextDeadline)
            try file.connection.execute("DROP TRIGGER refusal")
        }
        server.advance(to: Self.start + 19_999)
        XCTAssertEqual(try commands(bo, "MESG").map { $0["message"]?.string }, ["one"])
        server.advance(to: Self.start + 60_000)
        XCTAssertEqual(try commands(bo, "MESG").map { $0["message"]?.string }, ["later"])
        let page = try bo.ask("GET", "/v3/group_channels/c/messages?message_ts=0&next_limit=9")
        XCTAssertEqual(page["messages"]?.array?.map { $0["message"]?.string }, ["two", "one", "later"])
        server.close()
    }

    func testTheRateLimitKeepsToTheVirtualClock() throws {
        let server = try makeServer { $0.rateLimit = 2 }
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        try makeChannel(ann)
        try ann.ask("GET", "/v3/users/ann")
        try ann.ask("GET", "/v3/users/ann", status: 429)
        let refused = server.answer("GET", "/v3/users/ann", headers: [("Session-Key", ann.key)]).response
        XCTAssertTrue(refused.allHeaders.contains { $0 == ("Retry-After", "1") })
        try bo.ask("GET", "/v3/users/bo")
        server.advance(to: Self.start + 499)
        try ann.ask("GET", "/v3/users/ann", status: 429)
        server.advance(to: Self.start + 500)
        try ann.ask("GET", "/v3/users/ann")
        _ = try bo.heard()
        for number in 1...3 {
            bo.send("MESG", .object(["channel_url": "c", "message": "m", "req_id": .string("r\(number)")]))
        }
        let answers = try bo.heard()
        XCTAssertEqual(answers.map(\.name), ["MESG", "MESG", "EROR"])
        XCTAssertEqual(answers.last?.body["code"]?.int, 900_200)
    }

    /// The options are public: a limit that makes no sense must not divide by nothing, nor overflow.
    func testALimitOutOfRange() {
        XCTAssertNil(RateLimiter(limit: 0).take("a", at: 1))
        let limiter = RateLimiter(limit: .max)
        XCTAssertNil(limiter.take("a", at: 1))
        XCTAssertNil(limiter.take("a", at: .max))
    }

    /// A strict server stores and tells nothing of a request with a key that has no effect.
    func testStrict() throws {
        let server = try makeServer { $0.isStrict = true }
        let ann = try InProcessClient(server, "ann", token: "a")
        let bo = try InProcessClient(server, "bo", token: "b")
        try makeChannel(ann)
        _ = try bo.heard()
        let path = "/v3/group_channels/c/messages"
        let refused = try ann.ask("POST", path, .object(["message": "m", "colour": "red"]), status: 400)
        XCTAssertEqual(refused["code"]?.int, 400_111)
        XCTAssertEqual(try bo.heard().count, 0)
        let page = try bo.ask("GET", "\(path)?message_ts=0&next_limit=9")
        XCTAssertEqual(page["messages"]?.array?.count, 0)
        try ann.ask("POST", path, .object(["message": "m"]))
        XCTAssertEqual(try commands(bo, "MESG").count, 1)
    }

    /// Also what is remembered beside the file is undone: who is a bot, whose sockets end.
    func testStrictUndoesWhatIsNotStored() throws {
        let server = try makeServer { $0.isStrict = true }
        let bo = try InProcessClient(server, "bo", token: "b")
        func ask(_ method: String, _ path: String, _ body: JSON = .object(), status: Int = 200) throws -> JSON {
            let reply = server.answer(
                method, path, headers: [("Api-Token", server.apiToken)], body: method == "GET" ? [] : body.serialized())
            let text = String(decoding: reply.response.body, as: UTF8.self)
            XCTAssertEqual(reply.response.status, status, text)
            return try JSON.parse(reply.response.body)
        }
        func bot(_ id: String) -> JSON {
            .object([
                "bot_userid": .string(id), "bot_nickname": "b", "bot_callback_url": "", "is_privacy_mode": false,
            ])
        }
        let wrong = bot("robot")
        wrong.set("colour", "red")
        _ = try ask("POST", "/v3/bots", wrong, status: 400)
        // A user of that name is no bot: lists that leave bots out have it.
        _ = try ask("POST", "/v3/users", .object(["user_id": "robot", "nickname": "r", "profile_url": ""]))
        let users = try ask("GET", "/v3/users?user_ids=robot&show_bot=false")["users"]?.array
        XCTAssertEqual(users?.map { $0["user_id"]?.string }, ["robot"])
        _ = try ask("POST", "/v3/bots", bot("machine"))
        _ = try ask("DELETE", "/v3/bots/machine?colour=red", status: 400)
        XCTAssertEqual(try ask("GET", "/v3/bots/machine")["bot"]?["bot_userid"]?.string, "machine")
        _ = try ask("DELETE", "/v3/users/bo?colour=red", status: 400)
        XCTAssertNil(bo.socket.goodbye)
        _ = try ask("DELETE", "/v3/users/bo")
        XCTAssertEqual(bo.socket.goodbye?.code, 4000)
    }
}
