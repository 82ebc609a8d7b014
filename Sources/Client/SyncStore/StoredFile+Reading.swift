import SyncSQLite

/// For a program that only looks at a file: nothing is written, migrated or set aside.
extension StoredFile {
    /// The schema that this library writes.
    public var schema: Int64 {
        switch self {
        case .cache: Int64(CacheSchema.migrations.count)
        case .intents: Int64(IntentSchema.migrations.count)
        }
    }

    /// Throws when SQLite would take a damaged file for a new one, or a damaged log for an empty one.
    public func check(in directory: String) throws(StoreError) {
        _ = try IntentStore.checkFiles(path(in: directory), isMarked: false)
    }

    /// Opens the file of a directory, as `Connection(reading:)` does. Statements can use `checksum_of_row`. `keys`: of
    /// a directory that is encrypted.
    public func read(
        in directory: String, isSettled: Bool, _ keys: DirectoryKeys? = nil
    ) throws(StoreError) -> Connection {
        try DirectoryKeys.open(keys, onlyReads: true) { (key) throws(StoreError) in
            let connection = try Connection(
                reading: path(in: directory), isSettled: isSettled, key: key.map { ($0, pageSize) },
                functions: ChecksumFunctions.all)
            // A key that does not fit is found by the first page.
            _ = try connection.schemaVersion()
            return connection
        }
    }
}
