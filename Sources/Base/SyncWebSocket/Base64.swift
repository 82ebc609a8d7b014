/// Base64 with padding (RFC 4648 §4), in which the WebSocket handshake writes its key and proof.
public enum Base64 {
    private static let alphabet = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

    /// `bytes` as base64 text.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let count = min(3, bytes.count - start)
            var group: UInt32 = 0
            for index in 0..<3 { group = group << 8 | (index < count ? UInt32(bytes[start + index]) : 0) }
            for index in 0..<4 {
                let sextet = Int(group >> UInt32(18 - index * 6) & 63)
                text.append(index <= count ? alphabet[sextet] : UInt8(ascii: "="))
            }
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// How many bytes canonical base64 text stands for; `nil` if it is not that.
    static func decodedCount(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        let padding = bytes.reversed().prefix { $0 == UInt8(ascii: "=") }.count
        guard bytes.count % 4 == 0, padding <= 2 else { return nil }
        guard bytes.dropLast(padding).allSatisfy(alphabet.contains) else { return nil }
        return bytes.count / 4 * 3 - padding
    }
}
