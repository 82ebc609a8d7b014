import Foundation
import SyncServer
import SyncTree
import TestSupport
import XCTest

/// What listeners of the database hear, on the server within the process.
final class DatabaseStreamTests: XCTestCase {
    private typealias Event = DatabaseListener.Event

    private func client(_ options: ServerOptions = ServerOptions()) throws -> DatabaseClient {
        DatabaseClient(server: try InProcessServer(options, time: 1_700_000_000_000, seed: 1))
    }

    private func put(_ path: String, _ data: String) -> Event {
        Event(name: "put", data: #"{"path":"\#(path)","data":\#(data)}"#)
    }

    private func patch(_ path: String, _ data: String) -> Event {
        Event(name: "patch", data: #"{"path":"\#(path)","data":\#(data)}"#)
    }

    func testWritesAtBelowAndAboveThePlace() throws {
        let client = try client()
        client.put("a", #"{"b":{"x":1},"c":2}"#)
        let listener = try client.listen("a/b")
        XCTAssertEqual(try listener.take(), [put("/", #"{"x":1}"#)])
        client.put("a/b/y/z", "true")
        XCTAssertEqual(try listener.take(), [put("/y/z", "true")])
        client.call("DELETE", "a/b/x")
        XCTAssertEqual(try listener.take(), [put("/x", "null")])
        client.put("a/b", "5")
        XCTAssertEqual(try listener.take(), [put("/", "5")])
        client.put("a", #"{"b":6}"#)
        XCTAssertEqual(try listener.take(), [put("/", "6")])
        client.put("", "null")
        XCTAssertEqual(try listener.take(), [put("/", "null")])
        let id = try XCTUnwrap(client.call("POST", "a/b", #""new""#).text.split(separator: "\"").dropFirst(3).first)
        XCTAssertEqual(try listener.take(), [put("/\(id)", #""new""#)])
    }

    func testWhatChangesNothingIsNotTold() throws {
        let client = try client()
        client.put("a", #"{"b":1,"c":{"d":2}}"#)
        let listener = try client.listen("a")
        _ = try listener.take()
        client.put("a/b", "1.0")
        client.put("x", "1")
        client.put("a/c", #"{"d":2,"e":{}}"#)
        client.call("PATCH", "a", #"{"b":1,"c/d":2,"f":null}"#)
        client.call("PATCH", "", #"{"x":2,"a/b":1}"#)
        XCTAssertEqual(try listener.take(), [])
        client.call("PATCH", "a", #"{"b":1,"c/d":3}"#)
        XCTAssertEqual(try listener.take(), [patch("/", #"{"c/d":3}"#)])
    }

    func testUpdatesAtBelowAndAboveThePlace() throws {
        let client = try client()
        let listener = try client.listen("a/b")
        XCTAssertEqual(try listener.take(), [put("/", "null")])
        client.call("PATCH", "a/b", #"{"x":1,"y/z":2}"#)
        XCTAssertEqual(try listener.take(), [patch("/", #"{"x":1,"y/z":2}"#)])
        client.call("PATCH", "a/b/y", #"{"z":3,"w":4}"#)
        XCTAssertEqual(try listener.take(), [patch("/y", #"{"z":3,"w":4}"#)])
        client.call("PATCH", "", #"{"a/b/x":null,"a/b/y/w":5,"c":6}"#)
        XCTAssertEqual(try listener.take(), [patch("/", #"{"x":null,"y/w":5}"#)])
        client.call("PATCH", "", #"{"a/b":7,"c":8}"#)
        XCTAssertEqual(try listener.take(), [put("/", "7")])
    }

    func testAQueryTellsItsWindow() throws {
        let client = try client()
        client.setRules(#"{".read":true,".write":true,"s":{".indexOn":".value"}}"#)
        client.put("s", #"{"a":3,"b":1,"c":2}"#)
        let listener = try client.listen("s?orderBy=%22$value%22&limitToFirst=2")
        XCTAssertEqual(try listener.take(), [put("/", #"{"b":1,"c":2}"#)])
        client.put("s/d", "9")
        XCTAssertEqual(try listener.take(), [])
        client.put("s/e", "0")
        XCTAssertEqual(try listener.take(), [patch("/", #"{"c":null,"e":0}"#)])
        client.put("s/b", "0.5")
        XCTAssertEqual(try listener.take(), [put("/b", "0.5")])
        client.call("DELETE", "s/e")
        XCTAssertEqual(try listener.take(), [patch("/", #"{"e":null,"c":2}"#)])
        XCTAssertThrowsError(try client.listen("s?orderBy=%22height%22"))
    }

    func testSignsOfLifeAndEnds() throws {
        let client = try client()
        let listener = try client.listen("a")
        _ = try listener.take()
        XCTAssertEqual(client.server.nextDeadline, 1_700_000_005_000, "the chat's own sweep")
        client.server.advance(to: 1_700_000_030_000)
        XCTAssertEqual(try listener.take(), [Event(name: "keep-alive", data: "null")])
        client.server.advance(to: 1_700_000_089_999)
        XCTAssertEqual(try listener.take(), [Event(name: "keep-alive", data: "null")])
        // Who has gone hears nothing more and keeps nobody waiting.
        listener.stream.closeByClient()
        client.put("a", "1")
        XCTAssertEqual(try listener.take(), [])
        let other = try client.listen("a")
        _ = try other.take()
        client.server.close()
        XCTAssertTrue(other.stream.isEnded)
    }

    func testRulesThatStopAllowingCancel() throws {
        let client = try client()
        client.setRules(
            #"{"open":{".read":true},"own":{"$u":{".read":"auth.uid == $u && !root.child('shut').exists()"}}}"#)
        var ann = client
        ann.parameters = "ns=test&auth=owner&auth_variable_override=%7B%22uid%22%3A%22ann%22%7D"
        XCTAssertThrowsError(try ann.listen("own/bob")) { XCTAssertEqual(($0 as? DatabaseClient.Refusal)?.status, 401) }
        let (open, own, all) = (try ann.listen("open"), try ann.listen("own/ann"), try client.listen(""))
        for listener in [open, own, all] { _ = try listener.take() }
        client.put("shut", "1")
        XCTAssertEqual(try own.take(), [Event(name: "cancel", data: "null")])
        XCTAssertTrue(own.stream.isEnded)
        client.setRules("{}")
        XCTAssertEqual(try open.take(), [Event(name: "cancel", data: "null")])
        // The administration is not asked for by rules.
        XCTAssertEqual(try all.take().map(\.name), ["put"])
        XCTAssertFalse(all.stream.isEnded)
    }

    func testASessionKeyThatRunsOutRevokes() throws {
        var options = ServerOptions()
        options.users = [.init(id: "ann", token: "T")]
        options.isControlled = true
        let client = try client(options)
        client.setRules(#"{"$u":{".read":"$u === auth.uid",".write":"$u === auth.uid"}}"#)
        func key(_ life: Int64) throws -> String {
            let answer = client.server.answer(
                "POST", "/v3/users/ann/token", headers: [("Api-Token", client.server.apiToken)],
                body: Array(#"{"expires_at":\#(client.server.time + life)}"#.utf8))
            let text = String(decoding: answer.response.body, as: UTF8.self)
            return String(try XCTUnwrap(text.components(separatedBy: "\"token\":\"").last?.prefix { $0 != "\"" }))
        }
        var ann = client
        ann.parameters = "ns=test&auth=\(try key(1000))"
        XCTAssertEqual(ann.call("PUT", "ann/x", "1").status, 200)
        XCTAssertEqual(ann.call("PUT", "bob/x", "1").status, 401)
        let listener = try ann.listen("ann")
        _ = try listener.take()
        client.server.advance(to: client.server.time + 1000)
        let revoked = Event(name: "auth_revoked", data: "credential is no longer valid")
        XCTAssertEqual(try listener.take(), [revoked])
        XCTAssertTrue(listener.stream.isEnded)
        XCTAssertEqual(ann.call("GET", "ann").text, #"{"error":"Auth token is expired"}"#)
        ann.parameters = "ns=test&auth=\(try key(1_000_000))"
        let second = try ann.listen("ann")
        _ = try second.take()
        _ = client.server.answer("POST", "/control/revoke_tokens", body: Array(#"{"user_id":"ann"}"#.utf8))
        XCTAssertEqual(try second.take(), [revoked])
        ann.parameters = "ns=test&auth=nonsense"
        XCTAssertEqual(ann.call("GET", "ann").text, #"{"error":"Could not parse auth token."}"#)
    }

    func testTestsMakeStreamsBreakAndGoSilent() throws {
        var options = ServerOptions()
        options.isControlled = true
        let client = try client(options)
        func control(_ path: String, _ body: String) -> String {
            let answer = client.server.answer("POST", "/control/" + path, body: Array(body.utf8))
            return String(decoding: answer.response.body, as: UTF8.self)
        }
        let (first, second) = (try client.listen("a"), try client.listen("b"))
        for listener in [first, second] { _ = try listener.take() }
        XCTAssertEqual(control("drop_streams", #"{"ns":"test","path":"a"}"#), #"{"dropped":1}"#)
        XCTAssertTrue(first.stream.isClosed && !first.stream.isEnded)
        XCTAssertFalse(second.stream.isClosed)
        _ = control("silence_streams", "{}")
        client.put("b", "1")
        client.server.advance(to: client.server.time + 60_000)
        let third = try client.listen("b")
        XCTAssertEqual(try second.take() + third.take(), [])
        _ = control("silence_streams", #"{"on":false}"#)
        client.put("b", "2")
        XCTAssertEqual(try second.take(), [put("/", "2")])
        XCTAssertEqual(control("drop_streams", #"{"path":"a.b"}"#).contains("Invalid path"), true)
    }

    /// Listeners everywhere, random writes: what a listener has put together of its events is what is there, and what a
    /// server finds that starts again on the same file.
    func testEventsReplayToTheValue() throws {
        for seed in UInt64(1)...25 {
            var random = SeededGenerator(seed: seed)
            let file = NSTemporaryDirectory() + "database-\(seed)-\(UUID().uuidString).db"
            defer { for end in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: file + end) } }
            var options = ServerOptions()
            options.database = file
            let client = try client(options)
            client.setRules(#"{".read":true,".write":true,"a":{".indexOn":["b",".value"]}}"#)
            let places = [
                "", "a", "a/b", "a/b/c", "d", "a?orderBy=%22b%22&limitToLast=2", "a?orderBy=%22$key%22",
                "a?orderBy=%22$value%22&startAt=3&limitToFirst=2",
            ]
            var listeners: [(String, DatabaseListener)] = []
            for step in 0..<80 {
                if Int.random(in: 0..<5, using: &random) == 0 {
                    let place = places.randomElement(using: &random) ?? ""
                    listeners.append((place, try client.listen(place)))
                }
                try write(client, &random)
                for (place, listener) in listeners {
                    _ = try listener.take()
                    let there = try TreeReader.value(Array(client.get(place).utf8), time: 0)
                    XCTAssertEqual(listener.value, there, "seed \(seed), step \(step), \(place)")
                }
            }
            let before = client.get("?format=export")
            client.server.close()
            let again = DatabaseClient(server: try InProcessServer(options, time: 1_700_000_100_000, seed: 2))
            XCTAssertEqual(again.get("?format=export"), before, "seed \(seed)")
            XCTAssertEqual(again.call("GET", "a?orderBy=%22b%22").status, 200, "its rules are there again")
            again.server.close()
        }
    }

    private func write(_ client: DatabaseClient, _ random: inout SeededGenerator) throws {
        func path(_ most: Int) -> String {
            let depth = Int.random(in: 1...most, using: &random)
            return (0..<depth).map { _ in ["a", "b", "c", "d", "0", "1"].randomElement(using: &random) ?? "a" }
                .joined(separator: "/")
        }
        let values = [
            "null", "1", "2.5", "true", #""x""#, #"{"b":3,"c":{"d":4}}"#, "[1,null,7]", "{}",
            #"{".value":5,".priority":1}"#, #"{".priority":"p","b":{".value":1,".priority":2}}"#,
            #"{".sv":{"increment":1}}"#,
        ]
        func value() -> String { values.randomElement(using: &random) ?? "1" }
        let status: Int
        switch Int.random(in: 0..<5, using: &random) {
        case 0: status = client.call("DELETE", path(3)).status
        case 1: status = client.call("POST", path(2), value()).status
        case 2:
            let names = Set((0..<3).map { _ in path(2) }).sorted()
            let members = names.map { #""\#($0)":\#(value())"# }.joined(separator: ",")
            let reply = client.call("PATCH", Bool.random(using: &random) ? "" : path(2), "{\(members)}")
            status = reply.text.contains("ancestor") ? 200 : reply.status
        default: status = client.call("PUT", path(4), value()).status
        }
        XCTAssertEqual(status, 200)
    }
}
