import CLinux
import Glibc
import SyncSQLite

/// Checks of files that SQLite would take for new ones, or for an empty log, and overwrite. They are made before SQLite
/// opens the files.
extension IntentStore {
    /// Bytes of a database file's header; SQLite takes a file with fewer for a new one.
    private static let headerSize = 100
    private static let logHeaderSize = 32

    /// Whether intents were written here and their files are gone. A file that is damaged is an error.
    static func checkFiles(_ path: String, isMarked: Bool) throws(StoreError) -> Bool {
        let file = try size(path)
        let log = try size(path + "-wal")
        if let file, file > 0, file < headerSize {
            throw .corrupt(message: "\(path) has \(file) bytes, less than a header")
        }
        if let log, log > logHeaderSize { try checkLog(path + "-wal") }
        guard isMarked else { return false }
        if file == nil, log == nil { return true }
        if (file ?? 0) == 0 { throw .corrupt(message: "\(path) is empty, and messages were kept in it") }
        return false
    }

    /// Bytes of a file; `nil` when there is none.
    private static func size(_ path: String) throws(StoreError) -> Int? {
        var status = stat()
        if stat(path, &status) == 0 { return Int(status.st_size) }
        guard errno == ENOENT else { throw cannotOpen(path) }
        return nil
    }

    private static func cannotOpen(_ path: String) -> StoreError {
        .cannotOpen(path: path, message: String(cString: strerror(errno)))
    }

    /// SQLite ignores a log whose header is wrong, with all that was committed to it. The header is on the disk before
    /// the first commit, and its 32 bytes are in one sector. So a kill or a power loss never leaves a wrong header with
    /// data after it.
    private static func checkLog(_ path: String) throws(StoreError) {
        let descriptor = shim_open(path, O_RDONLY | O_CLOEXEC, 0)
        guard descriptor >= 0 else { throw cannotOpen(path) }
        defer { Glibc.close(descriptor) }
        var header = [UInt8](repeating: 0, count: logHeaderSize)
        let count = pread(descriptor, &header, logHeaderSize, 0)
        guard count == logHeaderSize else { throw cannotOpen(path) }
        guard isLogHeader(header) else { throw .corrupt(message: "\(path) has a damaged header") }
    }

    /// Whether magic number, version and checksum are those of a log (sqlite.org/fileformat2.html#walformat).
    static func isLogHeader(_ header: [UInt8]) -> Bool {
        guard header.count == logHeaderSize else { return false }
        func word(_ index: Int, isBig: Bool = true) -> UInt32 {
            let bytes = header[(index * 4)..<(index * 4 + 4)]
            return (isBig ? Array(bytes) : bytes.reversed()).reduce(0) { $0 << 8 | UInt32($1) }
        }
        guard word(0) | 1 == 0x377F_0683, word(1) == 3_007_000 else { return false }
        let isBig = word(0) & 1 == 1
        var sums: (UInt32, UInt32) = (0, 0)
        for index in stride(from: 0, to: 6, by: 2) {
            sums.0 = sums.0 &+ word(index, isBig: isBig) &+ sums.1
            sums.1 = sums.1 &+ word(index + 1, isBig: isBig) &+ sums.0
        }
        return sums == (word(6), word(7))
    }

    /// Tables whose rows nobody else has, and an index of each.
    private static let indices = [
        ("intent", "sqlite_autoindex_intent_1"), ("database_write", "database_write_by_id"),
        ("draft", "draft_by_place"),
    ]

    /// A file that has this schema version but lacks a part of the schema is damaged: a statement that needs the part
    /// would fail at its first use. So is one where a table and its index have not the same number of rows: SQLite sees
    /// nothing wrong in an empty page that stands in the place of another one.
    static func checkSchema(_ connection: Connection) throws(StoreError) {
        for table in Table.all {
            // A statement that does not compile is `.corrupt`.
            _ = try connection.prepare("SELECT \(table.key), \(table.columns) FROM \(table.rawValue) LIMIT 0")
            _ = try connection.prepare("SELECT \(table.columns) FROM \(table.aside) LIMIT 0")
        }
        _ = try connection.prepare("SELECT name, value, checksum FROM kept LIMIT 0")
        _ = try connection.prepare("SELECT name, seq FROM sqlite_sequence")
        for (table, index) in indices {
            let rows = try connection.prepare("""
                SELECT (SELECT count(*) FROM \(table) NOT INDEXED), (SELECT count(*) FROM \(table) INDEXED BY \(index))
                """)
            defer { rows.reset() }
            guard try rows.next(), rows.int(0) == rows.int(1) else {
                throw .corrupt(message: "in intents.db the table \(table) and its index have not the same rows")
            }
        }
    }
}
