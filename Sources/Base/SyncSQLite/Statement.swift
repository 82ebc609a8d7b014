import CSQLite
import Glibc
import SyncBytes

/// A prepared statement: bind in order, then `run` or step with `next`. A failed bind is reported by these.
///
/// A connection has one for each text: preparing the same text again resets it, and ends a loop over its rows.
public final class Statement {
    @usableFromInline let handle: OpaquePointer
    @usableFromInline let sqlite: UnsafePointer<shim_sqlite>
    private let sql: String
    private let isWriting: Bool
    public unowned let connection: Connection
    /// The type that the schema gives each column; `SQLITE_NULL` when it gives none, as for an expression.
    private let types: [Int32]
    private var bound: Int32 = 0
    private var bindFailure = SQLITE_OK
    /// Whether a text is bound that SQLite has not copied.
    private var isBorrowing = false

    init(_ handle: OpaquePointer, sql: String, of connection: Connection) {
        self.handle = handle
        let sqlite = connection.sqlite
        self.sqlite = sqlite
        self.sql = sql
        isWriting = sqlite.pointee.stmt_readonly(handle) == 0
        self.connection = connection
        types = (0..<sqlite.pointee.column_count(handle)).map {
            Statement.type(sqlite.pointee.column_decltype(handle, $0))
        }
    }

    private static func type(_ declared: UnsafePointer<CChar>?) -> Int32 {
        guard let declared else { return SQLITE_NULL }
        if strcmp(declared, "INTEGER") == 0 { return SQLITE_INTEGER }
        return strcmp(declared, "TEXT") == 0 ? SQLITE_TEXT : SQLITE_NULL
    }

    deinit { _ = sqlite.pointee.finalize(handle) }

    /// The highest number of a parameter.
    public var parameterCount: Int32 { sqlite.pointee.bind_parameter_count(handle) }

    /// The steps of SQLite's virtual machine since the last call, a measure of the work.
    public func takeSteps() -> Int64 { Int64(sqlite.pointee.stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)) }

    /// Makes the statement ready to be bound again; an unfinished read ends.
    public func reset() {
        _ = sqlite.pointee.reset(handle)
        if isBorrowing { _ = sqlite.pointee.clear_bindings(handle) }
        isBorrowing = false
        bindFailure = SQLITE_OK
        bound = 0
    }

    @discardableResult
    public func bind(_ value: Int64) -> Statement {
        bound += 1
        note(sqlite.pointee.bind_int64(handle, bound, value))
        return self
    }

    @discardableResult
    public func bind(_ value: Int) -> Statement { bind(Int64(value)) }

    @discardableResult
    public func bind(_ value: Bool) -> Statement { bind(value ? Int64(1) : 0) }

    @discardableResult
    public func bind(_ value: String) -> Statement {
        var value = value
        return value.withUTF8 { bind(text: UnsafeRawBufferPointer($0)) }
    }

    @discardableResult
    public func bind(_ id: some TextID) -> Statement { bind(id.text) }

    @discardableResult
    public func bind(_ value: [UInt8]) -> Statement { value.withUnsafeBytes { bind(text: $0) } }

    /// Binds a text, or NULL.
    @discardableResult
    public func bind(optional value: [UInt8]?) -> Statement {
        if let value { return bind(value) }
        bound += 1
        note(sqlite.pointee.bind_null(handle, bound))
        return self
    }

    /// Binds bytes that are no text; SQLite copies them.
    @discardableResult
    public func bind(blob value: [UInt8]) -> Statement {
        bound += 1
        guard let count = Int32(exactly: value.count) else {
            note(SQLITE_TOOBIG)
            return self
        }
        value.withUnsafeBytes { note(shim_sqlite3_bind_blob_transient(sqlite, handle, bound, $0.baseAddress, count)) }
        return self
    }

    /// Binds UTF-8 that SQLite copies.
    @discardableResult
    public func bind(text bytes: UnsafeRawBufferPointer) -> Statement {
        bind(bytes) { [sqlite] in shim_sqlite3_bind_text_transient(sqlite, $0, $1, $2, $3) }
    }

    /// Binds UTF-8 without a copy: the bytes must stay in place until the statement is reset, as `run` does.
    @discardableResult
    public func bind(lastingText bytes: UnsafeRawBufferPointer) -> Statement {
        isBorrowing = true
        return bind(bytes) { [sqlite] in shim_sqlite3_bind_text_static(sqlite, $0, $1, $2, $3) }
    }

    @inline(__always)
    private func bind(
        _ bytes: UnsafeRawBufferPointer,
        _ call: (OpaquePointer, Int32, UnsafePointer<CChar>, Int32) -> Int32
    ) -> Statement {
        bound += 1
        guard let count = Int32(exactly: bytes.count) else {
            note(SQLITE_TOOBIG)
            return self
        }
        // Without an address SQLite would bind NULL.
        let base = bytes.baseAddress?.assumingMemoryBound(to: CChar.self) ?? Statement.empty
        note(call(handle, bound, base, count))
        return self
    }

    nonisolated(unsafe) private static let empty: UnsafePointer<CChar> = {
        let byte = UnsafeMutablePointer<CChar>.allocate(capacity: 1)
        byte.initialize(to: 0)
        return UnsafePointer(byte)
    }()

    private func note(_ code: Int32) {
        if code != SQLITE_OK, bindFailure == SQLITE_OK { bindFailure = code }
    }

    /// Runs to the end.
    public func run() throws(StoreError) {
        while try next() {}
        reset()
    }

    /// Steps to the next row; `false` at the end. Each value has the type that the schema gives its column. SQLite
    /// checks types only when it writes, so this is checked here.
    public func next() throws(StoreError) -> Bool {
        guard try step() else { return false }
        guard !connection.checksTypes || isTyped else {
            reset()
            throw connection.damage("a row has a value of a type that its column cannot have")
        }
        return true
    }

    /// Steps to the next row; `false` at the end. Values may have any type: for rows whose checksum is compared before
    /// anything is read, since a value of another type does not match it.
    public func step() throws(StoreError) -> Bool {
        if isWriting {
            do throws(StoreError) {
                try connection.willWrite(sql)
            } catch {
                reset()
                throw error
            }
        }
        let code = bindFailure == SQLITE_OK ? sqlite.pointee.step(handle) : bindFailure
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let failure = connection.failure(code)
        reset()
        throw failure
    }

    /// The results of `row` for all rows; the statement is free again afterwards.
    public func all<Row>(_ row: (Statement) throws -> Row) throws -> [Row] {
        defer { reset() }
        var result: [Row] = []
        while try next() { result.append(try row(self)) }
        return result
    }

    /// The result of `row` for the first row; the statement is free again afterwards.
    public func first<Row>(_ row: (Statement) throws -> Row) throws -> Row? {
        defer { reset() }
        return try next() ? try row(self) : nil
    }

    /// Whether each value of the row is of the type that the schema gives its column.
    public var isTyped: Bool { types.isEmpty || isTyped(0...Int32(types.count - 1)) }

    /// The same for some columns.
    public func isTyped(_ columns: ClosedRange<Int32>) -> Bool {
        for column in columns where types[Int(column)] != SQLITE_NULL {
            if sqlite.pointee.column_type(handle, column) != types[Int(column)] { return false }
        }
        return true
    }
}
