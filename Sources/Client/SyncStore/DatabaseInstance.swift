/// A realtime database: scheme and host, and its name where one host serves several.
public struct DatabaseInstance: Sendable {
    public let url: String
    public let name: String

    public init(url: String, name: String) {
        self.url = url
        self.name = name
    }
}
