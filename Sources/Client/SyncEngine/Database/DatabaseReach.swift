import SyncModel
import SyncRealtime

/// Whether the service of the database can be reached, as far as this side knows.
struct DatabaseReach {
    var isInForeground = true
    /// The host wants to be offline.
    var isHeldOffline = false
    var isTokenNeeded = false

    var isOnline: Bool { isInForeground && !isHeldOffline }

    /// What a call completes with that has failed in this way; `nil`: with what the service says.
    func status(of failure: DatabaseFailure) -> Status? {
        if failure == .notKept { return .storage }
        if failure.limit != nil { return .tooLarge }
        if failure == .sumTooLarge { return .invalidArgument }
        if isTokenNeeded, failure.status == 0 || failure.status == 401 { return .tokenRejected }
        guard failure.status == 0 else { return nil }
        return isOnline ? .network : .notConnected
    }
}
