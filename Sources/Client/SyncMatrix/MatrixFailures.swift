import SyncJSON
import SyncModel

/// The numbers by which hosts know failures of this service, and what the engine can do about each.
enum MatrixCodes {
    // Found on this side.
    static let notConnected = 700_001
    static let network = 700_002
    static let timedOut = 700_003
    static let malformed = 700_004
    static let unsupported = 700_005
    static let tooOld = 700_006
    static let canceled = 700_007
    static let tooLarge = 700_008
    static let fileUnusable = 700_009
    static let tooOften = 700_010
    static let encrypted = 700_011
    static let neverAnswered = 700_012
    /// The server failed at a request that it may carry out later, whatever code it gives: `M_UNKNOWN` is also what a
    /// request gets that it will never carry out.
    static let serverFailed = 700_013
    /// The server refused with a code that has no number here.
    static let other = 700_100

    /// Numbers of the server's codes; they never change.
    private static let numbers: [(errcode: StaticString, number: Int)] = [
        ("M_FORBIDDEN", 700_101), ("M_UNKNOWN_TOKEN", 700_102), ("M_MISSING_TOKEN", 700_103), ("M_BAD_JSON", 700_104),
        ("M_NOT_JSON", 700_105), ("M_NOT_FOUND", 700_106), ("M_LIMIT_EXCEEDED", 700_107), ("M_UNKNOWN", 700_108),
        ("M_UNRECOGNIZED", 700_109), ("M_USER_DEACTIVATED", 700_110), ("M_TOO_LARGE", 700_111),
        ("M_INVALID_PARAM", 700_112), ("M_MISSING_PARAM", 700_113), ("M_RESOURCE_LIMIT_EXCEEDED", 700_114),
        ("M_USER_LOCKED", 700_115), ("M_GUEST_ACCESS_FORBIDDEN", 700_116), ("M_UNSUPPORTED_ROOM_VERSION", 700_117),
        ("M_DUPLICATE_ANNOTATION", 700_118), ("M_BAD_STATE", 700_119), ("M_UNKNOWN_POS", 700_120),
    ]

    static func number(_ errcode: String) -> Int {
        numbers.first { errcode == $0.errcode.description }?.number ?? other
    }

    /// No connection, no answer in time, a server that is busy: worth a later attempt.
    static let curable: Set<Int> = [
        notConnected, network, timedOut, malformed, serverFailed, number("M_LIMIT_EXCEEDED"),
    ]
}

extension ServiceFailure {
    /// The failure that an answer of the server tells.
    init(_ answer: MatrixAnswer) {
        let errcode = answer.document?["errcode"]?.string ?? ""
        let text = answer.document?["error"]?.string ?? ""
        let kind: Kind =
            switch (answer.status, errcode) {
            case (429, _): .rateLimited(retryAfter: answer.pause)
            case (401, _), (_, "M_UNKNOWN_TOKEN"), (_, "M_MISSING_TOKEN"), (_, "M_USER_DEACTIVATED"),
                (_, "M_USER_LOCKED"):
                .tokenRejected
            case (404, "M_UNRECOGNIZED"), (405, _): .refused
            case (404, _): .notFound
            case (408, _): .unavailable
            // Without a document it is no answer of the homeserver.
            case (400..<500, _) where answer.document != nil: .refused
            default: .unavailable
            }
        let code =
            if errcode.isEmpty { MatrixCodes.malformed } else if kind == .unavailable {
                MatrixCodes.serverFailed
            } else {
                MatrixCodes.number(errcode)
            }
        let message = errcode.isEmpty ? "the server answered with status \(answer.status)" : "\(errcode): \(text)"
        self.init(kind: kind, code: code, message: message)
    }

    /// The failure of a request that got no answer.
    init(_ failure: TransportFailure) {
        switch failure.kind {
        case .timedOut: self.init(kind: .timedOut, code: MatrixCodes.timedOut, message: failure.message)
        case .tooLarge: self.init(kind: .tooLarge, code: MatrixCodes.tooLarge, message: failure.message)
        case .crowded: self.init(kind: .crowded, code: MatrixCodes.network, message: failure.message)
        case .file(let problem): self.init(problem, failure.message)
        case .failed, .notInstalled, .refused, .textTooLarge:
            self.init(kind: .unreachable, code: MatrixCodes.network, message: failure.message)
        }
    }

    /// The failure of a request or a message whose file is not what it has to be.
    fileprivate init(_ problem: FileProblem, _ message: String) {
        if problem == .unavailable {
            self.init(kind: .crowded, code: MatrixCodes.network, message: message)
        } else {
            self.init(kind: .file(problem), code: MatrixCodes.fileUnusable, message: message)
        }
    }

    static let malformed = ServiceFailure(
        kind: .unavailable, code: MatrixCodes.malformed, message: "the answer is not what the protocol says")
    static let timedOut = ServiceFailure(
        kind: .timedOut, code: MatrixCodes.timedOut, message: "no answer came in time")
    static let unsupported = ServiceFailure(
        kind: .refused, code: MatrixCodes.unsupported, message: "not offered with Matrix yet")
    static func notFound(_ message: String) -> ServiceFailure {
        ServiceFailure(kind: .notFound, code: MatrixCodes.number("M_NOT_FOUND"), message: message)
    }

    static let encrypted = ServiceFailure(
        kind: .refused, code: MatrixCodes.encrypted,
        message: "the room is encrypted, and this library cannot encrypt: nothing was sent")
}

extension MatrixRules {
    public func failure(_ cause: LocalFailure) -> ServiceFailure {
        func local(_ kind: ServiceFailure.Kind, _ code: Int, _ message: String) -> ServiceFailure {
            ServiceFailure(kind: kind, code: code, message: message)
        }
        return switch cause {
        case .notConnected: local(.unreachable, MatrixCodes.notConnected, "there is no connection")
        case .connectionClosed: local(.unreachable, MatrixCodes.network, "the connection was closed")
        case .unexpectedReply: .malformed
        case .notOffered: .unsupported
        case .tooOften: local(.refused, MatrixCodes.tooOften, "everything was marked as read a moment ago")
        case .tooOld: local(.refused, MatrixCodes.tooOld, "the message waited too long to be sent")
        case .neverAnswered:
            local(.unreachable, MatrixCodes.neverAnswered, "the host did not tell how its send went")
        case .file(let problem, let path): ServiceFailure(problem, "\(path): the file cannot be sent")
        case .fileTooLarge(let path, let limit):
            local(.refused, MatrixCodes.tooLarge, "\(path): the service takes files of at most \(limit) bytes")
        case .byHost(let code): local(.refused, code, "the host could not send it")
        }
    }

    public func isCurable(code: Int) -> Bool { MatrixCodes.curable.contains(code) }
}
