/// Percent-decoding of raw request targets. Nothing is decoded before the target is taken apart, so that an encoded
/// slash, ampersand or comma stays part of the value it belongs to.
public enum PercentCoding {
    /// Decodes `%XX`; a percent sign without two digits stays as it is. In queries a plus sign is a space, in paths
    /// not.
    public static func decode(_ bytes: some Collection<UInt8>, plusIsSpace: Bool) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(bytes.count)
        var index = bytes.startIndex
        while index != bytes.endIndex {
            let byte = bytes[index]
            index = bytes.index(after: index)
            if byte == UInt8(ascii: "%"), index != bytes.endIndex {
                let next = bytes.index(after: index)
                if next != bytes.endIndex, let high = digit(bytes[index]), let low = digit(bytes[next]) {
                    result.append(high << 4 | low)
                    index = bytes.index(after: next)
                    continue
                }
            }
            result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
        return String(decoding: result, as: UTF8.self)
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): byte &- UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): byte &- UInt8(ascii: "a") &+ 10
        case UInt8(ascii: "A")...UInt8(ascii: "F"): byte &- UInt8(ascii: "A") &+ 10
        default: nil
        }
    }
}
