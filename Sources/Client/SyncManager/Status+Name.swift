import SyncModel

extension Status {
    /// The name of the header's constant.
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
        case .tooManyCalls: "SM_ERR_TOO_MANY_CALLS"
        case .canceled: "SM_ERR_CANCELED"
        case .tooLarge: "SM_ERR_TOO_LARGE"
        case .wrongKey: "SM_ERR_WRONG_KEY"
        case .noEncryption: "SM_ERR_NO_ENCRYPTION"
        case .internal: "SM_ERR_INTERNAL"
        }
    }
}
