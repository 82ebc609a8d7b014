import SyncSQLite

/// For a program that only looks at a file: nothing is written, migrated or set aside.
extension StoredFile {
    /// The schema that this library writes.
    public var schema: Int64 {
        switch self {
        case .cache: Int64(CacheSchema.migrations.count)
        case .intents: Int64(IntentStore.migrations.count)
        }
    }

    /// Finds what SQLite would take for a new file, or for an empty log.
    public func check(in directory: String) throws(StoreError) {
        _ = try IntentStore.checkFiles(path(in: directory), isMarked: false)
    }

    /// Opens the file of a directory, as `Connection(reading:)` does. Statements can use `checksum_of_row`. `keys`: of
    /// a directory that is encrypted.
    public func read(
        in directory: String, isSettled: Bool, _ keys: DirectoryKeys? = nil
    ) throws(StoreError) -> Connection {
        let path = path(in: directory)
        guard let keys else {
            return try Connection(reading: path, isSettled: isSettled, functions: ChecksumFunctions.all)
        }
        return try keys.open { (key) throws(StoreError) in
            try Connection(reading: path, isSettled: isSettled, key: (key, pageSize), functions: ChecksumFunctions.all)
        }
    }
}
