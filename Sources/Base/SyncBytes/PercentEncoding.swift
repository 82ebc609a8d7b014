/// Texts as parts of a URL, or of a file's name.
///
/// A target is taken apart before its parts are decoded, so that an encoded slash, ampersand or comma stays part of the
/// value that it belongs to.
public enum PercentEncoding {
    /// Percent-encodes everything but the unreserved characters of RFC 3986; and the dots of "." and "..", which as
    /// parts of a path would mean this level and the one above.
    public static func escape(_ text: String) -> String {
        if text == "." || text == ".." { return text == "." ? "%2E" : "%2E%2E" }
        return escape(text, keeping: "-._~")
    }

    /// Percent-encodes everything but ASCII letters, ASCII digits and the ASCII characters of `kept`.
    public static func escape(_ text: String, keeping kept: StaticString) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(text.utf8.count)
        kept.withUTF8Buffer { kept in
            for byte in text.utf8 {
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"):
                    result.append(byte)
                case _ where kept.contains(byte): result.append(byte)
                default:
                    result.append(UInt8(ascii: "%"))
                    result.append(Hex.upperDigit(byte >> 4))
                    result.append(Hex.upperDigit(byte))
                }
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

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
                if next != bytes.endIndex, let high = Hex.value(bytes[index]), let low = Hex.value(bytes[next]) {
                    result.append(high << 4 | low)
                    index = bytes.index(after: next)
                    continue
                }
            }
            result.append(plusIsSpace && byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether one of the parts of a path is an escaped "." or "..". A proxy in front of the service may take encoded
    /// dots for plain ones.
    public static func hasDots(path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains {
            $0.elementsEqual("%2E".utf8) || $0.elementsEqual("%2E%2E".utf8)
        }
    }
}
