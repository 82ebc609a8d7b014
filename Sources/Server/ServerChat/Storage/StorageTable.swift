import SyncSQLite

/// A table of the storage, or a few that belong together.
protocol StorageTable {
    var storage: Storage { get }
}

extension StorageTable {
    var connection: Connection { storage.connection }
}
