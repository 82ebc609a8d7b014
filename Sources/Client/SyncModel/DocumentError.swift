/// What is wrong in a JSON document that a host gave, and where.
public struct DocumentError: Error, Equatable, Sendable {
    /// JSON path of the culprit: `$.custom_types[2]`.
    public let path: String
    /// One line, impersonal, naming what is expected. Never holds the host's values: it may end up in a log.
    public let message: String

    public init(path: String, message: String) {
        self.path = path
        self.message = message
    }
}
