/// Texts as parts of a URL.
public enum PercentEncoding {
    /// Percent-encodes everything but the unreserved characters of RFC 3986; and the dots of "." and "..", which as
    /// parts of a path would mean this level and the one above.
    public static func escape(_ text: String) -> String {
        if text == "." || text == ".." { return text == "." ? "%2E" : "%2E%2E" }
        var result: [UInt8] = []
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                result.append(byte)
            default:
                let digits = Array("0123456789ABCDEF".utf8)
                result += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Whether one of the parts of a path was made of such a text. Encoded dots may be taken for plain ones by whatever
    /// stands between us and the service.
    public static func hasDots(path: String) -> Bool {
        path.utf8.split(separator: UInt8(ascii: "/")).contains {
            $0.elementsEqual("%2E".utf8) || $0.elementsEqual("%2E%2E".utf8)
        }
    }
}
