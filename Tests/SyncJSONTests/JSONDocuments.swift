import SyncJSON
import TestSupport

/// Random documents, their texts with random white space and escapes, and broken copies of them. One seed repeats all.
struct JSONDocuments {
    private var random: SeededGenerator

    init(seed: UInt64) { random = SeededGenerator(seed: seed) }

    private mutating func below(_ bound: Int) -> Int { random.below(bound) }

    private static let scalars: [Unicode.Scalar] = [
        "a", "Z", "0", " ", "\"", "\\", "/", "{", "]", ":", ",", "\n", "\t", "\r", "\u{8}", "\u{C}", "\u{1F}", "\u{7F}",
        "\u{80}", "é", "\u{7FF}", "\u{800}", "€", "\u{D7FF}", "\u{E000}", "\u{FFFF}", "\u{10000}", "😀", "\u{10FFFF}",
    ]

    private mutating func string() -> String {
        var result = String.UnicodeScalarView()
        for _ in 0..<below(8) { result.append(Self.scalars[below(Self.scalars.count)]) }
        return String(result)
    }

    /// A random value, at most four levels deep.
    mutating func document(depth: Int) -> JSON {
        switch below(depth < 4 ? 10 : 6) {
        case 0: return .null
        case 1: return .bool(below(2) == 0)
        case 2: return .int(Int64(bitPattern: random.next() >> UInt64(below(64))))
        case 3: return .real(Double(below(2_000_001) - 1_000_000) / 64)
        case 4, 5: return .string(string())
        case 6, 7:
            let array = JSON.array()
            for _ in 0..<below(5) { array.append(document(depth: depth + 1)) }
            return array
        default:
            let object = JSON.object()
            for _ in 0..<below(5) { object.set(string(), document(depth: depth + 1)) }
            return object
        }
    }

    /// The text of a random document, written in one of the many ways there are.
    mutating func text() -> [UInt8] {
        var text: [UInt8] = []
        write(document(depth: 0), into: &text)
        return text
    }

    private mutating func space(_ text: inout [UInt8]) {
        for _ in 0..<max(0, below(6) - 3) { text.append([0x20, 0x09, 0x0A, 0x0D][below(4)]) }
    }

    private mutating func write(_ document: JSON, into text: inout [UInt8]) {
        space(&text)
        switch document.kind {
        case .object:
            text.append(UInt8(ascii: "{"))
            var isFirst = true
            for (key, value) in document.members ?? [] {
                if !isFirst { text.append(UInt8(ascii: ",")) }
                isFirst = false
                space(&text)
                quote(key, into: &text)
                space(&text)
                text.append(UInt8(ascii: ":"))
                write(value, into: &text)
            }
            space(&text)
            text.append(UInt8(ascii: "}"))
        case .array:
            text.append(UInt8(ascii: "["))
            var isFirst = true
            for value in document.array ?? [] {
                if !isFirst { text.append(UInt8(ascii: ",")) }
                isFirst = false
                write(value, into: &text)
            }
            space(&text)
            text.append(UInt8(ascii: "]"))
        case .string: quote(document.string ?? "", into: &text)
        default: text += document.serialized()
        }
        space(&text)
    }

    private mutating func quote(_ string: String, into text: inout [UInt8]) {
        text.append(UInt8(ascii: "\""))
        for scalar in string.unicodeScalars {
            let mustEscape = scalar.value < 0x20 || scalar == "\"" || scalar == "\\"
            if mustEscape || below(4) == 0 {
                for unit in String(scalar).utf16 {
                    let digits = String(unit, radix: 16, uppercase: below(2) == 0)
                    text += Array(("\\u" + String(repeating: "0", count: 4 - digits.utf8.count) + digits).utf8)
                }
            } else {
                text += Array(String(scalar).utf8)
            }
        }
        text.append(UInt8(ascii: "\""))
    }

    private static let pieces = [
        "\"", "\\", "\\u", "\\ud800", "\\udc00", "\\n", "{", "}", "[", "]", ",", ":", "true", "null", "0", "-", ".",
        "e", "E+", "9223372036854775808", "\u{0}", " ", "\n", "é", "😀", "/", "1e400",
    ].map { Array($0.utf8) }

    /// A copy with one to three wounds: a byte changed, some taken out, doubled or put in, or the end cut off.
    mutating func mutated(_ text: [UInt8]) -> [UInt8] {
        var result = text
        for _ in 0...below(3) {
            let at = below(result.count + 1)
            let end = min(result.count, at + 1 + below(3))
            switch below(6) {
            case 0: if at < result.count { result[at] = UInt8(truncatingIfNeeded: random.next()) }
            case 1: if at < result.count { result[at] ^= 1 << UInt8(below(8)) }
            case 2: result.removeSubrange(at..<end)
            case 3: result.insert(contentsOf: result[at..<end], at: at)
            case 4: result.insert(contentsOf: Self.pieces[below(Self.pieces.count)], at: at)
            default: if below(4) == 0 { result.removeSubrange(at...) }
            }
        }
        return result
    }
}
