/// Walks over the values of a text that is known to be valid JSON, without looking at what they hold.
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
        index += 1
        while index < count {
            let current = byte(index)
            if current == UInt8(ascii: "\"") {
                index += 1
                return
            }
            index += current == UInt8(ascii: "\\") ? 2 : 1
        }
        index = min(index, count)
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
            let byte = bytes[at + offset]
            let digit: UInt8
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte &- UInt8(ascii: "0")
            case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte &- UInt8(ascii: "a") &+ 10
            case UInt8(ascii: "A")...UInt8(ascii: "F"): digit = byte &- UInt8(ascii: "A") &+ 10
            default: return nil
            }
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
