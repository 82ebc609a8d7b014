import SyncModel

/// Why a request failed.
public struct DatabaseFailure: Error, Equatable, Sendable {
    /// The HTTP status; 0 when no answer came.
    public let status: Int
    /// The service's own message, or one line of this library.
    public let message: String
    /// What was asked for may have been done: no answer came to a request that was sent.
    public private(set) var isInDoubt = false
    /// Which limit the answer exceeded, if that is why none came.
    public let limit: Limit?

    public enum Limit: Sendable {
        /// The limit of one answer: a repeated request would fail, too.
        case single
        /// The limit of all answers that are being received.
        case together
    }

    public init(status: Int, message: String, limit: Limit? = nil) {
        self.status = status
        self.message = message
        self.limit = limit
    }

    /// No answer came to a request that was sent and cannot be repeated.
    static func inDoubt(_ cause: DatabaseFailure) -> DatabaseFailure {
        var failure = DatabaseFailure(status: 0, message: "it is not known whether it was done: \(cause.message)")
        failure.isInDoubt = true
        return failure
    }

    /// No answer came.
    init(_ failure: TransportFailure) {
        let limit: Limit? =
            switch failure.kind {
            case .tooLarge: .single
            case .crowded: .together
            case .timedOut, .refused, .notInstalled, .textTooLarge, .file, .failed: nil
            }
        self.init(status: 0, message: failure.message, limit: limit)
    }

    /// A write that could not be kept is not made.
    public static let notKept = DatabaseFailure(status: 0, message: "the write could not be stored")
    /// A count that would leave the whole numbers of 64 bits is not made.
    public static let sumTooLarge = DatabaseFailure(
        status: 0, message: "the sum is beyond the whole numbers of 64 bits")
    /// A value takes more than may be held.
    static func tooLarge(_ limit: Int) -> DatabaseFailure {
        DatabaseFailure(status: 0, message: "the value takes more than \(limit >> 20) MiB", limit: .single)
    }
    public static let offline = DatabaseFailure(status: 0, message: "there is no network")
    public static let noToken = DatabaseFailure(status: 0, message: "the token is no good any more")
    /// The host has signed out.
    public static let signedOut = DatabaseFailure(status: 0, message: "signed out")
}
