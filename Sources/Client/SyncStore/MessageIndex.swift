import SyncSQLite

/// What keeps something of every message, and is emptied with them.
protocol MessageIndex: AnyObject {
    /// All messages go: nothing has to be done for each of them until `cleared`, in the same transaction.
    func clear() throws(StoreError)
    /// The same for those of a channel or a thread; `false`: they are few, and nothing has been done.
    func clear(channel: Int64) throws(StoreError) -> Bool
    /// None of them is left.
    func cleared() throws(StoreError)
}
