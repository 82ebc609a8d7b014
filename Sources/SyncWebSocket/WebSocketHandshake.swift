import CLinux
import Glibc

/// The opening handshake of RFC 6455 §4: what is asked, what must be answered.
public enum WebSocketHandshake {
    /// The answer a server owes to a key: base64 of SHA-1 of the key and the protocol's fixed text.
    public static func acceptValue(forKey key: String) -> String {
        base64(sha1(Array((key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11").utf8)))
    }

    /// A fresh random key; `nil` when the system has no random bytes.
    public static func freshKey() -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        return fillRandom(&bytes) ? base64(bytes) : nil
    }

    /// The client's request head.
    public static func request(host: String, target: String, key: String, headers: [(String, String)]) -> [UInt8] {
        var head = "GET \(target) HTTP/1.1\r\nHost: \(host)\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        head += "Sec-WebSocket-Key: \(key)\r\nSec-WebSocket-Version: 13\r\n"
        for (name, value) in headers { head += "\(name): \(value)\r\n" }
        return Array((head + "\r\n").utf8)
    }

    public enum Answer: Equatable, Sendable {
        /// More bytes are needed.
        case incomplete
        /// The switch is agreed; that many bytes belong to the head.
        case accepted(headLength: Int)
        /// It is no agreement; the HTTP status, 0 when there is none.
        case refused(status: Int)
    }

    /// Reads a server's answer to `key`. Strict: anything but a correct 101 is a refusal.
    public static func answer(_ bytes: [UInt8], key: String) -> Answer {
        guard let end = headEnd(bytes) else { return bytes.count > 65_536 ? .refused(status: 0) : .incomplete }
        let lines = String(decoding: bytes[0..<end], as: UTF8.self).split(separator: "\r\n", omittingEmptySubsequences: true)
        guard let first = lines.first else { return .refused(status: 0) }
        let words = first.split(separator: " ")
        guard words.count >= 2, words[0].hasPrefix("HTTP/1."), let status = Int(words[1]) else { return .refused(status: 0) }
        guard status == 101 else { return .refused(status: status) }
        var values: [String: String] = [:]
        for line in lines.dropFirst() {
            guard let colon = line.firstIndex(of: ":") else { return .refused(status: 0) }
            let value = line[line.index(after: colon)...].drop { $0 == " " || $0 == "\t" }
            values[line[..<colon].lowercased()] = String(value)
        }
        guard values["upgrade"]?.lowercased() == "websocket", values["connection"]?.lowercased().hasSuffix("upgrade") == true,
            values["sec-websocket-accept"] == acceptValue(forKey: key)
        else { return .refused(status: 0) }
        return .accepted(headLength: end)
    }

    private static func headEnd(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        for index in 0...(bytes.count - 4)
        where bytes[index] == 13 && bytes[index + 1] == 10 && bytes[index + 2] == 13 && bytes[index + 3] == 10 {
            return index + 4
        }
        return nil
    }

    /// Fills a buffer with bytes nobody can guess.
    public static func fillRandom(_ bytes: inout [UInt8]) -> Bool {
        var filled = 0
        while filled < bytes.count {
            let got = bytes.withUnsafeMutableBytes { raw -> Int in
                guard let base = raw.baseAddress else { return 0 }
                return getrandom(base + filled, raw.count - filled, 0)
            }
            if got < 0, errno == EINTR { continue }
            guard got > 0 else { return false }
            filled += got
        }
        return true
    }

    static func base64(_ bytes: [UInt8]) -> String {
        let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
        var result: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: 3) {
            let group = bytes[start..<min(start + 3, bytes.count)]
            var bits: UInt32 = 0
            for byte in group { bits = bits << 8 | UInt32(byte) }
            bits <<= UInt32(8 * (3 - group.count))
            for place in 0..<4 {
                let index = Int(bits >> UInt32(18 - 6 * place)) & 63
                result.append(place <= group.count ? letters[index] : UInt8(ascii: "="))
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// SHA-1, which RFC 6455 asks for and neither libcurl nor libwslay offers; nothing here rests on its strength.
    static func sha1(_ message: [UInt8]) -> [UInt8] {
        var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476, 0xC3D2_E1F0]
        var padded = message + [0x80]
        while padded.count % 64 != 56 { padded.append(0) }
        let bitCount = UInt64(message.count) &* 8
        for shift in stride(from: UInt64(56), through: 0, by: -8) { padded.append(UInt8(truncatingIfNeeded: bitCount >> shift)) }
        func rotate(_ value: UInt32, _ by: UInt32) -> UInt32 { value << by | value >> (32 - by) }
        for block in stride(from: 0, to: padded.count, by: 64) {
            var words = [UInt32](repeating: 0, count: 80)
            for index in 0..<16 {
                for byte in 0..<4 { words[index] = words[index] << 8 | UInt32(padded[block + index * 4 + byte]) }
            }
            for index in 16..<80 {
                words[index] = rotate(words[index - 3] ^ words[index - 8] ^ words[index - 14] ^ words[index - 16], 1)
            }
            var (a, b, c, d, e) = (state[0], state[1], state[2], state[3], state[4])
            for index in 0..<80 {
                let mixed: UInt32
                let constant: UInt32
                switch index {
                case 0..<20: (mixed, constant) = (b & c | ~b & d, 0x5A82_7999)
                case 20..<40: (mixed, constant) = (b ^ c ^ d, 0x6ED9_EBA1)
                case 40..<60: (mixed, constant) = (b & c | b & d | c & d, 0x8F1B_BCDC)
                default: (mixed, constant) = (b ^ c ^ d, 0xCA62_C1D6)
                }
                let next = rotate(a, 5) &+ mixed &+ e &+ constant &+ words[index]
                (a, b, c, d, e) = (next, a, rotate(b, 30), c, d)
            }
            for (index, value) in [a, b, c, d, e].enumerated() { state[index] = state[index] &+ value }
        }
        return state.flatMap { word in (0..<4).map { UInt8(truncatingIfNeeded: word >> (24 - 8 * UInt32($0))) } }
    }
}
