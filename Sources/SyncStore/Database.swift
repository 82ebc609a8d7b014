import CLinux
import CSQLite
import Glibc

/// One SQLite connection with its prepared statements. One thread at a time.
final class Database {
    private var handle: OpaquePointer?
    private var statements: [String: Statement] = [:]
    private var depth = 0
    /// Asked before each commit; a test makes it throw to see what a full disk does.
    var beforeCommit: (() throws(StoreError) -> Void)?

    /// Opens or creates a file that only its owner can read.
    init(path: String, synchronous: String) throws(StoreError) {
        let descriptor = shim_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw .cannotOpen(path: path, message: String(cString: strerror(errno)))
        }
        close(descriptor)
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, nil)
        guard code == SQLITE_OK else {
            let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close_v2(handle)
            handle = nil
            throw .cannotOpen(path: path, message: message)
        }
        sqlite3_busy_timeout(handle, 5000)
        do throws(StoreError) {
            try execute("PRAGMA page_size = 16384")
            try execute("PRAGMA journal_mode = WAL")
            try execute("PRAGMA synchronous = \(synchronous)")
            try execute("PRAGMA cache_size = -4000")
            try execute("PRAGMA secure_delete = ON")
            try execute("PRAGMA journal_size_limit = 16777216")
        } catch {
            shut()
            throw error
        }
    }

    deinit { shut() }

    func shut() {
        statements = [:]
        sqlite3_close_v2(handle)
        handle = nil
    }

    func error(_ code: Int32) -> StoreError {
        let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "the database is closed"
        switch code & 0xFF {
        case SQLITE_FULL: return .full
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt(message: message)
        default: return .failed(code: code, message: message)
        }
    }

    /// Runs statements that give no rows that matter.
    func execute(_ sql: String) throws(StoreError) {
        let code = sqlite3_exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw error(code) }
    }

    /// A statement, prepared once per connection and reset for its next use.
    func prepare(_ sql: String) throws(StoreError) -> Statement {
        if let known = statements[sql] {
            known.reset()
            return known
        }
        var prepared: OpaquePointer?
        let code = sqlite3_prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        guard code == SQLITE_OK, let prepared else { throw error(code) }
        let statement = Statement(prepared, of: self)
        statements[sql] = statement
        return statement
    }

    /// All or nothing. A call inside another joins it.
    func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        if depth > 0 { return try body() }
        try prepare("BEGIN IMMEDIATE").run()
        depth = 1
        defer { depth = 0 }
        do throws(StoreError) {
            let result = try body()
            try beforeCommit?()
            try prepare("COMMIT").run()
            return result
        } catch {
            // A failed statement may have rolled back by itself; then there is nothing left to undo.
            if sqlite3_get_autocommit(handle) == 0 { try? execute("ROLLBACK") }
            throw error
        }
    }

    /// Applies the migrations that the file has not seen. Each has a number, its place in the list, and never changes.
    func migrate(_ migrations: [String]) throws(StoreError) {
        let version = try prepare("PRAGMA user_version")
        let found = try version.next() ? version.int(0) : 0
        version.reset()
        let known = Int64(migrations.count)
        guard found <= known else { throw .newerSchema(found: found, known: known) }
        for number in found..<known {
            try transaction { () throws(StoreError) in
                try execute(migrations[Int(number)])
                try execute("PRAGMA user_version = \(number + 1)")
            }
        }
    }

    var changes: Int { Int(sqlite3_changes(handle)) }
    var lastInsertID: Int64 { sqlite3_last_insert_rowid(handle) }
}
