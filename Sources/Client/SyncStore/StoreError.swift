import SyncSQLite

/// Why a store could not do what it was asked.
public typealias StoreError = SyncSQLite.StoreError
