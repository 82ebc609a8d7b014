/// One JSON value in place: a view of bytes that the caller keeps alive.
///
/// Pages of messages are read through slices, so that a message's text goes from the service's answer into the store
/// without being taken apart and put together again. `JSONSlice.checked` validates a whole document once (grammar,
/// UTF-8, depth); the slices that come out of it may then be walked without further checks. A slice must not outlive
/// the buffer it was made from.
public struct JSONSlice {
    /// The bytes of the value, without surrounding white space.
    public let bytes: UnsafeRawBufferPointer

    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Validates `buffer` as one JSON document and returns its value.
    public static func checked(_ buffer: UnsafeRawBufferPointer) throws(JSONError) -> JSONSlice {
        var reader = JSONReader(buffer)
        return try reader.document()
    }

    /// The value of a text that is known to be valid JSON, as a record's is; it is not checked again. For a text that
    /// is not JSON, the parts are meaningless, but still inside the buffer.
    public static func valid(_ buffer: UnsafeRawBufferPointer) -> JSONSlice {
        func isSpace(_ index: Int) -> Bool { buffer[index] <= 0x20 }
        var start = 0
        var end = buffer.count
        while start < end, isSpace(start) { start += 1 }
        while start < end, isSpace(end - 1) { end -= 1 }
        return JSONSlice(UnsafeRawBufferPointer(rebasing: buffer[start..<end]))
    }

    @inline(__always) private var first: UInt8 { bytes.first ?? 0 }

    public var isObject: Bool { first == UInt8(ascii: "{") }
    public var isArray: Bool { first == UInt8(ascii: "[") }
    public var isString: Bool { first == UInt8(ascii: "\"") }
    public var isNull: Bool { first == UInt8(ascii: "n") }

    public var bool: Bool? {
        switch first {
        case UInt8(ascii: "t"): true
        case UInt8(ascii: "f"): false
        default: nil
        }
    }

    /// The value of a whole number that fits; `nil` for anything else, also for a fraction or an exponent.
    public var int: Int64? {
        var index = 0
        let negative = first == UInt8(ascii: "-")
        if negative { index = 1 }
        guard index < bytes.count else { return nil }
        var result: Int64 = 0
        while index < bytes.count {
            let digit = bytes[index] &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            let (product, overflow) = result.multipliedReportingOverflow(by: 10)
            let (sum, overflow2) = product.subtractingReportingOverflow(Int64(digit))
            if overflow || overflow2 { return nil }
            result = sum
            index += 1
        }
        if negative { return result }
        return result == Int64.min ? nil : -result
    }

    /// The text of a string, escapes resolved.
    public var string: String? {
        guard isString, bytes.count >= 2 else { return nil }
        let inner = UnsafeRawBufferPointer(rebasing: bytes[1..<(bytes.count - 1)])
        if !inner.contains(UInt8(ascii: "\\")) { return String(decoding: inner, as: UTF8.self) }
        return JSONSlice.unescape(inner)
    }

    /// The text between the quotes, with unresolved escapes; for comparison with plain ASCII words.
    public var unquoted: UnsafeRawBufferPointer {
        guard isString, bytes.count >= 2 else { return UnsafeRawBufferPointer(start: nil, count: 0) }
        return UnsafeRawBufferPointer(rebasing: bytes[1..<(bytes.count - 1)])
    }

    /// Whether this is a string without escapes that equals `word`.
    @inline(__always)
    public func equals(_ word: StaticString) -> Bool {
        let text = unquoted
        return text.count == word.utf8CodeUnitCount
            && (text.isEmpty || JSONScan.same(text.baseAddress, word.utf8Start, text.count))
    }

    /// Calls `body` with each member of an object, in order. Nothing happens for other values.
    @inline(__always)
    public func forEachMember(_ body: (_ key: JSONSlice, _ value: JSONSlice) throws -> Void) rethrows {
        guard isObject else { return }
        var scan = JSONScan(bytes, at: 1)
        while let key = scan.nextValue() {
            scan.skipColon()
            guard let value = scan.nextValue() else { return }
            try body(JSONSlice(key), JSONSlice(value))
            scan.skipComma()
        }
    }

    /// Calls `body` with each element of an array, in order. Nothing happens for other values.
    @inline(__always)
    public func forEachElement(_ body: (JSONSlice) throws -> Void) rethrows {
        guard isArray else { return }
        var scan = JSONScan(bytes, at: 1)
        while let value = scan.nextValue() {
            try body(JSONSlice(value))
            scan.skipComma()
        }
    }

    /// The first member of that name.
    public subscript(key: StaticString) -> JSONSlice? {
        guard isObject else { return nil }
        var scan = JSONScan(bytes, at: 1)
        while let name = scan.nextValue() {
            scan.skipColon()
            guard let value = scan.nextValue() else { return nil }
            if JSONSlice(name).equals(key) { return JSONSlice(value) }
            scan.skipComma()
        }
        return nil
    }

    /// A copy of the text.
    public func copy() -> [UInt8] { [UInt8](bytes) }

    private static func unescape(_ inner: UnsafeRawBufferPointer) -> String {
        var result: [UInt8] = []
        result.reserveCapacity(inner.count)
        var index = 0
        while index < inner.count {
            let byte = inner[index]
            index += 1
            guard byte == UInt8(ascii: "\\"), index < inner.count else {
                result.append(byte)
                continue
            }
            let escape = inner[index]
            index += 1
            switch escape {
            case UInt8(ascii: "n"): result.append(0x0A)
            case UInt8(ascii: "r"): result.append(0x0D)
            case UInt8(ascii: "t"): result.append(0x09)
            case UInt8(ascii: "b"): result.append(0x08)
            case UInt8(ascii: "f"): result.append(0x0C)
            case UInt8(ascii: "u"):
                var unit = JSONScan.hex4(inner, index) ?? 0xFFFD
                index += 4
                if unit & 0xFC00 == 0xD800, index + 1 < inner.count, inner[index] == UInt8(ascii: "\\"),
                    inner[index + 1] == UInt8(ascii: "u"),
                    let low = JSONScan.hex4(inner, index + 2), low & 0xFC00 == 0xDC00
                {
                    unit = 0x10000 + ((unit & 0x3FF) << 10) + (low & 0x3FF)
                    index += 6
                }
                let scalar = Unicode.Scalar(unit) ?? "\u{FFFD}"
                result.append(contentsOf: Character(scalar).utf8)
            default: result.append(escape)
            }
        }
        return String(decoding: result, as: UTF8.self)
    }
}
