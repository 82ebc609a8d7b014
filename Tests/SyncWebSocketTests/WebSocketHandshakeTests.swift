import XCTest

@testable import SyncWebSocket

final class WebSocketHandshakeTests: XCTestCase {
    /// The example of RFC 6455 §1.3.
    private let key = "dGhlIHNhbXBsZSBub25jZQ=="
    private let accept = "s3pPLMBiTxaQ9kYGzzhZRbK+xOo="

    private func hex(_ bytes: [UInt8]) -> String {
        bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    }

    func testSHA1() {
        // RFC 3174 and FIPS 180 examples, and lengths around the padding's edges against `sha1sum`.
        XCTAssertEqual(hex(SHA1.digest(Array("abc".utf8))), "a9993e364706816aba3e25717850c26c9cd0d89d")
        XCTAssertEqual(hex(SHA1.digest([])), "da39a3ee5e6b4b0d3255bfef95601890afd80709")
        XCTAssertEqual(
            hex(SHA1.digest(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))),
            "84983e441c3bd26ebaae4aa1f95129e5e54670f1")
        XCTAssertEqual(
            hex(SHA1.digest([UInt8](repeating: UInt8(ascii: "a"), count: 55))),
            "c1c8bbdc22796e28c0e15163d20899b65621d65a")
        XCTAssertEqual(
            hex(SHA1.digest([UInt8](repeating: UInt8(ascii: "a"), count: 64))),
            "0098ba824b5c16427bd7a1122a5a442a25ec644d")
        XCTAssertEqual(
            hex(SHA1.digest([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))),
            "34aa973cd4c4daa4f61eeb2bdbad27316534016f")
    }

    func testBase64() {
        for (plain, coded) in [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            XCTAssertEqual(Base64.encode(Array(plain.utf8)), coded)
            XCTAssertEqual(Base64.decodedCount(coded), plain.utf8.count)
        }
        XCTAssertEqual(Base64.encode([0xFB, 0xFF, 0xBF]), "+/+/")
        for bad in ["Zg=", "Z===", "Zm9v!A==", "Zm 9", "====", "Zg==Zg=="] {
            XCTAssertNil(Base64.decodedCount(bad), bad)
        }
    }

    func testAcceptValueAndKeys() throws {
        XCTAssertEqual(WebSocketHandshake.acceptValue(forKey: key), accept)
        let first = try XCTUnwrap(WebSocketHandshake.freshKey())
        XCTAssertTrue(WebSocketHandshake.isValidKey(first))
        XCTAssertNotEqual(first, WebSocketHandshake.freshKey())
        for bad in ["", "abc", "dGhlIHNhbXBsZSBub25jZQ", "dGhlIHNhbXBsZSBub25jZQ==\r\nX: y"] {
            XCTAssertFalse(WebSocketHandshake.isValidKey(bad))
        }
    }

    func testRequestHead() throws {
        let head = try XCTUnwrap(
            WebSocketHandshake.request(
                host: "127.0.0.1:81", target: "/?p=JS&ai=A%20B", key: key, headers: [("SENDBIRD-WS-TOKEN", "t")]))
        XCTAssertEqual(
            String(decoding: head, as: UTF8.self),
            "GET /?p=JS&ai=A%20B HTTP/1.1\r\nHost: 127.0.0.1:81\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                + "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: \(key)\r\nSENDBIRD-WS-TOKEN: t\r\n\r\n")
    }

    func testRequestRefusesSmuggledBytes() {
        for target in ["", "x", "/a b", "/a\r\nX: y", "/ü"] {
            XCTAssertNil(WebSocketHandshake.request(host: "h", target: target, key: key, headers: []), target)
        }
        for host in ["", "h\r\nX: y", "h h"] {
            XCTAssertNil(WebSocketHandshake.request(host: host, target: "/", key: key, headers: []), host)
        }
        for (name, value) in [("a b", "c"), ("", "c"), ("a:", "c"), ("a", "b\r\nc: d"), ("a", "b\0")] {
            XCTAssertNil(
                WebSocketHandshake.request(host: "h", target: "/", key: key, headers: [(name, value)]), name)
        }
    }

    private func outcome(of head: String) -> WebSocketHandshakeReader.Outcome {
        var reader = WebSocketHandshakeReader(key: key)
        return reader.receive(Array(head.utf8))
    }

    func testOwnResponseIsAcceptedByteByByte() throws {
        let head = try XCTUnwrap(WebSocketHandshake.response(forKey: key, headers: [("Server", "x")]))
        var reader = WebSocketHandshakeReader(key: key)
        for byte in head.dropLast() { XCTAssertEqual(reader.receive([byte]), .incomplete) }
        XCTAssertEqual(reader.receive([10, 0x81, 0]), .accepted(rest: [0x81, 0]))
    }

    func testOtherSpellingsAreAccepted() {
        XCTAssertEqual(
            outcome(
                of: "HTTP/1.1 101\r\nconnection: keep-alive, UPGRADE\r\nupgrade:WebSocket \r\n"
                    + "SEC-WEBSOCKET-ACCEPT:\t\(accept) \r\n\r\nrest"),
            .accepted(rest: Array("rest".utf8)))
    }

    func testRefusals() {
        XCTAssertEqual(
            outcome(of: "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno"), .refused(status: 401))
        XCTAssertEqual(outcome(of: "HTTP/1.1 429\r\n\r\n"), .refused(status: 429))
        XCTAssertEqual(outcome(of: "HTTP/1.1 200 OK\r\n\r\n"), .refused(status: 200))
    }

    func testInvalidAnswers() {
        let upgrade = "Upgrade: websocket\r\n"
        let connection = "Connection: Upgrade\r\n"
        let proof = "Sec-WebSocket-Accept: \(accept)\r\n"
        let status = "HTTP/1.1 101 Switching Protocols\r\n"
        let bad = [
            "HTTP/1.0 101 Switching Protocols\r\n" + upgrade + connection + proof,
            "HTTP/2 101\r\n" + upgrade + connection + proof,
            "HTTP/1.1 1x1 S\r\n" + upgrade + connection + proof,
            "HTTP/1.1 1010 S\r\n" + upgrade + connection + proof,
            "HTTP/1.1 099 S\r\n" + upgrade + connection + proof,
            "SSH-2.0-OpenSSH\r\n",
            status + connection + proof,
            status + upgrade + proof,
            status + upgrade + connection,
            status + upgrade + "Upgrade: h2c\r\n" + connection + proof,
            status + upgrade + connection + proof + proof,
            status + upgrade + connection + "Sec-WebSocket-Accept: AAAA\r\n",
            status + upgrade + connection + proof + "Sec-WebSocket-Extensions: permessage-deflate\r\n",
            status + upgrade + connection + proof + "Sec-WebSocket-Protocol: chat\r\n",
            status + upgrade + connection + proof + " folded\r\n",
            status + upgrade + connection + proof + "no colon\r\n",
            status + upgrade + connection + proof + "A : b\r\n",
            status + upgrade + connection + proof + "A: b\u{1}\r\n",
            status + upgrade + connection + proof + "A: b\nB: c\r\n",
            status + upgrade + connection + proof + "A: b\rB: c\r\n",
        ]
        for head in bad {
            guard case .invalid = outcome(of: head + "\r\n") else {
                XCTFail(head)
                continue
            }
        }
    }

    func testEndlessHeadIsGivenUp() {
        var reader = WebSocketHandshakeReader(key: key)
        let line = Array(("X: " + String(repeating: "a", count: 1000) + "\r\n").utf8)
        XCTAssertEqual(reader.receive(Array("HTTP/1.1 101 S\r\n".utf8)), .incomplete)
        var lines = 0
        while reader.receive(line) == .incomplete { lines += 1 }
        XCTAssertLessThan(lines * line.count, WebSocketHandshakeReader.headLimit)
    }
}
