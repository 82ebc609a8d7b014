/// The status codes of the header.
enum Status: Int32, CaseIterable {
    case ok = 0
    case invalidArgument = -1
    case invalidHandle = -2
    case invalidDocument = -3
    case closed = -4
    case reentrant = -5
    case forked = -6
    case duplicatedFetch = -7
    case locked = -8
    case storage = -9
    case newerSchema = -10
    case corruptIntents = -11
    case notConnected = -12
    case network = -13
    case service = -14
    case timeout = -15
    case notFound = -16
    case notOwnMessage = -17
    case removed = -18
    case tokenRejected = -19
    case busy = -20
    case `internal` = -99

    var name: StaticString {
        switch self {
        case .ok: "SM_OK"
        case .invalidArgument: "SM_ERR_INVALID_ARGUMENT"
        case .invalidHandle: "SM_ERR_INVALID_HANDLE"
        case .invalidDocument: "SM_ERR_INVALID_DOCUMENT"
        case .closed: "SM_ERR_CLOSED"
        case .reentrant: "SM_ERR_REENTRANT"
        case .forked: "SM_ERR_FORKED"
        case .duplicatedFetch: "SM_ERR_DUPLICATED_FETCH"
        case .locked: "SM_ERR_LOCKED"
        case .storage: "SM_ERR_STORAGE"
        case .newerSchema: "SM_ERR_NEWER_SCHEMA"
        case .corruptIntents: "SM_ERR_CORRUPT_INTENTS"
        case .notConnected: "SM_ERR_NOT_CONNECTED"
        case .network: "SM_ERR_NETWORK"
        case .service: "SM_ERR_SERVICE"
        case .timeout: "SM_ERR_TIMEOUT"
        case .notFound: "SM_ERR_NOT_FOUND"
        case .notOwnMessage: "SM_ERR_NOT_OWN_MESSAGE"
        case .removed: "SM_ERR_REMOVED"
        case .tokenRejected: "SM_ERR_TOKEN_REJECTED"
        case .busy: "SM_ERR_BUSY"
        case .internal: "SM_ERR_INTERNAL"
        }
    }
}

/// Why a call was refused at the border.
struct BorderError: Error {
    var status: Status
    var message: String
    /// JSON path of what was wrong in a document.
    var path: String?

    init(_ status: Status, _ message: String, path: String? = nil) {
        self.status = status
        self.message = message
        self.path = path
    }
}
