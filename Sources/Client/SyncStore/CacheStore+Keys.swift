import SyncSQLite

// The keys of channels and threads: the numbers under which their messages are stored.
extension CacheStore {
    /// The keys of channels and threads. Messages of a thread are stored under its negative key, so keys are positive.
    static let keys: ClosedRange<Int64> = 1...Int64.max

    /// The key of the row that was inserted last. SQLite takes the number after the greatest; with damaged rows that
    /// may be outside the range of keys.
    func newKey() throws(StoreError) -> Int64 {
        let key = connection.lastInsertID
        guard CacheStore.keys.contains(key) else { throw connection.damage("the rows before have the key \(key)") }
        return key
    }

    /// Removes the rows under a key that has just been given out. A damaged file may have lost the row that had this
    /// key, and SQLite gives out the number after the greatest that is left.
    func clearRemains(_ key: Int64) throws(StoreError) {
        let remains = try connection.prepare("""
            SELECT EXISTS (SELECT 1 FROM message WHERE channel = ?1) OR EXISTS (SELECT 1 FROM chunk WHERE channel = ?1)
                OR EXISTS (SELECT 1 FROM relation WHERE channel = ?1)
                OR EXISTS (SELECT 1 FROM meta WHERE key IN ('messages.changes.' || ?1, 'messages.polls.' || ?1))
            """).bind(key)
        defer { remains.reset() }
        guard try remains.next(), remains.bool(0) else { return }
        remains.reset()
        // These rows may be in the counts of the lost row, not of this one: subtracting them here would be wrong.
        counts.countAgain(key)
        try clearMessages(channel: key)
    }
}
