/// How a file is opened, and how it is written.
public struct ConnectionSettings {
    /// When what was committed is on the disk for sure.
    public enum Safety: String, Sendable {
        /// At the end of each transaction.
        case full = "FULL"
        /// When the log is copied into the file: a power cut may cost the last transactions, a kill none.
        case normal = "NORMAL"
    }

    public var safety: Safety
    /// Bytes; for a new file.
    public var pageSize: Int
    /// KiB of pages that are kept in memory.
    public var cacheSize: Int
    /// Bytes of the log that stay on the disk when all of it was copied into the file.
    public var logLimit: Int
    /// Whether nobody but the file's owner can read it, when it is made here. One in memory is nobody's.
    public var isPrivate = false
    /// Whether what was deleted is overwritten.
    public var erasesDeleted = false
    /// Whether each commit is written to the log by one call.
    public var gathersLog = false
    /// Whether what is committed goes to a log first, and into the file later.
    public var keepsLog = true
    /// With a key the file is encrypted, and opened by SQLCipher. In memory it has no effect.
    public var key: FileKey?
    public var functions: [SQLFunction] = []

    public init(safety: Safety, pageSize: Int, cacheSize: Int, logLimit: Int) {
        self.safety = safety
        self.pageSize = pageSize
        self.cacheSize = cacheSize
        self.logLimit = logLimit
    }

    static let inMemory = ":memory:"

    /// In the order in which they have an effect.
    func pragmas(path: String) -> [String] {
        var pragmas: [String] = []
        if path == ConnectionSettings.inMemory {
            // Else a large sort would go to a file.
            pragmas.append("temp_store = MEMORY")
        } else {
            pragmas += [
                "journal_mode = \(keepsLog ? "WAL" : "DELETE")", "synchronous = \(safety.rawValue)",
                "journal_size_limit = \(logLimit)",
            ]
        }
        pragmas.append("cache_size = -\(cacheSize)")
        if erasesDeleted { pragmas.append("secure_delete = ON") }
        return pragmas
    }
}
