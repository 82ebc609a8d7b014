/// Checks that a buffer is one JSON document: RFC 8259 grammar, UTF-8 without surrogates or overlong forms, at most
/// 512 levels deep (jansson's own limit is 2048; no chat service nests so far).
struct JSONValidator {
    private let base: UnsafePointer<UInt8>
    private let count: Int
    private var index = 0

    private static let depthLimit = 512

    init(_ bytes: UnsafeRawBufferPointer) {
        // A null base is only read when count is 0, which `document` refuses first.
        base = UnsafePointer(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? JSONValidator.empty)
        count = bytes.baseAddress == nil ? 0 : bytes.count
    }

    nonisolated(unsafe) private static let empty = UnsafePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

    mutating func document() throws(JSONError) -> UnsafeRawBufferPointer {
        skipSpace()
        let start = index
        try value(depth: 0)
        let end = index
        skipSpace()
        guard index == count else { throw failure("text after the end of the document") }
        return UnsafeRawBufferPointer(start: base + start, count: end - start)
    }

    private func failure(_ message: String) -> JSONError { JSONError(message: message, offset: index) }

    @inline(__always)
    private mutating func skipSpace() {
        while index < count {
            switch base[index] {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            default: return
            }
        }
    }

    private mutating func value(depth: Int) throws(JSONError) {
        guard index < count else { throw failure("the document ends where a value should be") }
        switch base[index] {
        case UInt8(ascii: "{"): try container(depth: depth, object: true)
        case UInt8(ascii: "["): try container(depth: depth, object: false)
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        default: throw failure("unexpected byte where a value should be")
        }
    }

    private mutating func container(depth: Int, object: Bool) throws(JSONError) {
        guard depth < JSONValidator.depthLimit else { throw failure("nested too deeply") }
        let closing = object ? UInt8(ascii: "}") : UInt8(ascii: "]")
        index += 1
        skipSpace()
        if index < count, base[index] == closing {
            index += 1
            return
        }
        while true {
            if object {
                skipSpace()
                guard index < count, base[index] == UInt8(ascii: "\"") else {
                    throw failure("a member needs a quoted name")
                }
                try string()
                skipSpace()
                guard index < count, base[index] == UInt8(ascii: ":") else { throw failure("a colon is missing") }
                index += 1
            }
            skipSpace()
            try value(depth: depth + 1)
            skipSpace()
            guard index < count else { throw failure("the document ends inside a value") }
            let byte = base[index]
            index += 1
            if byte == closing { return }
            guard byte == UInt8(ascii: ",") else {
                index -= 1
                throw failure("a comma or closing bracket is missing")
            }
        }
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        let length = word.utf8CodeUnitCount
        guard index + length <= count, JSONScan.same(UnsafeRawPointer(base + index), word.utf8Start, length) else {
            throw failure("unknown word")
        }
        index += length
    }

    private mutating func digits() -> Int {
        let start = index
        while index < count, base[index] &- UInt8(ascii: "0") < 10 { index += 1 }
        return index - start
    }

    private mutating func number() throws(JSONError) {
        if base[index] == UInt8(ascii: "-") { index += 1 }
        guard index < count else { throw failure("a number needs digits") }
        if base[index] == UInt8(ascii: "0") {
            index += 1
        } else if digits() == 0 {
            throw failure("a number needs digits")
        }
        if index < count, base[index] == UInt8(ascii: ".") {
            index += 1
            if digits() == 0 { throw failure("a fraction needs digits") }
        }
        if index < count, base[index] | 0x20 == UInt8(ascii: "e") {
            index += 1
            if index < count, base[index] == UInt8(ascii: "+") || base[index] == UInt8(ascii: "-") { index += 1 }
            if digits() == 0 { throw failure("an exponent needs digits") }
        }
    }

    private mutating func string() throws(JSONError) {
        index += 1
        while index < count {
            let byte = base[index]
            if byte >= 0x20, byte < 0x80, byte != UInt8(ascii: "\""), byte != UInt8(ascii: "\\") {
                index += 1
                continue
            }
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw failure("a control character inside a string")
            default: try multibyte(byte)
            }
        }
        throw failure("the document ends inside a string")
    }

    private mutating func escape() throws(JSONError) {
        index += 1
        guard index < count else { throw failure("the document ends inside an escape") }
        switch base[index] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            guard JSONScan.hex4(UnsafeRawBufferPointer(start: base, count: count), index + 1) != nil else {
                throw failure("an escape needs four hexadecimal digits")
            }
            index += 5
        default: throw failure("unknown escape")
        }
    }

    private mutating func multibyte(_ lead: UInt8) throws(JSONError) {
        let length: Int
        let lowest: UInt8
        let highest: UInt8
        switch lead {
        case 0xC2...0xDF: (length, lowest, highest) = (2, 0x80, 0xBF)
        case 0xE0: (length, lowest, highest) = (3, 0xA0, 0xBF)
        case 0xE1...0xEC, 0xEE...0xEF: (length, lowest, highest) = (3, 0x80, 0xBF)
        case 0xED: (length, lowest, highest) = (3, 0x80, 0x9F)
        case 0xF0: (length, lowest, highest) = (4, 0x90, 0xBF)
        case 0xF1...0xF3: (length, lowest, highest) = (4, 0x80, 0xBF)
        case 0xF4: (length, lowest, highest) = (4, 0x80, 0x8F)
        default: throw failure("bytes that are not UTF-8")
        }
        guard index + length <= count, base[index + 1] >= lowest, base[index + 1] <= highest else {
            throw failure("bytes that are not UTF-8")
        }
        for offset in 2..<max(length, 2) where base[index + offset] & 0xC0 != 0x80 {
            throw failure("bytes that are not UTF-8")
        }
        index += length
    }
}
