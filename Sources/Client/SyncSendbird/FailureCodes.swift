import SyncModel

/// The numbers by which hosts know failures: the service's own, and the vendor's client codes for what goes wrong on
/// this side.
enum FailureCodes {
    static let unknown = 800_000
    static let notConnected = 800_101
    static let network = 800_120
    static let invalidParameter = 800_110
    static let unsupported = 800_111
    static let malformed = 800_130
    static let tooOften = 800_160
    static let timedOut = 800_180
    static let peerSilent = 800_190
    static let connectionClosed = 800_200
    static let overloaded = 800_221
    static let canceled = 800_240
    static let uploadTimedOut = 800_250
    static let fileTooLarge = 800_260
    /// A file that is gone, changed or cannot be read. The vendor has no code for it.
    static let fileUnusable = 800_270
    static let tokenRejected = 400_302
    static let exists = 400_202
    static let sessionExpired = 400_309
    static let tokenRevoked = 400_310
    static let unavailable = 500_901
    static let rateLimited = 500_910

    /// Connection, timeout, overload, rate limit: worth a later attempt.
    static let curable: Set<Int> = [
        notConnected, network, timedOut, peerSilent, connectionClosed, 800_210, 800_220, overloaded, unavailable,
        rateLimited, 900_200, uploadTimedOut,
    ]

    /// Codes of failures that hosts may cure by sending again: the curable ones, and those of a canceled or failed
    /// upload.
    static let resendable: Set<Int> = curable.union([canceled, 800_400])

    /// The kind of a failure. The code says more than the HTTP status, which is 400 for most. When a session key has
    /// expired, `SendbirdService` renews it; the kind of that code counts only when a login or the renewal itself is
    /// refused with it: then the token is not valid.
    static func kind(_ status: Int, _ code: Int, _ headers: [TransportHeader] = []) -> ServiceFailure.Kind {
        switch code {
        // Also a user who is gone or deactivated: only the host can help.
        case 400_108, 400_300, 400_301, tokenRejected, 400_303, sessionExpired, tokenRevoked, 400_401:
            return .tokenRejected
        case 400_109: return .pageTokenExpired
        case 400_201, 900_020, 900_070, 900_100, 900_300, 900_500: return .notFound
        case exists: return .exists
        case rateLimited, 900_200: return .rateLimited(retryAfter: pause(headers))
        case unavailable, 503: return .unavailable
        default: break
        }
        switch status {
        case 401: return .tokenRejected
        case 404: return .notFound
        case 429: return .rateLimited(retryAfter: pause(headers))
        case 408: return .unavailable
        case 400..<500: return .refused
        // Faults of the service, and statuses that are no answer to the request.
        default: return .unavailable
        }
    }

    /// How long the service asks to wait, in milliseconds; a second when it does not say.
    private static func pause(_ headers: [TransportHeader]) -> Int64 {
        let names = ["retry-after", "x-ratelimit-retryafter", "x-ratelimit-retry-after"]
        for header in headers where names.contains(header.name.lowercased()) {
            if let seconds = Int64(header.value), seconds >= 0, seconds < 86_400 { return seconds * 1000 }
        }
        return 1000
    }
}

extension ServiceFailure {
    /// The failure of a request that got no answer, by the transport's reason.
    init(_ failure: TransportFailure) {
        switch failure.kind {
        case .timedOut: self = .timedOut(failure.message)
        case .tooLarge: self.init(kind: .tooLarge, code: FailureCodes.malformed, message: failure.message)
        case .crowded: self.init(kind: .crowded, code: FailureCodes.network, message: failure.message)
        case .file(let problem): self = .file(problem, path: nil, message: failure.message)
        case .failed, .notInstalled, .refused, .textTooLarge:
            self.init(kind: .unreachable, code: FailureCodes.network, message: failure.message)
        }
    }

    static let malformed = ServiceFailure(
        kind: .unavailable, code: FailureCodes.malformed, message: "the answer is not what the protocol says")

    static func tooLargeToSend(_ bytes: Int) -> ServiceFailure {
        ServiceFailure(
            kind: .refused, code: FailureCodes.invalidParameter,
            message: "the service takes no message of \(bytes) bytes")
    }

    static func file(_ problem: FileProblem, path: String?, message: String? = nil) -> ServiceFailure {
        let what =
            switch problem {
            case .missing: "there is no such file"
            case .unreadable: "the file cannot be read"
            case .empty: "the file is empty"
            case .notRegular: "it is no regular file"
            case .changed: "the file was changed"
            case .exists: "there is a file already"
            case .unwritable: "the file cannot be written"
            case .busy: "the file is being written already"
            case .unavailable: "the file cannot be opened now"
            }
        let text = message ?? (path.map { $0 + ": " + what } ?? what)
        if problem == .unavailable { return ServiceFailure(kind: .crowded, code: FailureCodes.network, message: text) }
        return ServiceFailure(kind: .file(problem), code: FailureCodes.fileUnusable, message: text)
    }

    static func fileTooLarge(_ path: String, limit: Int64) -> ServiceFailure {
        ServiceFailure(
            kind: .refused, code: FailureCodes.fileTooLarge,
            message: "\(path): the service takes files of at most \(limit) bytes")
    }

    static let unsupported = ServiceFailure(
        kind: .refused, code: FailureCodes.unsupported, message: "the service has no such action")

    /// The failure of a message by request when its session key is not valid any more, or there is none.
    static let keyRefused = ServiceFailure(
        kind: .tokenRejected, code: FailureCodes.notConnected, message: "the session key is not valid any more")

    static let dots = ServiceFailure(
        kind: .refused, code: FailureCodes.invalidParameter,
        message: "\".\" and \"..\" are no ids that a request to change something can name")

    /// Something before the service has answered, for example a network's login page. The request is to be repeated.
    static let noWordOfService = ServiceFailure(
        kind: .unavailable, code: FailureCodes.unavailable, message: "the answer is not what the protocol says")

    static let uploadTimedOut = ServiceFailure(
        kind: .timedOut, code: FailureCodes.uploadTimedOut, message: "the file was not taken: no progress in time")

    static func timedOut(_ message: String) -> ServiceFailure {
        ServiceFailure(kind: .timedOut, code: FailureCodes.timedOut, message: message)
    }

    /// Whether the failure of an action may concern the action alone: this user may not do it, or another user does not
    /// exist. For a request that only concerns this user, the same code means that the credentials are not valid.
    var concernsActionAlone: Bool { code == 400_108 || code == 400_300 || code == 400_301 }

    /// Whether the failure can be the answer to one command without a request id, such as the start of typing: one of
    /// the socket's own codes, or a rate limit.
    var concernsCommandAlone: Bool {
        if case .rateLimited = kind { return true }
        return (900_000..<1_000_000).contains(code)
    }

    /// Whether a new session key would help.
    var isSessionExpired: Bool { code == FailureCodes.sessionExpired }
}
