/// Why the service did not do what it was asked.
public struct DatabaseFailure: Error, Equatable, Sendable {
    /// The HTTP status; 0 when no answer came.
    public let status: Int
    /// The service's own words, or one line of our own.
    public let message: String

    public init(status: Int, message: String) {
        self.status = status
        self.message = message
    }
}
