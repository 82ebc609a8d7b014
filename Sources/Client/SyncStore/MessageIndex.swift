import SyncSQLite

/// An index with an entry for every message, which is emptied when the messages are.
protocol MessageIndex: AnyObject {
    /// Empties the index, since all messages are about to be removed: until `cleared`, in the same transaction, the
    /// index need not follow single removals.
    func clear() throws(StoreError)
    /// The same for the messages of a channel or a thread; `false`: nothing was done, since these are few, and the
    /// index follows each removal.
    func clear(channel: Int64) throws(StoreError) -> Bool
    /// All these messages have been removed.
    func cleared() throws(StoreError)
}
