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

    /// The write is in flight: it is not known what becomes of it.
    var isWriting: Bool { if case .writing = state { true } else { false } }

    /// The host does not have the value yet.
    var isBeforeValue: Bool {
        switch state {
        case .waiting, .reading: true
        case .transforming, .writing: false
        }
    }
}
