import SyncModel

/// Something the host does later.
enum HostPlan {
    case setToken
    /// The host's own send came to its end.
    case tellSendResponse(collection: CollectionID, requestID: String, MessageRecord?)
    /// The host tells what it edited, or deleted (`nil`), by its own means.
    case tellChange(collection: CollectionID, id: String, MessageRecord?)
    case connect
    case databaseOnline
    /// What the value of a transaction becomes.
    case transform(CallID, Int64)
    /// A hook of resources is answered.
    case hook(UInt64)
    case resumeSync
    /// An export is canceled that may be complete.
    case cancelExport(CallID)
    case foreground
    /// An operator ends it, or begins.
    case freeze(String, Bool)
    /// The service lets the app in again.
    case weatherEnds
}
