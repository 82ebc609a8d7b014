import SyncBytes

/// Walks over the values of a text that is known to be valid JSON, without parsing them.
struct JSONScan {
    private let base: UnsafeRawPointer?
    private let count: Int
    private var index: Int

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, at index: Int) {
        base = bytes.baseAddress
        count = bytes.count
        self.index = index
    }

    @inline(__always)
    private func byte(_ at: Int) -> UInt8 {
        guard let base, at < count else { return 0 }
        return base.load(fromByteOffset: at, as: UInt8.self)
    }

    @inline(__always)
    private mutating func skipSpace() {
        while index < count, byte(index) <= 0x20 { index += 1 }
    }

    @inline(__always)
    mutating func skipColon() {
        skipSpace()
        if byte(index) == UInt8(ascii: ":") { index += 1 }
    }

    @inline(__always)
    mutating func skipComma() {
        skipSpace()
        if byte(index) == UInt8(ascii: ",") { index += 1 }
    }

    /// The next value, or `nil` at the closing bracket.
    mutating func nextValue() -> UnsafeRawBufferPointer? {
        skipSpace()
        guard let base, index < count else { return nil }
        let start = index
        switch byte(index) {
        case UInt8(ascii: "}"), UInt8(ascii: "]"): return nil
        case UInt8(ascii: "\""): skipString()
        case UInt8(ascii: "{"), UInt8(ascii: "["): skipNested()
        default:
            while index < count {
                switch byte(index) {
                case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"), 0...0x20:
                    return UnsafeRawBufferPointer(start: base + start, count: index - start)
                default: index += 1
                }
            }
        }
        return UnsafeRawBufferPointer(start: base + start, count: index - start)
    }

    @inline(__always)
    private mutating func skipString() {
        guard let base else { return }
        index += 1
        while index < count {
            index = JSONScan.skipPlain(
                base.assumingMemoryBound(to: UInt8.self), from: index, to: count, untilSpecial: false)
            if byte(index) == UInt8(ascii: "\"") {
                index += 1
                return
            }
            index += 2
        }
        index = min(index, count)
    }

    /// Skips characters of a string, eight at a time, up to a quote or a backslash. With `untilSpecial` it also stops
    /// at control characters and at bytes that are not ASCII.
    @inline(__always)
    static func skipPlain(
        _ base: UnsafePointer<UInt8>, from start: Int, to count: Int, untilSpecial: Bool
    ) -> Int {
        let ones: UInt64 = 0x0101_0101_0101_0101
        let highs: UInt64 = 0x8080_8080_8080_8080
        var index = start
        while count - index >= 8 {
            let word = UInt64(littleEndian: UnsafeRawPointer(base + index).loadUnaligned(as: UInt64.self))
            // The high bit of each byte that is a quote, a backslash, below 0x20 or above 0x7F; a borrow may also set
            // it in later bytes, but the lowest set bit is right.
            let quote = word ^ (ones &* 0x22)
            let backslash = word ^ (ones &* 0x5C)
            var found = (quote &- ones) & ~quote | (backslash &- ones) & ~backslash
            if untilSpecial { found |= (word &- ones &* 0x20) & ~word | word }
            found &= highs
            if found != 0 { return index + (found.trailingZeroBitCount >> 3) }
            index += 8
        }
        while index < count {
            let byte = base[index]
            if byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\") { return index }
            if untilSpecial, byte < 0x20 || byte >= 0x80 { return index }
            index += 1
        }
        return index
    }

    private mutating func skipNested() {
        var depth = 0
        while index < count {
            switch byte(index) {
            case UInt8(ascii: "\""):
                skipString()
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 {
                    index += 1
                    return
                }
            default: break
            }
            index += 1
        }
    }

    static func hex4(_ bytes: UnsafeRawBufferPointer, _ at: Int) -> UInt32? {
        guard at >= 0, at + 4 <= bytes.count else { return nil }
        var result: UInt32 = 0
        for offset in 0..<4 {
            guard let digit = Hex.value(bytes[at + offset]) else { return nil }
            result = result << 4 | UInt32(digit)
        }
        return result
    }

    @inline(__always)
    static func same(_ left: UnsafeRawPointer?, _ right: UnsafePointer<UInt8>, _ count: Int) -> Bool {
        guard let left else { return false }
        for offset in 0..<count where left.load(fromByteOffset: offset, as: UInt8.self) != right[offset] {
            return false
        }
        return true
    }
}
