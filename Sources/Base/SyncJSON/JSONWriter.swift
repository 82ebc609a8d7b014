import SyncBytes

/// Appends JSON text to a byte buffer. It is faster than building a `JSON` value.
///
/// Commas are placed by the writer. The caller opens and closes objects and arrays in balance.
public struct JSONWriter: ~Copyable {
    // Memory of its own: an array would check for every byte whether it is shared and has capacity.
    private var base: UnsafeMutableRawPointer
    private var capacity: Int
    public private(set) var count = 0
    private var needsComma = false

    /// Makes a writer with memory for a text of `capacity` bytes; it grows when that is not enough.
    public init(capacity: Int = 256) {
        self.capacity = max(capacity, 64)
        base = .allocate(byteCount: self.capacity, alignment: 1)
    }

    deinit { base.deallocate() }

    /// The text so far.
    public var bytes: [UInt8] { [UInt8](UnsafeRawBufferPointer(start: base, count: count)) }

    /// Gives the text without a copy, with a NUL after it that `count` does not include.
    public mutating func withText<T>(_ body: (_ text: UnsafePointer<CChar>, _ count: Int) -> T) -> T {
        if count == capacity { grow(1) }
        base.storeBytes(of: 0, toByteOffset: count, as: UInt8.self)
        return body(UnsafePointer(base.assumingMemoryBound(to: CChar.self)), count)
    }

    public mutating func beginObject() { open(UInt8(ascii: "{")) }
    public mutating func endObject() { close(UInt8(ascii: "}")) }
    public mutating func beginArray() { open(UInt8(ascii: "[")) }
    public mutating func endArray() { close(UInt8(ascii: "]")) }

    /// Writes the key of the member whose value comes next. The key is text of this program, without characters that
    /// need escaping.
    public mutating func key(_ key: StaticString) {
        let length = key.utf8CodeUnitCount
        reserve(length &+ 4)
        if needsComma { put(UInt8(ascii: ",")) }
        put(UInt8(ascii: "\""))
        (base + count).copyMemory(from: key.utf8Start, byteCount: length)
        count &+= length
        put(UInt8(ascii: "\""))
        put(UInt8(ascii: ":"))
        needsComma = false
    }

    /// Writes a key that may hold any text.
    public mutating func key(escaping key: String) {
        separate()
        quote(key)
        append(UInt8(ascii: ":"))
        needsComma = false
    }

    public mutating func string(_ value: String) {
        separate()
        quote(value)
        needsComma = true
    }

    public mutating func int(_ value: Int64) {
        separate()
        digits(value)
        needsComma = true
    }

    private mutating func digits(_ value: Int64) {
        var digits: (UInt64, UInt64, UInt64) = (0, 0, 0)
        withUnsafeMutableBytes(of: &digits) { raw in
            var index = raw.count
            var magnitude = value.magnitude
            repeat {
                index -= 1
                raw[index] = UInt8(ascii: "0") + UInt8(truncatingIfNeeded: magnitude % 10)
                magnitude /= 10
            } while magnitude > 0
            if value < 0 {
                index -= 1
                raw[index] = UInt8(ascii: "-")
            }
            append(UnsafeRawBufferPointer(rebasing: raw[index...]))
        }
    }

    public mutating func bool(_ value: Bool) { word(value ? "true" : "false") }
    public mutating func null() { word("null") }

    /// Writes a value that already is JSON text.
    public mutating func raw(_ value: [UInt8]) { raw(value[...]) }

    public mutating func raw(_ value: ArraySlice<UInt8>) {
        separate()
        value.withUnsafeBytes { append($0) }
        needsComma = true
    }

    /// Writes a value as it is in another text.
    public mutating func raw(_ value: JSONSlice) {
        separate()
        append(value.bytes)
        needsComma = true
    }

    /// Writes a member as its parts stand in another text.
    public mutating func member(_ key: JSONKey, _ value: JSONSlice) { member(key.slice, value) }

    /// Writes a member as its parts stand in another text. The key is a string.
    public mutating func member(_ key: JSONSlice, _ value: JSONSlice) {
        separate()
        append(key.bytes)
        append(UInt8(ascii: ":"))
        append(value.bytes)
        needsComma = true
    }

    public mutating func member(_ key: StaticString, _ value: JSONSlice) { self.key(key); raw(value) }

    /// Writes a string of this program, without characters that need escaping.
    public mutating func string(plain value: StaticString) {
        separate()
        append(UInt8(ascii: "\""))
        value.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
        append(UInt8(ascii: "\""))
        needsComma = true
    }

    public mutating func member(_ key: StaticString, _ value: String) { self.key(key); string(value) }
    public mutating func member(_ key: StaticString, _ value: Int64) { self.key(key); int(value) }
    public mutating func member(_ key: StaticString, _ value: Int) { self.key(key); int(Int64(value)) }
    public mutating func member(_ key: StaticString, _ value: Bool) { self.key(key); bool(value) }
    public mutating func member(_ key: StaticString, raw value: [UInt8]) { self.key(key); raw(value) }

    /// Writes a number as a string.
    public mutating func member(_ key: StaticString, quoting value: Int64) {
        self.key(key)
        append(UInt8(ascii: "\""))
        digits(value)
        append(UInt8(ascii: "\""))
        needsComma = true
    }

    private mutating func word(_ word: StaticString) {
        separate()
        word.withUTF8Buffer { append(UnsafeRawBufferPointer($0)) }
        needsComma = true
    }

    private mutating func open(_ byte: UInt8) {
        separate()
        append(byte)
        needsComma = false
    }

    private mutating func close(_ byte: UInt8) {
        append(byte)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { append(UInt8(ascii: ",")) }
    }

    private mutating func append(_ byte: UInt8) {
        reserve(1)
        put(byte)
    }

    /// Reserves memory for `more` bytes.
    @inline(__always)
    private mutating func reserve(_ more: Int) {
        if capacity &- count < more { grow(more) }
    }

    /// Appends a byte for which memory was reserved.
    @inline(__always)
    private mutating func put(_ byte: UInt8) {
        base.storeBytes(of: byte, toByteOffset: count, as: UInt8.self)
        count &+= 1
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer) {
        guard let source = bytes.baseAddress else { return }
        reserve(bytes.count)
        (base + count).copyMemory(from: source, byteCount: bytes.count)
        count &+= bytes.count
    }

    @inline(never)
    private mutating func grow(_ more: Int) {
        capacity += max(more, capacity)
        let larger = UnsafeMutableRawPointer.allocate(byteCount: capacity, alignment: 1)
        larger.copyMemory(from: base, byteCount: count)
        base.deallocate()
        base = larger
    }

    private mutating func quote(_ value: String) {
        append(UInt8(ascii: "\""))
        var copy = value
        copy.withUTF8 { utf8 in
            // Memory for a text without escapes, which most texts are, and for the closing quote.
            reserve(utf8.count &+ 1)
            var left = utf8.count
            for byte in utf8 {
                if JSONWriter.needsEscape(byte) {
                    escape(byte)
                    reserve(left)
                } else {
                    put(byte)
                }
                left &-= 1
            }
        }
        append(UInt8(ascii: "\""))
    }

    private static func needsEscape(_ byte: UInt8) -> Bool {
        byte < 0x20 || byte == UInt8(ascii: "\"") || byte == UInt8(ascii: "\\")
    }

    private mutating func escape(_ byte: UInt8) {
        append(UInt8(ascii: "\\"))
        switch byte {
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): append(byte)
        case 0x0A: append(UInt8(ascii: "n"))
        case 0x0D: append(UInt8(ascii: "r"))
        case 0x09: append(UInt8(ascii: "t"))
        default:
            for part in [UInt8(ascii: "u"), UInt8(ascii: "0"), UInt8(ascii: "0")] { append(part) }
            append(Hex.digit(byte >> 4))
            append(Hex.digit(byte))
        }
    }
}
