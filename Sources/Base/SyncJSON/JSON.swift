import CJansson
import Glibc

/// A JSON value held by jansson, for documents that need not be read or built fast.
///
/// A `JSON` is a reference: copies share one value, and `set` and `append` change it for every holder. A value must
/// stay on one thread at a time. Reading a missing member or a member of another type gives `nil`, never a trap.
/// Hot paths (pages of messages) use `JSONSlice`, which reads the bytes in place.
public struct JSON {
    private final class Box {
        let value: OpaquePointerOrNil
        init(owning value: OpaquePointerOrNil) { self.value = value }
        deinit { shim_json_decref(value) }
    }

    /// jansson's handle type as Swift imports it.
    public typealias OpaquePointerOrNil = UnsafeMutablePointer<json_t>

    public enum Kind: Sendable { case object, array, string, integer, real, bool, null }

    private let box: Box

    private init(owning value: OpaquePointerOrNil) { box = Box(owning: value) }

    private init?(owningOptional value: OpaquePointerOrNil?) {
        guard let value else { return nil }
        self.init(owning: value)
    }

    private init?(borrowing value: OpaquePointerOrNil?) {
        guard let value, let shared = shim_json_incref(value) else { return nil }
        self.init(owning: shared)
    }

    // MARK: Reading text

    /// Parses one complete document of any type. Duplicate keys keep the last value, and a whole number beyond 64 bits
    /// is a real, as with most peers.
    public static func parse(_ bytes: UnsafeRawBufferPointer) throws(JSONError) -> JSON {
        let flags = shim_JSON_DECODE_ANY | shim_JSON_ALLOW_NUL
        var error = json_error_t()
        let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self)
        guard let base, bytes.count > 0 else { throw JSONError(message: "the document is empty", offset: 0) }
        // jansson takes a NUL after a number or word for the end of its read-ahead buffer, and skips it.
        if let nul = memchr(base, 0, bytes.count) {
            throw JSONError(message: "a NUL byte", offset: UnsafeRawPointer(nul) - UnsafeRawPointer(base))
        }
        // A value and its separator take two bytes. In a shorter text there cannot be too many values.
        if bytes.count > 2 * JSONReader.valueLimit {
            var reader = JSONReader(bytes)
            do throws(JSONError) { _ = try reader.document() } catch where error.isTooLarge { throw error } catch {}
        }
        if let value = json_loadb(base, bytes.count, flags, &error) { return JSON(owning: value) }
        var offset = Int(error.position)
        if let large = LargeIntegers(in: bytes) {
            let value = large.text.withUnsafeBytes { text in
                json_loadb(text.baseAddress?.assumingMemoryBound(to: CChar.self), text.count, flags, &error)
            }
            if let value { return JSON(owning: value) }
            offset = large.original(Int(error.position))
        }
        let text = withUnsafeBytes(of: &error.text) { raw in
            String(decoding: raw.prefix { $0 != 0 }, as: UTF8.self)
        }
        throw JSONError(message: text, offset: offset)
    }

    /// Parses one complete document of any type.
    public static func parse(_ bytes: [UInt8]) throws(JSONError) -> JSON {
        let result: Result<JSON, JSONError> = bytes.withUnsafeBytes { raw in
            do throws(JSONError) { return .success(try parse(raw)) } catch { return .failure(error) }
        }
        return try result.get()
    }

    /// Parses one complete document of any type.
    public static func parse(_ text: String) throws(JSONError) -> JSON { try parse(Array(text.utf8)) }

    // MARK: Making values

    public static func object() -> JSON { made(json_object()) }
    public static func array() -> JSON { made(json_array()) }
    public static var null: JSON { made(json_null()) }
    public static func bool(_ value: Bool) -> JSON { made(value ? json_true() : json_false()) }
    public static func int(_ value: Int64) -> JSON { made(json_integer(value)) }
    /// A number; NaN and infinities, which JSON does not have, become null.
    public static func real(_ value: Double) -> JSON { made(json_real(value)) }

    public static func string(_ value: String) -> JSON {
        var copy = value
        return copy.withUTF8 { utf8 in
            utf8.withMemoryRebound(to: CChar.self) { made(json_stringn($0.baseAddress, $0.count)) }
        }
    }

    public static func array(_ values: [JSON]) -> JSON {
        let result = array()
        for value in values { result.append(value) }
        return result
    }

    public static func strings(_ values: some Sequence<String>) -> JSON {
        let result = array()
        for value in values { result.append(.string(value)) }
        return result
    }

    /// An object with these members, in this order.
    public static func object(_ members: KeyValuePairs<String, JSON>) -> JSON {
        let result = object()
        for (key, value) in members { result.set(key, value) }
        return result
    }

    /// jansson fails to make a value only when memory is short; the value is null then.
    private static func made(_ value: OpaquePointerOrNil?) -> JSON {
        if let value { return JSON(owning: value) }
        return JSON(owning: json_null())
    }

    /// An independent copy of the whole value.
    public func deepCopy() -> JSON { JSON(owningOptional: json_deep_copy(box.value)) ?? .null }

    // MARK: Reading values

    public var kind: Kind {
        switch shim_json_typeof(box.value) {
        case 0: .object
        case 1: .array
        case 2: .string
        case 3: .integer
        case 4: .real
        case 5, 6: .bool
        default: .null
        }
    }

    public var isNull: Bool { kind == .null }

    public var string: String? {
        guard kind == .string, let text = json_string_value(box.value) else { return nil }
        let bytes = UnsafeRawBufferPointer(start: text, count: json_string_length(box.value))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The value of an integer, or of a real that is whole and fits.
    public var int: Int64? {
        switch kind {
        case .integer: json_integer_value(box.value)
        case .real: Int64(exactly: json_real_value(box.value))
        default: nil
        }
    }

    public var double: Double? {
        switch kind {
        case .integer: Double(json_integer_value(box.value))
        case .real: json_real_value(box.value)
        default: nil
        }
    }

    public var bool: Bool? { kind == .bool ? shim_json_typeof(box.value) == 5 : nil }

    /// The elements of an array.
    public var array: [JSON]? {
        guard kind == .array else { return nil }
        return (0..<json_array_size(box.value)).compactMap { JSON(borrowing: json_array_get(box.value, $0)) }
    }

    public var count: Int { kind == .array ? json_array_size(box.value) : Int(json_object_size(box.value)) }

    /// The members of an object, in the document's order.
    public var members: [(key: String, value: JSON)]? {
        guard kind == .object else { return nil }
        var result: [(key: String, value: JSON)] = []
        var iterator = json_object_iter(box.value)
        while let current = iterator {
            if let key = json_object_iter_key(current), let value = JSON(borrowing: json_object_iter_value(current)) {
                result.append((String(cString: key), value))
            }
            iterator = json_object_iter_next(box.value, current)
        }
        return result
    }

    /// A member of an object; `nil` when there is none or this is no object.
    public subscript(key: String) -> JSON? {
        guard kind == .object else { return nil }
        return JSON(borrowing: json_object_get(box.value, key))
    }

    /// An element of an array; `nil` outside its bounds.
    public subscript(index: Int) -> JSON? {
        guard kind == .array, index >= 0 else { return nil }
        return JSON(borrowing: json_array_get(box.value, index))
    }

    // MARK: Changing values

    /// Sets or replaces a member of an object. `nil` removes it.
    public func set(_ key: String, _ value: JSON?) {
        guard kind == .object else { return }
        if let value {
            _ = json_object_set_new(box.value, key, shim_json_incref(value.box.value))
        } else {
            _ = json_object_del(box.value, key)
        }
    }

    public func append(_ value: JSON) {
        guard kind == .array else { return }
        _ = json_array_append_new(box.value, shim_json_incref(value.box.value))
    }

    public func remove(at index: Int) {
        guard kind == .array, index >= 0 else { return }
        _ = json_array_remove(box.value, index)
    }

    /// Replaces an element of an array; nothing happens outside its bounds.
    public func set(at index: Int, _ value: JSON) {
        guard kind == .array, index >= 0 else { return }
        _ = json_array_set_new(box.value, index, shim_json_incref(value.box.value))
    }

    // MARK: Writing text

    /// Compact JSON text in UTF-8, members in their order.
    public func serialized() -> [UInt8] {
        let flags = shim_JSON_COMPACT | shim_JSON_ENCODE_ANY
        let size = json_dumpb(box.value, nil, 0, flags)
        guard size > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
            buffer.withMemoryRebound(to: CChar.self) { chars in
                count = min(json_dumpb(box.value, chars.baseAddress, size, flags), size)
            }
        }
    }

    /// Compact JSON text.
    public var text: String { String(decoding: serialized(), as: UTF8.self) }

    public static func == (left: JSON, right: JSON) -> Bool { json_equal(left.box.value, right.box.value) == 1 }
}

extension JSON: Equatable {}

extension JSON: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, ExpressibleByBooleanLiteral {
    public init(stringLiteral value: String) { self = .string(value) }
    public init(integerLiteral value: Int64) { self = .int(value) }
    public init(booleanLiteral value: Bool) { self = .bool(value) }
}
