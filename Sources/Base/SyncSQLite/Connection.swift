import CLinux
import CSQLite
import Glibc
import SyncBytes

/// One connection to a file of SQLite, or to one in memory, with its prepared statements. One thread at a time.
///
/// A transaction is all or nothing even when its body ignores an error: after a failure inside, every later statement
/// of it gives the same error, and it ends with a rollback. On some errors, such as a full disk, SQLite rolls back by
/// itself; without this rule the statements after that would be committed one by one.
public final class Connection {
    /// SQL as a key. Statements are long and few, and looked up for every use. Most differ in length, so only the
    /// length is hashed; hashing the whole text would cost as much as running some of them.
    private struct Key: Hashable {
        let sql: String

        func hash(into hasher: inout Hasher) { hasher.combine(sql.utf8.count) }
    }

    private var handle: OpaquePointer?
    /// Replaced by SQLCipher when the file is encrypted while it is open.
    private var library: SQLiteLibrary
    private let opening: Opening
    private var key: FileKey?
    private var functions: [SQLFunction]
    private var statements: [Key: Statement] = [:]
    public private(set) var isInTransaction = false
    /// The first error of the current transaction.
    private var doom: StoreError?
    /// Called before each commit; tests let it throw to see what a full disk does.
    public var beforeCommit: (() throws(StoreError) -> Void)?
    /// Called before each statement that writes, with its SQL; tests let it throw, or end the process there.
    public var beforeWrite: ((String) throws(StoreError) -> Void)?
    /// Whether a value of a type that its column cannot have counts as damage of the whole file, not only of its row.
    public var checksTypes = false
    /// Called whenever damage of the file is found.
    public var onDamage: (() -> Void)?

    /// SQLITE_CORRUPT_VTAB, whose macro Swift does not see: the code of a damaged full-text index.
    public static let damagedIndex: Int32 = 267
    /// Whether a code says that SQLite rejects a statement, or the values that it writes. The library's own statements
    /// are right, so for one of them the code means that the file was damaged or changed by others.
    public static func isMistake(_ code: Int32) -> Bool { [SQLITE_ERROR, SQLITE_CONSTRAINT].contains(code & 0xFF) }

    /// Milliseconds to wait for another process that has the file locked, and for another process that only reads.
    private static let patience: Int32 = 5000
    private static let patienceWithReaders: Int32 = 250
    /// The most statements that are kept prepared. Only filters can make more different texts than the program itself
    /// has.
    private static let mostStatements = 1000
    /// The longest path, in bytes, for which SQLite can also open the log: its buffers have 512 bytes.
    private static let longestPath = 504
    private let path: String
    /// Copies the log into the file on another thread; when it is `nil`, this connection copies the log itself.
    private var copier: (any LogCopying)?
    private var log = LogLength()

    /// How the file is opened, except for its key.
    private struct Opening {
        let name: String
        let flags: Int32
        let gathersLog: Bool
        /// Bytes; has an effect on a new file only.
        let pageSize: Int?
        let pragmas: [String]
    }

    var sqlite: UnsafePointer<shim_sqlite> { library.functions }

    /// The path that stands for a database in memory; it is this connection's own, and ends with it.
    public static let inMemory = ConnectionSettings.inMemory

    /// Opens or creates a file, or a database in memory.
    public init(path: String, _ settings: ConnectionSettings) throws(StoreError) {
        if path != Connection.inMemory { try DatabaseFiles.checkKind(of: path) }
        self.path = path
        key = path == Connection.inMemory ? nil : settings.key
        library = try Connection.library(for: key)
        functions = settings.functions
        let creating = settings.isPrivate ? 0 : SQLITE_OPEN_CREATE
        opening = Opening(
            name: path, flags: SQLITE_OPEN_READWRITE | creating, gathersLog: settings.gathersLog,
            pageSize: settings.pageSize, pragmas: settings.pragmas(path: path))
        if settings.isPrivate {
            let descriptor = shim_open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
            guard descriptor >= 0 else {
                throw .cannotOpen(path: path, message: String(cString: strerror(errno)))
            }
            close(descriptor)
        }
        try open()
    }

    /// Opens an existing file for reading only, also while others write. When a log has no index, SQLite creates the
    /// index. `isSettled`: there is no log and nobody writes. Then nothing is created and nothing is locked, so the
    /// directory may be read-only; if somebody writes nevertheless, the file may seem damaged.
    public init(
        reading path: String, isSettled: Bool, key: (FileKey, pageSize: Int)? = nil, functions: [SQLFunction]
    ) throws(StoreError) {
        try DatabaseFiles.checkKind(of: path)
        self.path = path
        self.key = key?.0
        library = try Connection.library(for: key?.0)
        self.functions = functions
        // When a path begins with two slashes, SQLite would take the text behind them, up to the next slash, for a
        // host.
        let scheme = path.beginsWithBytes(of: "/") ? "file://" : "file:"
        let address = scheme + PercentEncoding.escape(path, keeping: "/-._~") + (isSettled ? "?immutable=1" : "")
        opening = Opening(
            name: address, flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, gathersLog: false,
            pageSize: key?.pageSize,
            pragmas: ["query_only = ON", "cell_size_check = ON"])
        try open()
    }

    /// Opens the file of another connection once more, to copy its log into it.
    private init(copyingLogOf other: Connection) throws(StoreError) {
        path = other.path
        key = other.key
        library = other.library
        functions = []
        opening = Opening(
            name: path, flags: SQLITE_OPEN_READWRITE, gathersLog: false,
            pageSize: key == nil ? nil : other.opening.pageSize, pragmas: ["synchronous = NORMAL"])
        try open()
    }

    private static func library(for key: FileKey?) throws(StoreError) -> SQLiteLibrary {
        key == nil ? .linked : try SQLiteLibrary.encrypting.get()
    }

    private func open() throws(StoreError) {
        let flags = opening.flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE
        let vfs = opening.gathersLog ? library.gatheringVFS : nil
        let code = sqlite.pointee.open_v2(opening.name, &handle, flags, vfs)
        guard code == SQLITE_OK else {
            var message = handle == nil ? "out of memory" : lastMessage
            shut()
            if path.utf8.count > Connection.longestPath {
                message = "SQLite takes paths of at most \(Connection.longestPath) bytes, "
                    + "this one has \(path.utf8.count)"
            }
            throw .cannotOpen(path: path, message: message)
        }
        // SQLite opens a file for reading when the system does not open it for writing, whatever the reason.
        if opening.flags & SQLITE_OPEN_READWRITE != 0, sqlite.pointee.db_readonly(handle, "main") == 1,
            access(path, W_OK) == 0
        {
            shut()
            throw .cannotOpen(path: path, message: "the system did not open it for writing")
        }
        _ = sqlite.pointee.busy_timeout(handle, Connection.patience)
        do throws(StoreError) {
            for function in functions { try add(function) }
            if let key { try unlock(key) }
            if let pageSize = opening.pageSize { try execute("PRAGMA \(pageSizePragma) = \(pageSize)") }
            for pragma in opening.pragmas { try execute("PRAGMA " + pragma) }
            try checkEncryption()
            watchLog()
        } catch {
            guard case .failed(_, let message) = error else { throw error }
            throw .cannotOpen(path: path, message: message)
        }
    }

    deinit { shut() }

    /// Makes one more function known to the connection.
    public func install(_ function: SQLFunction) throws(StoreError) {
        try add(function)
        functions.append(function)
    }

    private func add(_ function: SQLFunction) throws(StoreError) {
        try check()
        let code = function.install(in: handle, of: library)
        if code != SQLITE_OK { throw failure(code) }
    }

    // MARK: Encryption

    /// Encrypted files have a setting of their own: their page size cannot be read from the file before it is
    /// decrypted.
    private var pageSizePragma: String { key == nil ? "page_size" : "cipher_page_size" }

    private func unlock(_ key: FileKey) throws(StoreError) {
        let code = key.apply(to: handle, of: sqlite)
        guard code == SQLITE_OK else { throw failure(code) }
        // By itself SQLCipher writes its errors to the host's stderr. The first key of a process sets the level
        // again; no page has been read yet.
        try execute("PRAGMA cipher_log_level = NONE")
    }

    /// Checks that the file is encrypted, since a library that ignores the key would write the file as plain text.
    private func checkEncryption() throws(StoreError) {
        guard key != nil else { return }
        // Read through the connection: closing another descriptor of the file would end this process's locks on it.
        var file: UnsafeMutablePointer<sqlite3_file>?
        let code = sqlite.pointee.file_control(handle, "main", SQLITE_FCNTL_FILE_POINTER, &file)
        guard code == SQLITE_OK, let file, let methods = file.pointee.pMethods else { throw failure(code) }
        let mark = Array("SQLite format 3".utf8)
        var start = [UInt8](repeating: 0, count: mark.count)
        // When the file has no first page, SQLite reads fewer bytes and fills the rest with zeros.
        _ = methods.pointee.xRead(file, &start, Int32(start.count), 0)
        guard start != mark else {
            shut()
            throw .noEncryption(found: "a file was written in the clear in spite of its key")
        }
    }

    /// Encrypts the file with another key; it has to be encrypted already. The whole file is written again.
    public func setKey(_ key: FileKey) throws(StoreError) {
        try check()
        statements = [:]
        copier?.finish()
        let code = key.replace(in: handle, of: sqlite)
        guard code == SQLITE_OK else { throw failure(code) }
        self.key = key
    }

    /// Closes the file while `body` works on it, and opens it again: with the key that `body` gives, or as it was when
    /// `body` fails. Installed functions and the connection's own triggers are set up again.
    public func whileShut(_ body: () throws(StoreError) -> FileKey) throws(StoreError) {
        try check()
        let triggers = try ownTriggers()
        shut()
        var failure: StoreError?
        do throws(StoreError) {
            key = try body()
            library = try Connection.library(for: key)
        } catch {
            failure = error
        }
        try open()
        // SQLite keeps the trigger's text without the word TEMP.
        for text in triggers { try execute("CREATE TEMP" + text.dropFirst("CREATE".count)) }
        if let failure { throw failure }
    }

    /// The texts of the connection's own triggers. The statement must be gone before the file is closed: SQLite would
    /// keep the file open with it.
    private func ownTriggers() throws(StoreError) -> [String] {
        let triggers = try prepare("SELECT sql FROM sqlite_temp_schema WHERE type = 'trigger'")
        var texts: [String] = []
        while try triggers.next() { texts.append(triggers.text(0)) }
        return texts
    }

    /// Closes the file. Everything afterwards gives an error.
    public func shut() {
        statements = [:]
        copier?.finish()
        _ = sqlite.pointee.close_v2(handle)
        handle = nil
    }

    /// The error for a result code. Inside a transaction, the transaction can then only be rolled back.
    func failure(_ code: Int32) -> StoreError { noted(classified(code)) }

    /// The error for a damaged row in which SQLite finds nothing wrong.
    public func damage(_ message: String) -> StoreError { noted(.corrupt(message: message)) }

    /// The same for a damaged row that is treated as missing: the transaction goes on.
    public func damageOfMissing(_ message: String) -> StoreError {
        onDamage?()
        return .corrupt(message: message)
    }

    private func noted(_ error: StoreError) -> StoreError {
        if case .corrupt = error { onDamage?() }
        if isInTransaction, doom == nil { doom = error }
        return error
    }

    private var lastMessage: String { sqlite.pointee.errmsg(handle).map { String(cString: $0) } ?? "" }

    private func classified(_ code: Int32) -> StoreError {
        guard let handle else { return .failed(code: SQLITE_MISUSE, message: "the store is closed") }
        let hasMessage = sqlite.pointee.errcode(handle) != SQLITE_OK
        let message = hasMessage ? lastMessage : sqlite.pointee.errstr(code).map { String(cString: $0) } ?? ""
        switch code & 0xFF {
        case SQLITE_FULL: return .full
        // Only the full-text index is damaged, and it can be made again.
        case SQLITE_CORRUPT where code == Connection.damagedIndex: return .failed(code: code, message: message)
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .corrupt(message: message)
        case SQLITE_IOERR, SQLITE_CANTOPEN:
            // The WAL's index and its first page are made by other calls than write(2), for which SQLite does not
            // report "full".
            let cause = sqlite.pointee.system_errno(handle)
            return cause == ENOSPC || cause == EDQUOT ? .full : .failed(code: code, message: message)
        default: return .failed(code: code, message: message)
        }
    }

    private func check() throws(StoreError) {
        if let doom { throw doom }
        if handle == nil { throw failure(SQLITE_MISUSE) }
    }

    /// Checks that the file can be written to. When its header says that this SQLite can only read it, although the
    /// process may write it, the header is damaged. Nothing is said of any other obstacle: the first change meets it.
    public func checkWritable() throws(StoreError) {
        guard path != Connection.inMemory else { return }
        // SQLite knows what the header says when it has read it.
        try execute("PRAGMA schema_version")
        if sqlite.pointee.db_readonly(handle, "main") == 1, access(path, W_OK) == 0 {
            throw damage("\(path) is of a kind that this library can only read")
        }
    }

    /// Runs statements whose rows are not needed.
    public func execute(_ sql: String) throws(StoreError) {
        try check()
        let code = sqlite.pointee.exec(handle, sql, nil, nil, nil)
        if code != SQLITE_OK { throw failure(code) }
    }

    // MARK: The log

    /// Lets another thread copy the log, from now on.
    public func copyLog(by copier: any LogCopying) { self.copier = copier }

    /// Whether the log is being copied. Work that can wait should, so that the log can begin again.
    public var isCopyingLog: Bool { copier?.isCopying ?? false }

    /// Asks SQLite to tell the log's length after each commit, instead of copying it there by itself.
    private func watchLog() {
        guard opening.flags & SQLITE_OPEN_READWRITE != 0 else { return }
        _ = sqlite.pointee.wal_hook(handle, { connection, _, _, pages in
            guard let connection else { return SQLITE_OK }
            Unmanaged<Connection>.fromOpaque(connection).takeUnretainedValue().logGrew(to: pages)
            return SQLITE_OK
        }, Unmanaged.passUnretained(self).toOpaque())
    }

    private func logGrew(to pages: Int32) {
        switch log.take(pages) {
        case .nothing: break
        case .copy:
            if copier?.begin({ () throws(StoreError) in try self.logCopy() }) != true {
                copyLog()
            }
        case .copyAll:
            copier?.finish()
            copyLog()
        }
    }

    /// Another connection to the file, which only copies the log.
    private func logCopy() throws(StoreError) -> LogCopy {
        let other = try Connection(copyingLogOf: self)
        return LogCopy { other.copyLog() }
    }

    /// Copies as much of the log as it can into the file, without waiting for readers. The next call copies the rest.
    private func copyLog() {
        _ = sqlite.pointee.wal_checkpoint_v2(handle, nil, SQLITE_CHECKPOINT_PASSIVE, nil, nil)
    }

    /// Copies the log into the file and empties it. Waits a short time for a reader in another process; if that goes on
    /// reading, the log keeps its old data, and that is an error. In memory there is no log.
    public func emptyLog() throws(StoreError) {
        try check()
        guard path != Connection.inMemory else { return }
        copier?.finish()
        _ = sqlite.pointee.busy_timeout(handle, Connection.patienceWithReaders)
        defer { _ = sqlite.pointee.busy_timeout(handle, Connection.patience) }
        let checkpoint = try prepare("PRAGMA wal_checkpoint(TRUNCATE)")
        defer { checkpoint.reset() }
        guard try checkpoint.next(), checkpoint.int(0) == 0 else {
            throw noted(.inUse(path: path))
        }
    }

    /// A statement, prepared once per connection and reset for its next use.
    public func prepare(_ sql: String) throws(StoreError) -> Statement {
        try check()
        let key = Key(sql: sql)
        if let known = statements[key] {
            known.reset()
            return known
        }
        var prepared: OpaquePointer?
        let code = sqlite.pointee.prepare_v3(handle, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &prepared, nil)
        // The statements are the library's own, so one that does not compile means that the file lacks a table of its
        // schema.
        guard code == SQLITE_OK, let prepared else { throw failure(code == SQLITE_ERROR ? SQLITE_CORRUPT : code) }
        let statement = Statement(prepared, sql: sql, of: self)
        if statements.count >= Connection.mostStatements { statements = [:] }
        statements[key] = statement
        return statement
    }

    /// Called by a statement that is about to write. An error that the hook throws has the effect of a failed
    /// statement.
    func willWrite(_ sql: String) throws(StoreError) {
        guard isInTransaction, let beforeWrite else { return }
        do throws(StoreError) {
            try beforeWrite(sql)
        } catch {
            throw noted(error)
        }
    }

    /// The text of every statement prepared so far, for tests that look at their plans.
    public var preparedSQL: [String] { statements.keys.map(\.sql) }

    /// Whether a statement is in the middle of its rows: it would keep the log from being brought into the file, and
    /// the log would grow without end. For tests.
    public var hasUnfinishedStatement: Bool {
        var statement = sqlite.pointee.next_stmt(handle, nil)
        while let current = statement {
            if sqlite.pointee.stmt_busy(current) != 0 { return true }
            statement = sqlite.pointee.next_stmt(handle, current)
        }
        return false
    }

    /// The steps of all statements since the last call, for tests of what a call costs.
    public func takeSteps() -> Int64 { statements.values.reduce(0) { $0 + $1.takeSteps() } }

    /// Runs `body` as one transaction, all or nothing. A call inside another one is part of the outer transaction. When
    /// a statement fails, the whole transaction is undone, also when `body` catches the error.
    public func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        if isInTransaction {
            do throws(StoreError) {
                return try body()
            } catch {
                if doom == nil { doom = error }
                throw error
            }
        }
        try begin()
        defer { end() }
        do throws(StoreError) {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    /// The same for a body that also throws errors of other types. When it catches one of these itself, the transaction
    /// goes on; after an error of the file the whole transaction is undone.
    public func atomically<T>(_ body: () throws -> T) throws -> T {
        if isInTransaction { return try body() }
        try begin()
        defer { end() }
        do {
            let result = try body()
            try commit()
            return result
        } catch {
            rollBack()
            throw error
        }
    }

    private func begin() throws(StoreError) {
        try prepare("BEGIN IMMEDIATE").run()
        isInTransaction = true
    }

    private func end() {
        isInTransaction = false
        doom = nil
    }

    private func commit() throws(StoreError) {
        try check()
        try beforeCommit?()
        try prepare("COMMIT").run()
    }

    private func rollBack() {
        // A failed statement may have rolled back by itself; then there is nothing left to undo.
        guard let handle, sqlite.pointee.get_autocommit(handle) == 0 else { return }
        _ = sqlite.pointee.exec(handle, "ROLLBACK", nil, nil, nil)
    }

    /// Rows that the last statement wrote.
    public var changes: Int { handle.map { Int(sqlite.pointee.changes($0)) } ?? 0 }

    /// Rows that all statements have written, including those of triggers.
    public var totalChanges: Int { handle.map { Int(sqlite.pointee.total_changes($0)) } ?? 0 }

    public var lastInsertID: Int64 { handle.map { sqlite.pointee.last_insert_rowid($0) } ?? 0 }
}
