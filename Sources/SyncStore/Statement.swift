import CSQLite

/// A prepared statement: bind in order, then `run` or step with `next`.
final class Statement {
    private let handle: OpaquePointer
    private unowned let database: Database
    private var bound: Int32 = 0

    init(_ handle: OpaquePointer, of database: Database) {
        self.handle = handle
        self.database = database
    }

    deinit { sqlite3_finalize(handle) }

    func reset() {
        sqlite3_reset(handle)
        bound = 0
    }

    @discardableResult
    func bind(_ value: Int64) -> Statement {
        bound += 1
        sqlite3_bind_int64(handle, bound, value)
        return self
    }

    @discardableResult
    func bind(_ value: Bool) -> Statement { bind(value ? 1 : 0) }

    @discardableResult
    func bind(_ value: String) -> Statement {
        bound += 1
        var copy = value
        copy.withUTF8 { utf8 in
            _ = utf8.withMemoryRebound(to: CChar.self) {
                shim_sqlite3_bind_text_transient(handle, bound, $0.baseAddress ?? Statement.empty, Int32(clamping: $0.count))
            }
        }
        return self
    }

    /// Binds bytes as a text that SQLite copies.
    @discardableResult
    func bind(text bytes: UnsafeRawBufferPointer) -> Statement {
        bound += 1
        let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Statement.empty
        shim_sqlite3_bind_text_transient(handle, bound, base, Int32(clamping: bytes.count))
        return self
    }

    /// Binds bytes that outlive the next `run`; nothing is copied.
    @discardableResult
    func bind(lastingText bytes: UnsafeRawBufferPointer) -> Statement {
        bound += 1
        let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Statement.empty
        shim_sqlite3_bind_text_static(handle, bound, base, Int32(clamping: bytes.count))
        return self
    }

    @discardableResult
    func bind(_ value: [UInt8]) -> Statement { value.withUnsafeBytes { bind(text: $0) } }

    nonisolated(unsafe) private static let empty = UnsafePointer<CChar>(UnsafeMutablePointer<CChar>.allocate(capacity: 1))

    /// Runs to the end.
    func run() throws(StoreError) {
        while try next() {}
        reset()
    }

    /// Steps to the next row; `false` at the end.
    func next() throws(StoreError) -> Bool {
        let code = sqlite3_step(handle)
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let failure = database.error(code)
        reset()
        throw failure
    }

    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }
    func bool(_ column: Int32) -> Bool { int(column) != 0 }
    func isNull(_ column: Int32) -> Bool { sqlite3_column_type(handle, column) == SQLITE_NULL }

    func text(_ column: Int32) -> String {
        guard let base = sqlite3_column_text(handle, column) else { return "" }
        let count = Int(sqlite3_column_bytes(handle, column))
        return String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
    }

    func bytes(_ column: Int32) -> [UInt8] {
        guard let base = sqlite3_column_text(handle, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: base, count: Int(sqlite3_column_bytes(handle, column))))
    }
}
