import SyncSQLite

/// Why a store could not do what it was asked.
public typealias StoreError = SyncSQLite.StoreError
/// Copies the log of the cache into its file, on another thread than the one that writes.
public typealias LogCopying = SyncSQLite.LogCopying
public typealias LogCopy = SyncSQLite.LogCopy
