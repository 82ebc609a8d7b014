import CSQLite
import ServerBase
import SyncBytes

/// One SQLite connection, in memory or in a file, with its prepared statements.
public final class Database {
    private var handle: OpaquePointer?
    private var statements: TextMap<Statement> = [:]
    public private(set) var isInTransaction = false

    /// Opens or creates a database; ":memory:" keeps it in memory.
    public init(path: String) throws {
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK else {
            let failure = error(code)
            sqlite3_close_v2(handle)
            handle = nil
            throw failure
        }
        sqlite3_busy_timeout(handle, 5000)
        try execute("PRAGMA page_size = 16384")
        if path != ":memory:" {
            try execute("PRAGMA journal_mode = WAL")
            // A killed server loses nothing; only a power cut may cost the last moments, as a development server may.
            try execute("PRAGMA synchronous = NORMAL")
            try execute("PRAGMA journal_size_limit = 67108864")
        }
        try execute("PRAGMA cache_size = -65536")
    }

    deinit { close() }

    public func close() {
        statements = [:]
        sqlite3_close_v2(handle)
        handle = nil
    }

    public func error(_ code: Int32) -> DatabaseError {
        DatabaseError(
            code: code, message: handle.map { String(cString: sqlite3_errmsg($0)) } ?? "the database is closed")
    }

    /// Runs statements that give no rows that matter.
    public func execute(_ sql: String) throws {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// A statement, prepared once and reset for its next use.
    public func prepare(_ sql: String) throws -> Statement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code) }
        let statement = Statement(prepared, of: self)
        // Filters make many texts; a thousand of them are enough to remember.
        if statements.count >= 1000 { statements = [:] }
        statements[sql] = statement
        return statement
    }

    /// All or nothing. A call inside another joins it.
    public func transaction<T>(_ body: () throws -> T) throws -> T {
        if isInTransaction { return try body() }
        try prepare("BEGIN IMMEDIATE").run()
        isInTransaction = true
        defer { isInTransaction = false }
        do {
            let result = try body()
            try prepare("COMMIT").run()
            return result
        } catch {
            // A failed statement may have rolled back by itself; then there is nothing left to undo.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// How many rows the last statement changed.
    public var changes: Int { Int(sqlite3_changes(handle)) }
    public var lastInsertID: Int64 { sqlite3_last_insert_rowid(handle) }
}
