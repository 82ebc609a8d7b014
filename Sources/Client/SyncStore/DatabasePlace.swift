/// A place of a realtime database, as it is stored in rows. Texts are compared by their bytes.
public struct DatabasePlace: Sendable {
    /// Which database.
    public let instance: DatabaseInstance
    /// The keys joined by slashes with one in front: "/a/b"; "/" is the root.
    public let path: String
    /// The query, as parameters of a URL; empty for the whole place.
    public let query: String

    public init(_ instance: DatabaseInstance, path: String, query: String = "") {
        self.instance = instance
        self.path = path
        self.query = query
    }
}
