import SyncTree

/// A place of the database, with a query when only some of its children are meant.
public struct DatabaseLocation: Hashable, Sendable {
    public let path: TreePath
    public let query: DatabaseQuery?

    public init(_ path: TreePath, _ query: DatabaseQuery? = nil) {
        self.path = path
        self.query = query
    }
}
