import SyncTree

/// A place of which a value is kept: a path, and a query as parameters of a URL, empty for all children.
public struct KeptPlace: Hashable, Sendable {
    public let path: TreePath
    public let query: String

    public init(path: TreePath, query: String = "") {
        self.path = path
        self.query = query
    }

    init(_ location: DatabaseLocation, isShallow: Bool = false) {
        self.init(path: location.path, query: isShallow ? "shallow=true" : location.query?.parameters ?? "")
    }
}
