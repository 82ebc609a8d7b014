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

    /// A write that could not be kept is not made.
    public static let notKept = DatabaseFailure(status: 0, message: "the write could not be stored")
    public static let offline = DatabaseFailure(status: 0, message: "there is no network")
    public static let noToken = DatabaseFailure(status: 0, message: "the token is no good any more")
    /// The host has signed out.
    public static let signedOut = DatabaseFailure(status: 0, message: "signed out")
}
