import SyncTree
import TestSupport
import XCTest

@testable import SyncRealtime

final class EventStreamParserTests: XCTestCase {
    private typealias Frame = EventStreamParser.Frame

    private func frames(_ text: String, pieces: [Int] = []) throws -> [Frame] {
        var parser = EventStreamParser()
        var bytes = Array(text.utf8)
        var result: [Frame] = []
        for count in pieces {
            result += try parser.feed(Array(bytes.prefix(count)))
            bytes.removeFirst(min(count, bytes.count))
        }
        return try result + parser.feed(bytes)
    }

    func testFramesAndLineEnds() throws {
        let expected = [
            Frame(name: "put", data: Array("{\"é\":1}".utf8)), Frame(name: "", data: Array("a\nb".utf8)),
            Frame(name: "x", data: []),
        ]
        for end in ["\n", "\r", "\r\n"] {
            let text = [
                "event: put", "data:{\"é\":1}", "", ": comment", "retry: 5", "unknown", "data: a", "data: b", "",
                "event: none", "", "event:x", "data", "", "data: half",
            ].joined(separator: end)
            XCTAssertEqual(try frames(text), expected, "\(end.debugDescription)")
            for seed in UInt64(1)...50 {
                var random = SeededGenerator(seed: seed)
                let pieces = (0..<12).map { _ in Int.random(in: 0...9, using: &random) }
                XCTAssertEqual(try frames(text, pieces: pieces), expected, "seed \(seed)")
            }
        }
    }

    func testAFrameWithoutEndIsNotKept() throws {
        var parser = EventStreamParser(limit: 100)
        XCTAssertEqual(try parser.feed(Array(repeating: 0x61, count: 100)), [])
        XCTAssertThrowsError(try parser.feed([0x61]))
        var lines = EventStreamParser(limit: 100)
        XCTAssertThrowsError(try lines.feed(Array(String(repeating: "data: xxxxxxxxxx\n", count: 20).utf8)))
        var named = EventStreamParser(limit: 100)
        XCTAssertEqual(try named.feed(Array("event: \(String(repeating: "n", count: 80))\n: comment\n".utf8)), [])
        XCTAssertEqual(named.heldBytes, 80)
        XCTAssertThrowsError(try named.feed(Array("data: \(String(repeating: "x", count: 20))\n".utf8)))
    }

    func testEvents() throws {
        func event(_ name: String, _ data: String) throws -> StreamEvent? {
            try StreamEvent(Frame(name: name, data: Array(data.utf8)))
        }
        let one = TreeNode(.integer(1))
        XCTAssertEqual(try event("put", #"{"path":"/a/b","data":1}"#), .put(try TreePath("a/b"), one))
        XCTAssertEqual(
            try event("patch", #"{"path":"/a","data":{"b/c":1,"d":null}}"#),
            .patch([
                TreeWrite(path: try TreePath("a/b/c"), node: one), TreeWrite(path: try TreePath("a/d"), node: .empty),
            ]))
        XCTAssertEqual(try event("keep-alive", "null"), .keepAlive)
        XCTAssertEqual(try event("cancel", "null"), .cancelled("the rules do not allow it any more"))
        XCTAssertEqual(try event("cancel", #""why""#), .cancelled("why"))
        XCTAssertEqual(try event("auth_revoked", "credential is no longer valid"), .revoked)
        XCTAssertNil(try event("rules_debug", "x"))
        let broken = [
            ("put", "null"), ("put", "{"), ("put", #"{"path":"a.b","data":1}"#), ("patch", #"{"path":"/"}"#),
            ("patch", #"{"path":"/","data":1}"#), ("put", #"{"path":"/","data":{"$":1}}"#),
        ]
        for (name, data) in broken {
            XCTAssertThrowsError(try event(name, data), data)
        }
    }
}
