/// Reads one JSON document from its first byte to its last and checks it on the way: RFC 8259 grammar, UTF-8 without
/// surrogates or overlong forms, at most 512 levels deep (jansson's limit is 2048; no chat service nests that deep),
/// and at most `valueLimit` members and elements.
///
/// Pages of messages are read with it in one pass: objects and arrays that matter are entered, their members are taken
/// as slices, everything else is skipped, and no byte is read twice. The caller has to read the value after each key
/// and each element. The values are known to be valid only after `end` has not thrown. Slices must not outlive the
/// buffer.
public struct JSONReader {
    private let base: UnsafePointer<UInt8>
    private let count: Int
    private var index = 0
    private var depth = 0
    /// Whether an object or array was entered and its first member was not read yet.
    private var isAtFirst = false
    /// Whether a string that was read has the escape of half a surrogate pair. The grammar allows it, but jansson and
    /// the parsers of many hosts do not.
    public private(set) var hasLoneSurrogate = false

    private static let depthLimit = 512
    /// Members and elements of one document. A limit of bytes alone would allow 30 million in 64 MiB, which take
    /// seconds to read and a gigabyte to hold.
    public static let valueLimit = 2_000_000
    private var valuesLeft = JSONReader.valueLimit

    public init(_ bytes: UnsafeRawBufferPointer) {
        // With a count of 0 the base is never read: every function checks the count first.
        base = UnsafePointer(bytes.baseAddress?.assumingMemoryBound(to: UInt8.self) ?? JSONReader.empty)
        count = bytes.baseAddress == nil ? 0 : bytes.count
    }

    nonisolated(unsafe) private static let empty = UnsafePointer(UnsafeMutablePointer<UInt8>.allocate(capacity: 1))

    // MARK: Walking

    /// The first byte of the value that comes next; 0 at the end of the text.
    public mutating func peek() -> UInt8 {
        skipSpace()
        return index < count ? base[index] : 0
    }

    /// The reader's position. With `slice(from:)` a caller can have both an object's members and its text.
    public mutating func position() -> Int {
        skipSpace()
        return index
    }

    /// The text from a `position` taken before a value to the end of that value.
    public func slice(from start: Int) -> JSONSlice {
        JSONSlice(UnsafeRawBufferPointer(start: base + min(max(start, 0), index), count: max(0, index - start)))
    }

    /// Enters an object; its members follow by `nextKey`.
    public mutating func beginObject() throws(JSONError) { try begin(UInt8(ascii: "{")) }

    /// Enters an array; its elements follow by `nextElement`.
    public mutating func beginArray() throws(JSONError) { try begin(UInt8(ascii: "[")) }

    /// The next key of the object that was entered last, or `nil` after its end. The key's value has to be read next.
    public mutating func nextKey() throws(JSONError) -> JSONKey? {
        guard try isBeforeAnother(UInt8(ascii: "}")) else { return nil }
        return try key()
    }

    /// Whether the array that was entered last has another element, which has to be read next.
    public mutating func nextElement() throws(JSONError) -> Bool { try isBeforeAnother(UInt8(ascii: "]")) }

    /// Reads the next value, whatever it is.
    public mutating func value() throws(JSONError) -> JSONSlice {
        skipSpace()
        let start = index
        try pass()
        return JSONSlice(UnsafeRawBufferPointer(start: base + start, count: index - start))
    }

    /// Checks that only white space follows.
    public mutating func end() throws(JSONError) {
        skipSpace()
        guard index == count else { throw failure("text after the end of the document") }
    }

    /// Reads a document that is one value.
    mutating func document() throws(JSONError) -> JSONSlice {
        let value = try value()
        try end()
        return value
    }

    // MARK: Grammar

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

    private mutating func begin(_ opening: UInt8) throws(JSONError) {
        skipSpace()
        guard index < count, base[index] == opening else { throw failure("another kind of value is expected") }
        guard depth < JSONReader.depthLimit else { throw failure("nested too deeply") }
        depth += 1
        index += 1
        isAtFirst = true
    }

    /// Skips the comma before a further member or element, or the closing bracket.
    @inline(__always)
    private mutating func isBeforeAnother(_ closing: UInt8) throws(JSONError) -> Bool {
        skipSpace()
        guard index < count else { throw failure("the document ends inside a value") }
        let byte = base[index]
        if byte == closing {
            index += 1
            depth -= 1
            isAtFirst = false
            return false
        }
        if isAtFirst {
            isAtFirst = false
        } else {
            guard byte == UInt8(ascii: ",") else { throw failure("a comma or closing bracket is missing") }
            index += 1
            skipSpace()
        }
        valuesLeft -= 1
        guard valuesLeft >= 0 else {
            throw JSONError(
                message: "the document has more than \(JSONReader.valueLimit) values", offset: index, isTooLarge: true)
        }
        return true
    }

    /// A member's name and the colon behind it.
    @inline(__always)
    private mutating func key() throws(JSONError) -> JSONKey {
        guard index < count, base[index] == UInt8(ascii: "\"") else { throw failure("a member needs a quoted name") }
        let start = index + 1
        try string()
        let key = JSONKey(start: base + start, count: index - 1 - start)
        skipSpace()
        guard index < count, base[index] == UInt8(ascii: ":") else { throw failure("a colon is missing") }
        index += 1
        return key
    }

    /// Passes over a value.
    private mutating func pass() throws(JSONError) {
        guard index < count else { throw failure("the document ends where a value should be") }
        switch base[index] {
        case UInt8(ascii: "\""): try string()
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): try number()
        case UInt8(ascii: "{"):
            try begin(UInt8(ascii: "{"))
            while try isBeforeAnother(UInt8(ascii: "}")) {
                _ = try key()
                skipSpace()
                try pass()
            }
        case UInt8(ascii: "["):
            try begin(UInt8(ascii: "["))
            while try isBeforeAnother(UInt8(ascii: "]")) { try pass() }
        case UInt8(ascii: "t"): try word("true")
        case UInt8(ascii: "f"): try word("false")
        case UInt8(ascii: "n"): try word("null")
        default: throw failure("unexpected byte where a value should be")
        }
    }

    private mutating func word(_ word: StaticString) throws(JSONError) {
        let length = word.utf8CodeUnitCount
        guard count - index >= length, JSONScan.same(UnsafeRawPointer(base + index), word.utf8Start, length) else {
            throw failure("unknown word")
        }
        index += length
    }

    @inline(__always)
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

    // MARK: Strings

    private mutating func string() throws(JSONError) {
        index += 1
        while true {
            index = JSONScan.skipPlain(base, from: index, to: count, untilSpecial: true)
            guard index < count else { throw failure("the document ends inside a string") }
            let byte = base[index]
            switch byte {
            case UInt8(ascii: "\""):
                index += 1
                return
            case UInt8(ascii: "\\"): try escape()
            case 0..<0x20: throw failure("a control character inside a string")
            default: try multibyte(byte)
            }
        }
    }

    private mutating func escape() throws(JSONError) {
        index += 1
        guard index < count else { throw failure("the document ends inside an escape") }
        switch base[index] {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"), UInt8(ascii: "b"), UInt8(ascii: "f"),
            UInt8(ascii: "n"), UInt8(ascii: "r"), UInt8(ascii: "t"):
            index += 1
        case UInt8(ascii: "u"):
            let unit = try unit(at: index + 1)
            index += 5
            guard unit & 0xF800 == 0xD800 else { return }
            // A high half needs its low half right after it; a low half without a high one is lone, too.
            guard unit & 0xFC00 == 0xD800, count - index >= 6, base[index] == UInt8(ascii: "\\"),
                base[index + 1] == UInt8(ascii: "u"), try self.unit(at: index + 2) & 0xFC00 == 0xDC00
            else {
                hasLoneSurrogate = true
                return
            }
            index += 6
        default: throw failure("unknown escape")
        }
    }

    private func unit(at place: Int) throws(JSONError) -> UInt32 {
        guard let unit = JSONScan.hex4(UnsafeRawBufferPointer(start: base, count: count), place) else {
            throw failure("an escape needs four hexadecimal digits")
        }
        return unit
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
        guard count - index >= length, base[index + 1] >= lowest, base[index + 1] <= highest else {
            throw failure("bytes that are not UTF-8")
        }
        for offset in 2..<max(length, 2) where base[index + offset] & 0xC0 != 0x80 {
            throw failure("bytes that are not UTF-8")
        }
        index += length
    }
}
