/// A place of a realtime database, as rows name it. Texts are compared byte by byte.
public struct DatabasePlace: Sendable {
    /// Which database.
    public let instance: DatabaseInstance
    /// The keys joined by slashes with one in front: "/a/b"; "/" is the root.
    public let path: String
    /// Which children, as a URL says it; empty for all of the place.
    public let query: String

    public init(_ instance: DatabaseInstance, path: String, query: String = "") {
        self.instance = instance
        self.path = path
        self.query = query
    }
}
