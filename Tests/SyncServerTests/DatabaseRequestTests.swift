import SyncServer
import TestSupport
import XCTest

/// Requests that are nothing, and requests made of chance.
final class DatabaseRequestTests: XCTestCase {
    private func client() throws -> DatabaseClient {
        DatabaseClient(server: try InProcessServer(ServerOptions(), time: 1_700_000_000_000, seed: 1))
    }

    func testWhatIsRefused() throws {
        let client = try client()
        client.put("a", #"{"b":1}"#)
        let cases: [(method: String, path: String, body: String, status: Int, text: String)] = [
            ("GET", "a?limitToFirst=1", "", 400, "orderBy must be defined when other query parameters are defined"),
            ("GET", "a?startAt=1", "", 400, "orderBy must be defined when other query parameters are defined"),
            ("GET", "a?orderBy=%22$key%22&shallow=true", "", 400, "shallow"),
            ("GET", "a?orderBy=$key", "", 400, "orderBy must be a valid JSON encoded path"),
            ("GET", "a?orderBy=%22%22", "", 400, "orderBy must be"),
            ("GET", "a?orderBy=%22a.b%22", "", 400, "orderBy must"),
            ("GET", "a?orderBy=%22$key%22&limitToFirst=0", "", 400, "positive"),
            ("GET", "a?orderBy=%22$key%22&limitToFirst=x", "", 400, "positive"),
            ("GET", "a?orderBy=%22$key%22&limitToFirst=1&limitToLast=1", "", 400, "only one"),
            ("GET", "a?orderBy=%22$key%22&startAt=1", "", 400, "strings"),
            ("GET", "a?orderBy=%22$key%22&startAt=%22a", "", 400, "JSON encoded value"),
            ("GET", "a?orderBy=%22$priority%22&startAt=%7B%7D", "", 400, "must be a string"),
            ("GET", "a?orderBy=%22$priority%22&startAt=1,2", "", 400, "key must be a string"),
            ("GET", "a?orderBy=%22$priority%22&startAt=1&equalTo=2", "", 400, "does not go with"),
            ("GET", "a?orderBy=%22$priority%22&endAt=1&endBefore=2", "", 400, "does not go with"),
            ("PUT", "a?orderBy=%22$key%22", "1", 400, "GET only"),
            ("PUT", "a.b", "1", 400, "Invalid path: Invalid token in path"), ("GET", "a$", "", 400, "Invalid path"),
            ("GET", "a%2Fb", "", 400, "Invalid path"), ("GET", ".info/serverTimeOffset", "", 400, "Invalid path"),
            ("PUT", "a", "", 400, "couldn't parse JSON"), ("PATCH", "a", "[1]", 400, "couldn't parse JSON"),
            ("PUT", "a", "{\"a\":{\n\"b.c\":1}}", 400, "couldn't parse key beginning at 2:1."),
            ("HURL", "a", "", 405, "expected"), ("GET", "a?print=loud", "", 400, "print"),
            ("GET", "a?shallow=1", "", 400, "shallow"), ("GET", "a?format=xml", "", 400, "format"),
            ("GET", "a?timeout=16min", "", 400, "timeout"), ("PUT", "a?writeSizeLimit=big", "1", 400, "writeSizeLimit"),
            ("GET", "a?callback=a(b)", "", 400, "callback"), ("GET", "a?download=%0D%0A", "", 400, "download"),
        ]
        for (method, path, body, status, text) in cases {
            let reply = client.call(method, path, body)
            XCTAssertEqual(reply.status, status, "\(method) \(path): \(reply.text)")
            XCTAssertTrue(reply.text.hasPrefix("{\"error\":\"") && reply.text.contains(text), "\(path): \(reply.text)")
        }
        XCTAssertEqual(client.get("a"), #"{"b":1}"#, "nothing of it was written")
        let elsewhere = client.server.answerDatabase("GET", "/a?ns=test").response
        XCTAssertEqual(elsewhere.status, 404)
        XCTAssertEqual(client.server.answerDatabase("GET", "/a.json?ns=a/b").response.status, 404)
    }

    func testQueriesOverRequests() throws {
        let client = try client()
        client.setRules(#"{".read":true,"d":{".indexOn":["h"]}}"#)
        client.put("d", #"{"a":{"h":1},"b":{"h":2},"c":{"h":2},"e":{"h":3},"f":{"g":1},"h":{"h":"x"}}"#)
        func keys(_ query: String) -> String {
            client.get("d?orderBy=%22h%22&" + query).split(separator: "\"").filter {
                "abcef".contains($0) && $0.count == 1
            }
            .joined()
        }
        XCTAssertEqual(keys("startAt=2&endAt=2"), "bc")
        XCTAssertEqual(keys("startAt=2,%22c%22"), "ce")
        XCTAssertEqual(keys("startAfter=2&endBefore=%22x%22"), "e")
        XCTAssertEqual(keys("equalTo=2,%22b%22"), "b")
        XCTAssertEqual(keys("equalTo=null"), "f")
        XCTAssertEqual(keys("endAt=2&limitToLast=2"), "bc")
        XCTAssertEqual(client.get("d?orderBy=%22h%22&equalTo=99"), "{}")
        XCTAssertEqual(client.get("none?orderBy=%22$key%22"), "null")
        XCTAssertEqual(client.get("d?orderBy=%22$key%22&startAt=%22b%22&limitToFirst=1"), #"{"b":{"h":2}}"#)
    }

    func testETags() throws {
        let client = try client()
        let asked = [("X-Firebase-ETag", "true")]
        XCTAssertEqual(client.call("GET", "a", headers: asked).headers["ETag"], "null_etag")
        XCTAssertNil(client.call("GET", "a").headers["ETag"])
        let made = client.call("PUT", "a", #"{"x":1}"#, headers: [("if-match", "null_etag")])
        XCTAssertEqual(made.status, 200)
        let tag = try XCTUnwrap(made.headers["ETag"])
        XCTAssertEqual(tag.utf8.count, 28)
        let late = client.call("PUT", "a", "2", headers: [("if-match", "null_etag")])
        XCTAssertEqual([late.text, late.headers["ETag"] ?? "", "\(late.status)"], [#"{"x":1}"#, tag, "412"])
        XCTAssertEqual(client.call("GET", "a", headers: [("if-none-match", tag)]).status, 304)
        XCTAssertEqual(client.call("GET", "a", headers: [("if-none-match", "x")]).headers["ETag"], tag)
        XCTAssertEqual(client.call("PATCH", "a", "{}", headers: [("if-match", tag)]).status, 400)
        client.put("a/x", "2")
        client.put("a/x", "1")
        XCTAssertEqual(client.call("GET", "a", headers: asked).headers["ETag"], tag, "the same value, the same tag")
        XCTAssertEqual(client.call("DELETE", "a", headers: [("if-match", "x")]).status, 412)
        XCTAssertEqual(client.call("DELETE", "a", headers: [("if-match", tag)]).status, 200)
        XCTAssertEqual(client.get("a"), "null")
        XCTAssertEqual(client.call("POST", "a", "1", headers: asked).headers["ETag"]?.utf8.count, 28)
    }

    func testRandomRequestsNeverTrap() throws {
        let client = try client()
        let methods = ["GET", "PUT", "POST", "PATCH", "DELETE", "HEAD", "OPTIONS", "FOO", ""]
        let parts = [
            "a", "/", ".json", "?", "&", "=", "ns", "auth=owner", "orderBy", "%22", "$key", "$value", "startAt=", "1",
            "limitToLast=", "%", "%2", "%ff", "é", ".settings", "rules", "{", "}", "null", "shallow=true",
            "print=pretty", "format=export", "callback=f", "auth_variable_override=", "-", ".",
            "timeout=9999999999999999999999s",
        ]
        let bodies = [
            "", "1", "{}", #"{"a":{"b":[1]}}"#, #"{"a/b":{".sv":"timestamp"}}"#, "[", #"{"rules":{}}"#, "\u{0}",
        ]
        let allHeaders = [
            ("if-match", "x"), ("X-Firebase-ETag", "true"), ("if-none-match", "null_etag"), ("Host", "a.b:1"),
            ("Authorization", "Bearer owner"), ("Authorization", "x"), ("X-HTTP-Method-Override", "patch"),
        ]
        for seed in UInt64(1)...3000 {
            var random = SeededGenerator(seed: seed)
            let count = Int.random(in: 0...10, using: &random)
            let target = (0..<count).map { _ in parts.randomElement(using: &random) ?? "" }
            let headers = allHeaders.filter { _ in Int.random(in: 0..<6, using: &random) == 0 }
            let response = client.server.answerDatabase(
                methods.randomElement(using: &random) ?? "GET", "/" + target.joined(), headers: headers,
                body: Array((bodies.randomElement(using: &random) ?? "").utf8)
            ).response
            XCTAssertTrue((200..<500).contains(response.status), "seed \(seed): \(target.joined()) \(response.status)")
        }
    }
}
