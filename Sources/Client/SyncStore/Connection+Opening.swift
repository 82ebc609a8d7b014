import SyncSQLite

/// Why a store could not do what it was asked.
public typealias StoreError = SyncSQLite.StoreError

extension Connection {
    /// Opens or creates a file of a user's data, which only its owner can read, or the same in memory. `pageSize`
    /// (bytes) is used for a new file only.
    convenience init(path: String, safety: ConnectionSettings.Safety, pageSize: Int) throws(StoreError) {
        var settings = ConnectionSettings(safety: safety, pageSize: pageSize, cacheSize: 4000, logLimit: 16 << 20)
        settings.isPrivate = path != Connection.inMemory
        settings.erasesDeleted = true
        settings.gathersLog = path != Connection.inMemory
        settings.functions = ChecksumFunctions.all
        try self.init(path: path, settings)
    }
}
