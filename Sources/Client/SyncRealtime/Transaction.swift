import SyncTree

/// A value that is changed by what it is: read, transformed by the host, written if nobody has changed it meanwhile.
struct Transaction {
    enum State: Equatable {
        /// Writes of this client that touch the place go first.
        case waiting
        case reading(request: UInt64)
        /// The host has the value; the tag is the service's name of it.
        case transforming(tag: String)
        case writing(request: UInt64)
    }

    let id: UInt64
    let path: TreePath
    var state = State.waiting
    var tries = 0

    /// After so many values of other writers it is given up.
    static let limit = 25

    /// The request that is under way, if one is.
    var request: UInt64? {
        switch state {
        case .reading(let request), .writing(let request): request
        case .waiting, .transforming: nil
        }
    }
}
