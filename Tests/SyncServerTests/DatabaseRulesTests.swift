import Foundation
import SyncServer
import TestSupport
import XCTest

/// Security rules, asked through requests.
final class DatabaseRulesTests: XCTestCase {
    private func client() throws -> DatabaseClient {
        DatabaseClient(server: try InProcessServer(ServerOptions(), time: 1_700_000_000_000, seed: 1))
    }

    /// The client as the rules see it with this `auth`.
    private func client(as auth: String, _ client: DatabaseClient) -> DatabaseClient {
        var other = client
        let encoded = auth.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? ""
        other.parameters = "ns=test&auth=owner&auth_variable_override=\(encoded)"
        return other
    }

    func testExpressions() throws {
        let client = try client()
        client.put("", #"{"n":5,"s":"x","t":true,"o":{"k":1},"list":{"ann":true}}"#)
        let ann = #"{"uid":"ann","admin":true,"token":{"level":3}}"#
        let cases: [(rule: String, ann: Bool, nobody: Bool)] = [
            ("true", true, true), ("false", false, false), ("auth != null", true, false),
            ("auth === null", false, true),
            ("auth.uid === 'ann'", true, false), ("auth.uid == \"ann\" && auth.admin == true", true, false),
            ("auth.admin", true, false), ("!auth.admin", false, false), ("!(auth != null)", false, true),
            ("auth.token.level >= 3", true, false), ("auth.token.level < 3", false, false),
            ("auth.token.level > '2'", false, false), ("auth.missing == null", true, false),
            ("auth == null || auth.uid == 'ann'", true, true), ("auth.uid == 'ann' || true", true, true),
            ("now > 1600000000000 && now < 1.8e12", false, false), ("now > 1600000000000", true, true),
            ("root.child('n').val() === 5", true, true), ("root.child('list').child(auth.uid).exists()", true, false),
            ("root.child('list/' == 'x')", false, false), ("root.child('o').hasChildren()", true, true),
            ("root.hasChild('o/k')", true, true), ("root.child('o').hasChild('z')", false, false),
            ("root.child('s').isString() && root.child('n').isNumber() && root.child('t').isBoolean()", true, true),
            ("data.parent().child('t').val()", true, true), ("data.val() == null", true, true),
            ("root.parent().exists()", false, false), ("'b' > 'a' && 2 <= 2 && -1 < 0", true, true),
            ("'a' == \"a\" && '\u{E9}' != 'e\u{301}'", true, true), ("1 == '1'", false, false),
            ("((((true))))", true, true),
            ("!!true", true, true), ("true != false", true, true), ("auth.uid.length == 3", false, false),
        ]
        for (rule, isAnn, isNobody) in cases {
            let quoted = rule.replacingOccurrences(of: "\"", with: "\\\"")
            let rules = #"{"rules":{"place":{".read":"\#(quoted)"}}}"#
            let set = client.call("PUT", ".settings/rules", rules)
            if set.status != 200 {
                // Refused when it is set: nobody gets in by it either.
                XCTAssertEqual([isAnn, isNobody], [false, false], rule + ": " + set.text)
                continue
            }
            XCTAssertEqual(self.client(as: ann, client).call("GET", "place").status, isAnn ? 200 : 401, rule)
            XCTAssertEqual(self.client(as: "null", client).call("GET", "place").status, isNobody ? 200 : 401, rule)
        }
    }

    func testGrantsCascadeAndVariablesBind() throws {
        let client = try client()
        client.setRules(
            #"""
            {"users":{"$uid":{".write":"$uid === auth.uid","name":{".read":true},"posts":{"$p":{".read":"$p == $uid"}}},
            "public":{".read":true,"secret":{".read":false}}},"log":{".write":"!data.exists() && newData.isString()"}}
            """#)
        let ann = self.client(as: #"{"uid":"ann"}"#, client)
        for (method, path, isAllowed) in [
            ("PUT", "users/ann", true), ("PUT", "users/ann/deep/er", true), ("PUT", "users/bob", false),
            ("PUT", "users", false), ("PUT", "", false), ("GET", "users/bob/name", true), ("GET", "users/bob", false),
            ("GET", "users/public/secret/deep", true), ("GET", "users/ann/posts/ann", true),
            ("GET", "users/ann/posts/bob", false), ("GET", "nowhere", false), ("DELETE", "users/bob", false),
            ("POST", "users/ann/posts", true), ("POST", "users/bob/posts", false),
        ] {
            XCTAssertEqual(ann.call(method, path, "1").status, isAllowed ? 200 : 401, "\(method) \(path)")
        }
        // Each path of an update is asked for, and nothing is written when one is refused.
        XCTAssertEqual(ann.call("PATCH", "users", #"{"ann/a":1,"bob/a":1}"#).status, 401)
        XCTAssertEqual(ann.call("PATCH", "users", #"{"ann/a":1,"ann/b":2}"#).status, 200)
        XCTAssertEqual(client.get("users/bob"), "null")
        XCTAssertEqual(ann.call("PUT", "log", "5").status, 401)
        XCTAssertEqual(ann.call("PUT", "log", #""x""#).status, 200)
        XCTAssertEqual(ann.call("PUT", "log", #""y""#).status, 401)
        // if-match tells what is there, so it must be readable.
        XCTAssertEqual(ann.call("PUT", "users/ann", "1", headers: [("if-match", "x")]).status, 401)
        XCTAssertEqual(ann.call("GET", ".settings/rules").status, 401)
        var guest = client
        guest.parameters = "ns=test&auth_variable_override=null"
        XCTAssertEqual(guest.call("GET", "users/bob/name").status, 401, "only the administration may be somebody else")
    }

    /// Who may only write learns nothing of what is there: neither the sum of an increment, nor the name of the value.
    func testWritingAloneRevealsNothing() throws {
        let client = try client()
        client.put("", #"{"box":{"n":41,"open":7},"log":{}}"#)
        client.setRules(
            #"{"box":{".write":true,"open":{".read":true}},"log":{".write":true},"both":{".read":true,".write":true}}"#)
        let guest = self.client(as: "null", client)
        let tag = [("X-Firebase-ETag", "true")]
        let one = #"{".sv":{"increment":1}}"#
        for (method, path, body) in [
            ("PUT", "box/n", #"{".sv":{"increment":0}}"#), ("PUT", "box/n", one), ("PUT", "box", #"{"n":\#(one)}"#),
            ("PATCH", "box", #"{"n": \#(one)}"#), ("PATCH", "", #"{"box/open":\#(one),"box/n":\#(one)}"#),
            ("PUT", "box/open", one), ("PUT", "log/t", #"{".sv":"timestamp"}"#), ("PUT", "both/n", one),
        ] {
            var answers: [String] = []
            for present in ["41", "1041", "\"x\"", "null"] {
                for place in ["box/n", "box/open", "both/n"] { client.put(place, present) }
                let reply = guest.call(method, path, body, headers: tag)
                XCTAssertEqual(reply.status, 200, "\(method) \(path)")
                answers.append(reply.text + " " + (reply.headers["ETag"] ?? "no tag"))
                XCTAssertEqual(guest.call(method, path + "?print=silent", body).text, "")
            }
            let isRead = path == "box/open" || path == "both/n"
            XCTAssertEqual(Set(answers).count, isRead ? 3 : 1, "\(method) \(path): \(answers)")
            // It is what was sent.
            if !isRead { XCTAssertEqual(answers[0], body + " no tag", "\(method) \(path)") }
        }
        // What is written comes of it all the same.
        client.put("box/n", "41")
        XCTAssertEqual(guest.call("PUT", "box/n", one).status, 200)
        XCTAssertEqual(client.get("box/n"), "42")
        XCTAssertEqual(guest.call("PUT", "box/open", one, headers: tag).headers["ETag"]?.isEmpty, false)
        // Nothing else tells: conditions, removals and pushes.
        for condition in [("if-match", "null_etag"), ("if-match", "x"), ("if-none-match", "x")] {
            let method = condition.0 == "if-match" ? "PUT" : "GET"
            XCTAssertEqual(guest.call(method, "box/n", "1", headers: [condition]).status, 401, "\(condition)")
        }
        XCTAssertEqual(guest.call("DELETE", "box/n", headers: [("if-match", "x")] + tag).status, 401)
        XCTAssertEqual(client.get("box/n"), "42")
        let removed = guest.call("DELETE", "box/n", headers: tag)
        XCTAssertEqual([removed.text, removed.headers["ETag"]], ["null", nil])
        let pushed = guest.call("POST", "log", one, headers: tag)
        XCTAssertTrue(pushed.text.hasPrefix("{\"name\":"), pushed.text)
        XCTAssertNil(pushed.headers["ETag"])
    }

    func testWrongRulesAreRefusedWithTheirPlace() throws {
        let client = try client()
        client.setRules(#"{".read":true}"#)
        let long = String(repeating: "true||", count: 600) + "true"
        let chain = "auth" + String(repeating: ".a", count: 600)
        let deep = String(repeating: "(", count: 60) + "true" + String(repeating: ")", count: 60)
        for (rules, place) in [
            ("[]", "\"rules\""), (#"{"a":1}"#, "/a "), (#"{"a":{".read":1}}"#, "/a/.read"),
            (#"{".rad":true}"#, "/.rad"),
            (#"{".read":"auth.uid = 'x'"}"#, "at 10"), (#"{".read":"tru"}"#, "unknown name tru at 1"),
            (#"{".read":"newData.exists()"}"#, "newData"), (#"{".read":"data.vals()"}"#, "function vals at 6"),
            (#"{".read":"'x"}"#, "without its end"), (#"{".read":"(true"}"#, "missing )"), (#"{".read":""}"#, "at 1"),
            (#"{".read":"\#(deep)"}"#, "too deeply"), (#"{".read":"\#(long)"}"#, "500 parts"),
            (#"{".read":"\#(chain)"}"#, "500 parts"), (#"{".validate":true}"#, "not served"),
            (#"{"$a":{},"$b":{}}"#, "second variable"), (#"{"$a":{"$a":{}}}"#, "no new name"),
            (#"{".indexOn":[]}"#, "/.indexOn"), (#"{".indexOn":["a",1]}"#, "/.indexOn"),
            (#"{".indexOn":"a.b"}"#, "a.b"),
            (#"{"a/b":{}}"#, "no key"), (#"{".read":"1.2.3"}"#, "wrong number"),
        ] {
            let reply = client.call("PUT", ".settings/rules", #"{"rules":\#(rules)}"#)
            XCTAssertEqual(reply.status, 400, rules)
            XCTAssertTrue(reply.text.contains(place.replacingOccurrences(of: "\"", with: "\\\"")), reply.text)
        }
        for text in ["", "{}", "true", #"{"rules":{},"more":1}"#] {
            XCTAssertEqual(client.call("PUT", ".settings/rules", text).status, 400, text)
        }
        XCTAssertEqual(client.get(".settings/rules"), #"{"rules":{".read":true}}"#)
    }

    func testIndices() throws {
        let client = try client()
        client.setRules(
            #"{".read":true,"d":{".indexOn":["h","r/p"]},"s":{".indexOn":".value"},"$x":{"y":{".indexOn":"z"}}}"#)
        for (path, order, isIndexed) in [
            ("d", "h", true), ("d", "r/p", true), ("d", "r", false), ("d/e", "h", false), ("", "h", false),
            ("s", "$value", true), ("d", "$value", false), ("any/y", "z", true), ("any/w", "z", false),
            ("any", "$key", true), ("any", "$priority", true),
        ] {
            let reply = client.call("GET", "\(path)?orderBy=%22\(order)%22")
            XCTAssertEqual(reply.status, isIndexed ? 200 : 400, "\(path) \(order): \(reply.text)")
        }
        XCTAssertEqual(
            client.get("d/e?orderBy=%22h%22"),
            #"{"error":"Index not defined, add \".indexOn\": \"h\", for path \"/d/e\", to the rules"}"#)
    }

    /// Expressions of all kinds are refused or give an answer; nothing traps.
    func testRandomExpressionsNeverTrap() throws {
        let client = try client()
        let parts = [
            "auth", ".uid", "root", ".child(", "'a'", ")", "(", "!", "&&", "||", "==", "<", "1", "-", ".",
            "$u",
            "data", ".val()", ".parent()", " ", "null", "true", "now", "newData", "\\\"", "é", "[", ".exists()",
        ]
        for seed in UInt64(1)...1500 {
            var random = SeededGenerator(seed: seed)
            let rule =
                (0..<Int.random(
                    in: 1...9,
                    using: &random)).map { _ in parts.randomElement(using: &random) ?? "" }
                .joined()
            let reply = client.call("PUT", ".settings/rules", #"{"rules":{"$u":{".write":"\#(rule)"}}}"#)
            XCTAssertTrue([200, 400].contains(reply.status), "seed \(seed): \(rule)")
            let written = self.client(as: #"{"uid":"ann"}"#, client).call("PUT", "ann/b", "1")
            XCTAssertTrue([200, 401].contains(written.status), "seed \(seed): \(rule)")
        }
    }
}
