import SyncTree

/// A transaction: the value is read, transformed by the host, and written if nobody has changed it meanwhile.
struct Transaction {
    enum State: Equatable {
        /// It waits for earlier writes of this client that touch the place.
        case waiting
        case reading(request: UInt64)
        /// The host has the value; `tag` is the value's ETag.
        case transforming(tag: String)
        case writing(request: UInt64)
    }

    let id: UInt64
    let path: TreePath
    var state = State.waiting
    var tries = 0

    /// After so many changes by other writers it fails.
    static let limit = 25

    /// The request that is under way, if one is.
    var request: UInt64? {
        switch state {
        case .reading(let request), .writing(let request): request
        case .waiting, .transforming: nil
        }
    }
}
