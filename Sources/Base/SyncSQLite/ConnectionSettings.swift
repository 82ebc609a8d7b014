/// How a file is opened, and how it is written.
public struct ConnectionSettings {
    /// When a commit is safely on the disk.
    public enum Safety: String, Sendable {
        /// At the end of each transaction.
        case full = "FULL"
        /// When the log is copied into the file: a power cut may lose the last transactions, a killed process loses
        /// none.
        case normal = "NORMAL"
        /// When the system writes it: a power cut may lose everything, a killed process loses nothing.
        case none = "OFF"
    }

    public var safety: Safety
    /// Bytes; has an effect on a new file only.
    public var pageSize: Int
    /// KiB of pages that are kept in memory.
    public var cacheSize: Int
    /// The most bytes of the log that stay on the disk after all of it was copied into the file.
    public var logLimit: Int
    /// Whether a file that is created here can be read by its owner only. No effect on a database in memory.
    public var isPrivate = false
    /// Whether deleted data is overwritten.
    public var erasesDeleted = false
    /// Whether each commit is written to the log by one call.
    public var gathersLog = false
    /// Whether commits go to a log first (WAL), and into the file later.
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

    /// The pragmas for these settings, in the order in which they are to be set.
    func pragmas(path: String) -> [String] {
        var pragmas: [String] = []
        if path == ConnectionSettings.inMemory {
            // Otherwise SQLite would write a large sort to a file.
            pragmas.append("temp_store = MEMORY")
        } else {
            // In this order: to make a new file keep a log is a write, too.
            pragmas += [
                "synchronous = \(safety.rawValue)", "journal_mode = \(keepsLog ? "WAL" : "DELETE")",
                "journal_size_limit = \(logLimit)",
            ]
        }
        pragmas.append("cache_size = -\(cacheSize)")
        if erasesDeleted { pragmas.append("secure_delete = ON") }
        return pragmas
    }
}
