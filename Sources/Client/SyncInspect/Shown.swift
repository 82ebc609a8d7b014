import SyncBytes

/// How values are shown, in text and in HTML.
enum Shown {
    /// A text from the file without characters that a terminal takes for commands or that change the direction of
    /// letters (docs/display.md), and with `most` characters at most.
    static func text(_ text: String, most: Int = 80) -> String {
        var result = String.UnicodeScalarView()
        var count = 0
        for letter in text.unicodeScalars where !isControl(letter) {
            if count == most {
                result.append("…")
                break
            }
            result.append(letter)
            count += 1
        }
        return String(result)
    }

    private static func isControl(_ letter: Unicode.Scalar) -> Bool {
        switch letter.value {
        case 0x00...0x1F, 0x7F...0x9F, 0x061C, 0x200E, 0x200F, 0x2028...0x202E, 0x2066...0x2069: true
        default: false
        }
    }

    /// For any place in a page of HTML or SVG, also between quotation marks.
    static func escaped(_ text: String) -> String {
        var result = ""
        for letter in text.unicodeScalars {
            switch letter {
            case "&": result += "&amp;"
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "\"": result += "&quot;"
            case "'": result += "&#39;"
            default: result.unicodeScalars.append(letter)
            }
        }
        return result
    }

    /// Milliseconds since the epoch, from 1973 to 2286; any other number as it is. Only some services order messages by
    /// a time.
    static func time(_ milliseconds: Int64) -> String {
        guard (100_000_000_000..<10_000_000_000_000).contains(milliseconds) else { return String(milliseconds) }
        let date = CivilDate(daysSinceEpoch: milliseconds / 86_400_000)
        let seconds = milliseconds / 1000 % 86_400
        return "\(date.year)-\(padded(date.monthOfYear))-\(padded(date.day)) \(padded(seconds / 3600)):"
            + "\(padded(seconds / 60 % 60)):\(padded(seconds % 60)).\(padded(milliseconds % 1000, 3))"
    }

    private static func padded(_ number: Int64, _ digits: Int = 2) -> String {
        let text = String(number)
        return String(repeating: "0", count: max(0, digits - text.utf8.count)) + text
    }

    static func size(_ bytes: Int64) -> String {
        var (unit, rest) = ("B", Double(max(0, bytes)))
        for larger in ["kB", "MB", "GB", "TB"] where rest >= 1000 { (unit, rest) = (larger, rest / 1000) }
        return (unit == "B" ? String(bytes) : fixed(rest)) + " " + unit
    }

    /// With one digit behind the point; a number that is too large is shown as the largest.
    static func fixed(_ number: Double) -> String {
        let tenths = Int64(min(max(number.isNaN ? 0 : number * 10, -1e15), 1e15).rounded())
        return "\(tenths < 0 ? "-" : "")\(tenths.magnitude / 10).\(tenths.magnitude % 10)"
    }

    static func count(_ number: Int64, _ one: String, _ many: String) -> String {
        "\(number) \(number == 1 ? one : many)"
    }
}
