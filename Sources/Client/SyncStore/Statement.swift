import CSQLite
import Glibc
import SyncBytes
import SyncModel

/// A prepared statement: bind in order, then `run` or step with `next`. A failed bind is reported when it runs.
final class Statement {
    private let handle: OpaquePointer
    private let sql: String
    private let isWriting: Bool
    unowned let database: Database
    /// The type that the schema gives each column; `SQLITE_NULL` when it gives none, as for an expression.
    private let types: [Int32]
    private var bound: Int32 = 0
    private var bindFailure = SQLITE_OK
    /// Whether a text is bound that SQLite has not copied.
    private var isBorrowing = false

    init(_ handle: OpaquePointer, sql: String, of database: Database) {
        self.handle = handle
        self.sql = sql
        isWriting = sqlite3_stmt_readonly(handle) == 0
        self.database = database
        types = (0..<sqlite3_column_count(handle)).map { Statement.type(sqlite3_column_decltype(handle, $0)) }
    }

    private static func type(_ declared: UnsafePointer<CChar>?) -> Int32 {
        guard let declared else { return SQLITE_NULL }
        if strcmp(declared, "INTEGER") == 0 { return SQLITE_INTEGER }
        return strcmp(declared, "TEXT") == 0 ? SQLITE_TEXT : SQLITE_NULL
    }

    deinit { sqlite3_finalize(handle) }

    /// The highest number of a parameter.
    var parameterCount: Int32 { sqlite3_bind_parameter_count(handle) }

    /// The steps of SQLite's virtual machine since the last call, a measure of the work.
    func takeSteps() -> Int64 { Int64(sqlite3_stmt_status(handle, SQLITE_STMTSTATUS_VM_STEP, 1)) }

    /// Makes the statement ready to be bound again; an unfinished read ends.
    func reset() {
        sqlite3_reset(handle)
        if isBorrowing { sqlite3_clear_bindings(handle) }
        isBorrowing = false
        bindFailure = SQLITE_OK
        bound = 0
    }

    @discardableResult
    func bind(_ value: Int64) -> Statement {
        bound += 1
        note(sqlite3_bind_int64(handle, bound, value))
        return self
    }

    @discardableResult
    func bind(_ value: Bool) -> Statement { bind(value ? 1 : 0) }

    @discardableResult
    func bind(_ value: String) -> Statement {
        var value = value
        return value.withUTF8 { bind(text: UnsafeRawBufferPointer($0)) }
    }

    @discardableResult
    func bind(_ id: some TextID) -> Statement { bind(id.text) }

    @discardableResult
    func bind(_ value: [UInt8]) -> Statement { value.withUnsafeBytes { bind(text: $0) } }

    /// Binds UTF-8 that SQLite copies.
    @discardableResult
    func bind(text bytes: UnsafeRawBufferPointer) -> Statement {
        bind(bytes) { shim_sqlite3_bind_text_transient($0, $1, $2, $3) }
    }

    /// Binds UTF-8 that stays where it is until the statement is reset, as `run` does; nothing is copied.
    @discardableResult
    func bind(lastingText bytes: UnsafeRawBufferPointer) -> Statement {
        isBorrowing = true
        return bind(bytes) { shim_sqlite3_bind_text_static($0, $1, $2, $3) }
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
    func run() throws(StoreError) {
        while try next() {}
        reset()
    }

    /// Binds a checksum, a text, without copying it, and a key behind them, and runs to the end.
    func run(withChecksum checksum: Int64, text: [UInt8], _ key: Int64? = nil) throws(StoreError) {
        let failure: StoreError? = text.withUnsafeBytes { bytes in
            bind(checksum).bind(lastingText: bytes)
            if let key { bind(key) }
            do throws(StoreError) {
                try run()
                return nil
            } catch {
                return error
            }
        }
        if let failure { throw failure }
    }

    /// Steps to the next row; `false` at the end. Each value has the type that the schema gives its column. SQLite
    /// checks types only when it writes, so this is checked here.
    func next() throws(StoreError) -> Bool {
        guard try step() else { return false }
        guard !database.checksTypes || isTyped else {
            reset()
            throw database.damage("a row has a value of a type that its column cannot have")
        }
        return true
    }

    /// Steps to the next row; `false` at the end. Values may have any type: for rows whose checksum is compared before
    /// anything is read, since a value of another type does not match it.
    func step() throws(StoreError) -> Bool {
        if isWriting {
            do throws(StoreError) {
                try database.willWrite(sql)
            } catch {
                reset()
                throw error
            }
        }
        let code = bindFailure == SQLITE_OK ? sqlite3_step(handle) : bindFailure
        if code == SQLITE_ROW { return true }
        if code == SQLITE_DONE { return false }
        let failure = database.failure(code)
        reset()
        throw failure
    }

    /// Whether each value of the row is of the type that the schema gives its column.
    var isTyped: Bool { types.isEmpty || isTyped(0...Int32(types.count - 1)) }

    /// The same for some columns.
    func isTyped(_ columns: ClosedRange<Int32>) -> Bool {
        for column in columns where types[Int(column)] != SQLITE_NULL {
            if sqlite3_column_type(handle, column) != types[Int(column)] { return false }
        }
        return true
    }

    /// The number as it is in the file. It must be checked before it, or a value made of it, is used in arithmetic.
    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(handle, column) }

    /// A number that the library writes only within this range; one outside is damage of the file.
    func int(_ column: Int32, in range: ClosedRange<Int64>) throws(StoreError) -> Int64 {
        let value = int(column)
        guard range.contains(value) else {
            reset()
            throw database.damage("a row has the number \(value), which no row can have")
        }
        return value
    }

    func bool(_ column: Int32) -> Bool { int(column) != 0 }

    func text(_ column: Int32) -> String {
        let count = Int(sqlite3_column_bytes(handle, column))
        guard count > 0, let base = sqlite3_column_text(handle, column) else { return "" }
        return String(decoding: UnsafeRawBufferPointer(start: base, count: count), as: UTF8.self)
    }

    /// A text without a copy; it is valid until the next step of the statement.
    func utf8(_ column: Int32) -> UnsafeRawBufferPointer {
        let text = sqlite3_column_text(handle, column)
        return UnsafeRawBufferPointer(start: text, count: text == nil ? 0 : Int(sqlite3_column_bytes(handle, column)))
    }

    /// The checksum of columns, in their order, as the row has them.
    func checksum(_ columns: ClosedRange<Int32>) -> Int64 {
        var checksum = RowChecksum()
        for column in columns {
            if sqlite3_column_type(handle, column) == SQLITE_INTEGER {
                checksum.add(int(column))
            } else {
                checksum.add(utf8(column))
            }
        }
        return checksum.value
    }

    /// Whether the checksum of columns equals the value of another column.
    func matches(_ columns: ClosedRange<Int32>, checksum column: Int32) -> Bool { checksum(columns) == int(column) }

    /// Compares the checksum of columns with the value of another column. A mismatch is damage of the file.
    func check(_ columns: ClosedRange<Int32>, checksum column: Int32) throws(StoreError) {
        guard matches(columns, checksum: column) else {
            reset()
            throw database.damage("a row does not match its checksum")
        }
    }

    /// Whether a text column has these bytes.
    func holds(_ text: String, at column: Int32) -> Bool { holds(Array(text.utf8), at: column) }

    /// Whether a text column has these bytes.
    func holds(_ bytes: [UInt8], at column: Int32) -> Bool {
        let count = Int(sqlite3_column_bytes(handle, column))
        guard count == bytes.count else { return false }
        guard count > 0 else { return true }
        guard let base = sqlite3_column_text(handle, column) else { return false }
        return bytes.withUnsafeBytes { wanted in
            guard let start = wanted.baseAddress else { return false }
            return memcmp(base, start, count) == 0
        }
    }

    func bytes(_ column: Int32) -> [UInt8] {
        let count = Int(sqlite3_column_bytes(handle, column))
        guard count > 0, let base = sqlite3_column_text(handle, column) else { return [] }
        return [UInt8](UnsafeRawBufferPointer(start: base, count: count))
    }
}
