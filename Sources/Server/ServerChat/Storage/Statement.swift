import CSQLite

/// A prepared statement: bind in order, then `run` or step with `next`. One per SQL text and connection, so a loop over
/// its rows must end (or collect them) before the same text is used again.
public final class Statement {
    private let handle: OpaquePointer
    private unowned let database: Database
    private var bound: Int32 = 0

    public init(_ handle: OpaquePointer, of database: Database) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    public func reset() {
        sqlite3_reset(handle)
        bound = 0
    }

    @discardableResult
    public func bind(_ value: Int64) -> Statement {
        bound += 1
        sqlite3_bind_int64(handle, bound, value)
        return self
    }

    @discardableResult
    public func bind(_ value: Int) -> Statement { bind(Int64(value)) }

    @discardableResult
    public func bind(_ value: Bool) -> Statement { bind(value ? Int64(1) : 0) }

    @discardableResult
    public func bind(_ value: String) -> Statement {
        var copy = value
        return copy.withUTF8 { bind(text: UnsafeRawBufferPointer($0)) }
    }

    @discardableResult
    public func bind(_ value: [UInt8]) -> Statement { value.withUnsafeBytes { bind(text: $0) } }

    /// Binds text, or NULL.
    @discardableResult
    public func bind(optional value: [UInt8]?) -> Statement {
        if let value { return bind(value) }
        bound += 1
        sqlite3_bind_null(handle, bound)
        return self
    }

    /// Binds bytes as a text that SQLite copies.
    @discardableResult
    public func bind(text bytes: UnsafeRawBufferPointer) -> Statement {
        bound += 1
        if let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) {
            shim_sqlite3_bind_text_transient(handle, bound, base, Int32(clamping: bytes.count))
        } else {
            // A null address would bind NULL; an empty text has to have one.
            var nothing: CChar = 0
            shim_sqlite3_bind_text_transient(handle, bound, &nothing, 0)
        }
        return self
    }

    /// Binds bytes that are no text.
    @discardableResult
    public func bind(blob value: [UInt8]) -> Statement {
        bound += 1
        value.withUnsafeBytes { bytes in
            _ = shim_sqlite3_bind_blob_transient(handle, bound, bytes.baseAddress, Int32(clamping: bytes.count))
        }
        return self
    }

    /// Runs to the end.
    public func run() throws {
        while try next() {}
        reset()
    }

    /// Steps to the next row; `false` at the end.
    public func next() throws -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let failure = database.error(code)
        reset()
        throw failure
    }

    /// What `row` makes of each row; the statement is free again afterwards.
    public func all<Row>(_ row: (Statement) throws -> Row) throws -> [Row] {
        defer { reset() }
        var result: [Row] = []
        while try next() { result.append(try row(self)) }
        return result
    }

    /// What `row` makes of the first row.
    public func first<Row>(_ row: (Statement) throws -> Row) throws -> Row? {
        defer { reset() }
        return try next() ? try row(self) : nil
    }

    /// Whatever number the file has: nothing may be counted with it before it was checked.
    public func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    /// Milliseconds since the epoch, or -1 where that says something. What no clock tells is taken for the nearest time
    /// that one can tell, so that times can be counted with.
    public func time(_ column: Int32) -> Int64 { min(max(int(column), -1), Statement.most) }
    /// How many of something; what no count can be is taken for the nearest that one can.
    public func count(_ column: Int32) -> Int64 { min(max(int(column), 0), Statement.most) }
    private static let most: Int64 = 1 << 53

    public func bool(_ column: Int32) -> Bool { int(column) != 0 }
    public func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    /// The bytes of a text, valid until the next step.
    public func view(_ column: Int32) -> UnsafeRawBufferPointer {
        guard let base = sqlite3_column_text(handle, column) else {
            return UnsafeRawBufferPointer(start: nil, count: 0)
        }
        return UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column)))
    }

    public func text(_ column: Int32) -> String { String(decoding: view(column), as: UTF8.self) }
    public func bytes(_ column: Int32) -> [UInt8] { [UInt8](view(column)) }
    public func blob(_ column: Int32) -> [UInt8] {
        guard let base = sqlite3_column_blob(handle, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))))
    }
    public func optionalBytes(_ column: Int32) -> [UInt8]? { isNull(column) ? nil : bytes(column) }
}
