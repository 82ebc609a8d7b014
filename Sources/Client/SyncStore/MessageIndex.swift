import SyncSQLite

/// What keeps something of every message, and is emptied with them.
protocol MessageIndex: AnyObject {
    /// All messages go: nothing has to be done for each of them until `cleared`, in the same transaction.
    func clear() throws(StoreError)
    /// No message is left.
    func cleared() throws(StoreError)
}
