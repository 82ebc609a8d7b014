/// JSON text for reading: a line for each member and element.
enum PrettyJSON {
    /// The text with line feeds and indents; it is valid JSON without any white space between its parts.
    static func text(_ json: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        result.reserveCapacity(json.count * 2)
        var depth = 0
        var isInString = false
        var isEscaped = false
        for (place, byte) in json.enumerated() {
            if isInString {
                result.append(byte)
                if isEscaped {
                    isEscaped = false
                } else if byte == UInt8(ascii: "\\") {
                    isEscaped = true
                } else if byte == UInt8(ascii: "\"") {
                    isInString = false
                }
                continue
            }
            let next = place + 1 < json.count ? json[place + 1] : 0
            let previous = place > 0 ? json[place - 1] : 0
            switch byte {
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                result.append(byte)
                if next != byte + 2 { newLine(&result, depth) }
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if previous != byte - 2 { newLine(&result, depth) }
                result.append(byte)
            case UInt8(ascii: ","):
                result.append(byte)
                newLine(&result, depth)
            case UInt8(ascii: ":"): result += Array(" : ".utf8)
            default:
                isInString = byte == UInt8(ascii: "\"")
                result.append(byte)
            }
        }
        return result
    }

    private static func newLine(_ text: inout [UInt8], _ depth: Int) {
        text.append(0x0A)
        text += [UInt8](repeating: 0x20, count: max(0, depth) * 2)
    }
}
