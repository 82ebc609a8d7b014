/// Why a service did not do what it was asked.
public struct ServiceFailure: Error, Equatable, Sendable {
    /// What the engine can do about it.
    public enum Kind: Equatable, Sendable {
        /// No answer came: connection refused or lost. Worth a retry when connected again.
        case unreachable
        /// No answer came in time. Whether the service has done what it was asked is not known.
        case timedOut
        /// The service asks to wait this long (milliseconds) and try again.
        case rateLimited(retryAfter: Int64)
        /// The service does not work properly (5xx, or an answer that cannot be used). Worth a retry after a pause.
        case unavailable
        /// The access token is not valid; only the host can help.
        case tokenRejected
        /// A page token is too old; start over from a time.
        case pageTokenExpired
        /// The thing asked about is gone, or this user may not see it.
        case notFound
        /// What was sent is there already, under the same request id: an earlier attempt had arrived.
        case exists
        /// Refused for good; asking again gives the same answer.
        case refused
        /// The answer is larger than the limit; asking again gives the same one. The service may have done what it was
        /// asked.
        case tooLarge
        /// Too many answers under way left no room for this one. Worth a retry after a pause.
        case crowded
        /// A file on this machine is not what it has to be.
        case file(FileProblem)

        /// Whether asking again gives the same answer.
        public var isForGood: Bool {
            switch self {
            case .exists, .refused, .tooLarge, .file: true
            default: false
            }
        }
    }

    public var kind: Kind
    /// The code by which hosts know the failure; only the service's rules say what it means.
    public var code: Int
    /// One line, impersonal.
    public var message: String

    public init(kind: Kind, code: Int, message: String) {
        self.kind = kind
        self.code = code
        self.message = message
    }
}
