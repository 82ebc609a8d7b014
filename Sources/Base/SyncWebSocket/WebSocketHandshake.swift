import SyncBytes

/// The opening handshake of RFC 6455 §4: an HTTP/1.1 request that asks for an upgrade, and the answer that proves the
/// server understood. No extension and no subprotocol is offered.
public enum WebSocketHandshake {
    /// The proof that a server has to give for a client's key: the value of `Sec-WebSocket-Accept`.
    public static func acceptValue(forKey key: String) -> String {
        Base64.encode(SHA1.digest(Array(key.utf8) + Array("258EAFA5-E914-47DA-95CA-C5AB0DC85B11".utf8)))
    }

    /// A fresh random key for a client's request; `nil` if the kernel gives no random bytes.
    public static func freshKey() -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard SystemRandom.fill(&bytes) else { return nil }
        return Base64.encode(bytes)
    }

    /// Fills a buffer with bytes nobody can guess; see `SystemRandom.fill`.
    public static func fillRandom(_ bytes: inout [UInt8]) -> Bool { SystemRandom.fill(&bytes) }

    /// Whether `key` is what a client must send: 16 bytes in base64.
    public static func isValidKey(_ key: String) -> Bool {
        Base64.decodedCount(key) == 16
    }

    /// The client's request head.
    ///
    /// - Parameters:
    ///   - host: the value of `Host`: name or address, and port unless it is the scheme's own.
    ///   - target: path and query, percent-encoded.
    ///   - headers: further fields, sent as they are.
    /// - Returns: `nil` if a part has a byte that HTTP does not allow there, so no header can be injected.
    public static func request(host: String, target: String, key: String, headers: [(String, String)]) -> [UInt8]? {
        guard target.utf8.first == UInt8(ascii: "/"), target.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            return nil
        }
        guard !host.isEmpty, host.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), isValidKey(key) else { return nil }
        return head(
            "GET \(target) HTTP/1.1",
            [
                ("Host", host), ("Upgrade", "websocket"), ("Connection", "Upgrade"), ("Sec-WebSocket-Version", "13"),
                ("Sec-WebSocket-Key", key),
            ] + headers)
    }

    /// The server's answer head that accepts `key`; `nil` if a header holds a byte that HTTP does not allow there.
    public static func response(forKey key: String, headers: [(String, String)] = []) -> [UInt8]? {
        head(
            "HTTP/1.1 101 Switching Protocols",
            [
                ("Upgrade", "websocket"), ("Connection", "Upgrade"),
                ("Sec-WebSocket-Accept", acceptValue(forKey: key)),
            ] + headers)
    }

    private static func head(_ firstLine: String, _ headers: [(String, String)]) -> [UInt8]? {
        var bytes = Array(firstLine.utf8) + [13, 10]
        for (name, value) in headers {
            guard HTTPSyntax.isToken(name.utf8), HTTPSyntax.isFieldValue(value.utf8) else { return nil }
            bytes += Array(name.utf8) + Array(": ".utf8) + Array(value.utf8) + [13, 10]
        }
        return bytes + [13, 10]
    }
}
