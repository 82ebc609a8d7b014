/// Bytes as hexadecimal digits, and back.
public enum Hex {
    /// The digit of a number below 16, in lower case. A larger number is reduced to its lower four bits.
    @inlinable
    public static func digit(_ number: UInt8) -> UInt8 {
        let number = number & 15
        return number < 10 ? UInt8(ascii: "0") &+ number : UInt8(ascii: "a") &+ number &- 10
    }

    /// The same digit in upper case.
    @inlinable
    public static func upperDigit(_ number: UInt8) -> UInt8 {
        let number = number & 15
        return number < 10 ? UInt8(ascii: "0") &+ number : UInt8(ascii: "A") &+ number &- 10
    }

    /// The number that a digit of either case stands for; `nil` for any other byte.
    @inlinable
    public static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): digit &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }

    /// Two digits in lower case for each byte.
    public static func text(_ bytes: some Sequence<UInt8>) -> String {
        String(decoding: bytes.flatMap { [digit($0 >> 4), digit($0)] }, as: UTF8.self)
    }

    /// The bytes for a text of hexadecimal digits; `nil` when their number is odd, or the text has anything else.
    public static func bytes(_ text: String) -> [UInt8]? {
        guard text.utf8.count % 2 == 0 else { return nil }
        var result: [UInt8] = []
        var high: UInt8?
        for byte in text.utf8 {
            guard let value = value(byte) else { return nil }
            if let first = high {
                result.append(first << 4 | value)
                high = nil
            } else {
                high = value
            }
        }
        return result
    }
}
