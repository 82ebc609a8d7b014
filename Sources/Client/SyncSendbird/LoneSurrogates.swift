import Glibc
import SyncBytes

/// Half an emoji: `\ud83d` without its other half.
///
/// Senders that cut texts by UTF-16 units produce such escapes, RFC 8259 lets them pass, and readers disagree about
/// them: jansson and many hosts' parsers refuse the whole document. They become U+FFFD before anything else reads the
/// text, so that one bad letter costs no page, and what is cached can be read by every host.
enum LoneSurrogates {
    /// The text with every lone surrogate replaced; the text itself, uncopied, in the usual case that has none.
    static func replaced(in text: [UInt8]) -> [UInt8] {
        let places = find(text)
        guard !places.isEmpty else { return text }
        var result = text
        for place in places { result.replaceSubrange(place..<(place + 6), with: "\\ufffd".utf8) }
        return result
    }

    /// Where the escapes begin.
    private static func find(_ text: [UInt8]) -> [Int] {
        text.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return [] }
            var places: [Int] = []
            /// Where the escape of a high half began whose low half has to follow.
            var high: Int?
            var index = 0
            // A backslash stands nowhere else in JSON than before an escape.
            while index < bytes.count, let found = memchr(base + index, 0x5C, bytes.count - index) {
                index = base.distance(to: UnsafeRawPointer(found))
                let half = surrogate(bytes, index)
                if let start = high, half != .low || start + 6 != index { places.append(start) }
                switch half {
                case .high?: high = index
                case .low?:
                    if high.map({ $0 + 6 != index }) ?? true { places.append(index) }
                    high = nil
                case nil: high = nil
                }
                index += half == nil ? 2 : 6
            }
            if let high { places.append(high) }
            return places
        }
    }

    private enum Half { case high, low }

    private static func surrogate(_ bytes: UnsafeRawBufferPointer, _ index: Int) -> Half? {
        guard index + 6 <= bytes.count, bytes[index + 1] == UInt8(ascii: "u"),
            bytes[index + 2] | 0x20 == UInt8(ascii: "d"), Hex.value(bytes[index + 4]) != nil,
            Hex.value(bytes[index + 5]) != nil
        else { return nil }
        switch bytes[index + 3] | 0x20 {
        case UInt8(ascii: "8"), UInt8(ascii: "9"), UInt8(ascii: "a"), UInt8(ascii: "b"): return .high
        case UInt8(ascii: "c")...UInt8(ascii: "f"): return .low
        default: return nil
        }
    }
}
