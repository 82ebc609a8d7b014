import XCTest

@testable import SyncNetwork

final class WebSocketURLTests: XCTestCase {
    func testParts() throws {
        let cases: [(String, String, String, String)] = [
            ("ws://h", "http://h/", "h", "/"),
            ("wss://h:8443/", "https://h:8443/", "h:8443", "/"),
            ("wss://h?p=JS&x=/y", "https://h/", "h", "/?p=JS&x=/y"),
            ("ws://[::1]:80/a%2Fb//c?d=%20#e", "http://[::1]:80/", "[::1]:80", "/a%2Fb//c?d=%20"),
            ("ws://h#f", "http://h/", "h", "/"),
        ]
        for (url, connect, host, target) in cases {
            let parts = try XCTUnwrap(WebSocketURL(url), url)
            XCTAssertEqual(parts.connectURL, connect)
            XCTAssertEqual(parts.host, host)
            XCTAssertEqual(parts.target, target)
        }
    }

    func testNoWebSocketURLs() {
        let bad = [
            "", "ws:", "ws://", "ws:///a", "ws://?a", "http://h", "WS://h", "wss//h", "ws://a@h", "ws://h h", "ws://ü",
        ]
        for url in bad {
            XCTAssertNil(WebSocketURL(url), url)
        }
    }
}
