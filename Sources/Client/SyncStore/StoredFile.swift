import SyncSQLite

/// A file of a user's data, for a program that only looks at it: nothing is written, migrated or set aside.
public enum StoredFile: String, CaseIterable, Sendable {
    case cache = "cache.db"
    case intents = "intents.db"

    /// The schema that this library writes.
    public var schema: Int64 {
        switch self {
        case .cache: Int64(CacheSchema.migrations.count)
        case .intents: Int64(IntentStore.migrations.count)
        }
    }

    /// Finds what SQLite would take for a new file, or for an empty log.
    public func check(in directory: String) throws(StoreError) {
        _ = try IntentStore.checkFiles(directory + "/" + rawValue, isMarked: false)
    }

    /// Opens the file of a directory, as `Connection(reading:)` does. Statements can use `checksum_of_row`.
    public func read(in directory: String, isSettled: Bool) throws(StoreError) -> Connection {
        try Connection(
            reading: directory + "/" + rawValue, isSettled: isSettled, functions: ChecksumFunctions.all)
    }
}
