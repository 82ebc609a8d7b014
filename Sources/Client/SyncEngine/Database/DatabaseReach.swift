import SyncModel
import SyncRealtime

/// Whether the service of the database can be reached, as far as this client knows.
struct DatabaseReach {
    var isInForeground = true
    /// The host wants to be offline.
    var isHeldOffline = false
    var isTokenNeeded = false

    var isOnline: Bool { isInForeground && !isHeldOffline }

    /// The status of a call that failed in this way; `nil`: the status that follows from the service's answer.
    func status(of failure: DatabaseFailure) -> Status? {
        if failure == .notKept { return .storage }
        if failure.limit != nil { return .tooLarge }
        if failure == .sumTooLarge { return .invalidArgument }
        if failure.isInDoubt { return .network }
        if isTokenNeeded, failure.status == 0 || failure.status == 401 { return .tokenRejected }
        guard failure.status == 0 else { return nil }
        return isOnline ? .network : .notConnected
    }
}
