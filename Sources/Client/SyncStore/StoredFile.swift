import SyncSQLite

/// A file of a user's data.
public enum StoredFile: String, CaseIterable, Sendable {
    case cache = "cache.db"
    case intents = "intents.db"

    func path(in directory: String) -> String { directory + "/" + rawValue }

    /// Bytes of a page in a new file. A message that is received changes five or six pages of the cache, and each goes
    /// to the disk as a whole: 29 kB, with pages of 16 KiB 94 kB. Larger pages would save a twelfth of SQLite's time
    /// for a backfill, and 4 % of the file. A message to be sent is written to the outbox and removed again, in few
    /// small rows: with pages of 4 KiB that was 19 kB. A file that has other pages keeps them.
    var pageSize: Int {
        switch self {
        case .cache: 4096
        case .intents: 1024
        }
    }

    /// Only its owner can read the file, and what is deleted is overwritten. `isDurable`: it survives power cuts.
    func settings(_ key: FileKey?, isDurable: Bool = true) -> ConnectionSettings {
        let safety: ConnectionSettings.Safety = !isDurable ? .none : self == .cache ? .normal : .full
        var settings = ConnectionSettings(safety: safety, pageSize: pageSize, cacheSize: 4000, logLimit: 16 << 20)
        settings.isPrivate = true
        settings.erasesDeleted = true
        settings.gathersLog = true
        settings.functions = ChecksumFunctions.all
        settings.key = key
        return settings
    }

    /// Opens or creates such a file at a path.
    func open(_ path: String, _ key: FileKey?, isDurable: Bool = true) throws(StoreError) -> Connection {
        try Connection(path: path, settings(key, isDurable: isDurable))
    }

    /// The same in memory.
    func inMemory() throws(StoreError) -> Connection {
        var settings = settings(nil)
        settings.isPrivate = false
        settings.gathersLog = false
        return try Connection(path: Connection.inMemory, settings)
    }
}
