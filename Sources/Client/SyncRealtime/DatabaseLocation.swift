import SyncTree

/// A place of the database, and which of its children if not all.
public struct DatabaseLocation: Hashable, Sendable {
    public let path: TreePath
    public let query: DatabaseQuery?

    public init(_ path: TreePath, _ query: DatabaseQuery? = nil) {
        self.path = path
        self.query = query
    }
}
