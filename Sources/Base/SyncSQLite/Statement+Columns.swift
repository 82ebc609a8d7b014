import CSQLite
import Glibc

/// The values of the row at which a statement stands.
extension Statement {
    /// The number as it is in the file. It must be checked before it, or a value made of it, is used in arithmetic.
    @inlinable
    public func int(_ column: Int32) -> Int64 { sqlite.pointee.column_int64(handle, column) }

    /// A number that the library writes only within this range; one outside is damage of the file.
    public func int(_ column: Int32, in range: ClosedRange<Int64>) throws(StoreError) -> Int64 {
        let value = int(column)
        guard range.contains(value) else {
            reset()
            throw connection.damage("a row has the number \(value), which no row can have")
        }
        return value
    }

    /// Milliseconds since the epoch, or -1 where -1 has a meaning. A value that no clock can show is replaced by the
    /// nearest possible time, so that arithmetic with times cannot overflow.
    public func time(_ column: Int32) -> Int64 { min(max(int(column), -1), Statement.most) }

    /// A count; a value that no count can have is replaced by the nearest possible one.
    public func count(_ column: Int32) -> Int64 { min(max(int(column), 0), Statement.most) }

    private static let most: Int64 = 1 << 53

    /// A sum of `total()`, which never overflows.
    public func double(_ column: Int32) -> Double { sqlite.pointee.column_double(handle, column) }

    @inlinable
    public func bool(_ column: Int32) -> Bool { int(column) != 0 }

    @inlinable
    public func isNull(_ column: Int32) -> Bool { sqlite.pointee.column_type(handle, column) == SQLITE_NULL }

    @inlinable
    public func isInteger(_ column: Int32) -> Bool { sqlite.pointee.column_type(handle, column) == SQLITE_INTEGER }

    @inlinable
    public func text(_ column: Int32) -> String {
        let count = Int(sqlite.pointee.column_bytes(handle, column))
        guard count > 0, let base = sqlite.pointee.column_text(handle, column) else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
    }

    /// A text without a copy; it is valid until the next step of the statement.
    @inlinable
    public func utf8(_ column: Int32) -> UnsafeRawBufferPointer {
        let text = sqlite.pointee.column_text(handle, column)
        let count = text == nil ? 0 : Int(sqlite.pointee.column_bytes(handle, column))
        return UnsafeRawBufferPointer(start: text, count: count)
    }

    /// Whether a text column has these bytes.
    public func holds(_ text: String, at column: Int32) -> Bool { holds(Array(text.utf8), at: column) }

    /// Whether a text column has these bytes.
    public func holds(_ bytes: [UInt8], at column: Int32) -> Bool {
        let count = Int(sqlite.pointee.column_bytes(handle, column))
        guard count == bytes.count else { return false }
        guard count > 0 else { return true }
        guard let base = sqlite.pointee.column_text(handle, column) else { return false }
        return bytes.withUnsafeBytes { wanted in
            guard let start = wanted.baseAddress else { return false }
            return memcmp(base, start, count) == 0
        }
    }

    @inlinable
    public func bytes(_ column: Int32) -> [UInt8] {
        let count = Int(sqlite.pointee.column_bytes(handle, column))
        guard count > 0, let base = sqlite.pointee.column_text(handle, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: base, count: count))
    }

    /// The bytes of a text; `nil` for NULL.
    @inlinable
    public func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }

    /// Bytes that are no text.
    @inlinable
    public func blob(_ column: Int32) -> [UInt8] {
        guard let base = sqlite.pointee.column_blob(handle, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: base, count: Int(sqlite.pointee.column_bytes(handle, column))))
    }
}
