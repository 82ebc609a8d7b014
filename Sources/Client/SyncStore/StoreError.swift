import SyncSQLite

/// Why a store could not do what it was asked.
public typealias StoreError = SyncSQLite.StoreError
/// What copies the log of the cache beside the thread that writes.
public typealias LogCopying = SyncSQLite.LogCopying
public typealias LogCopy = SyncSQLite.LogCopy
