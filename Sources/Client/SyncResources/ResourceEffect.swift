import SyncModel
import SyncTree

/// What the machine asks for and tells, in the order in which it is to be done.
public enum ResourceEffect: Sendable {
    // Requests to the database; the answers are `ResourceInput`s with the same numbers. Bodies are JSON as the host
    // gave it.
    case set(id: UInt64, TreePath, [UInt8])
    case update(id: UInt64, TreePath, [UInt8])
    case remove(id: UInt64, TreePath)
    /// Adds to a whole number; where there is none it becomes `by`, or 0 when that is negative.
    case count(id: UInt64, TreePath, by: Int64)
    case read(id: UInt64, TreePath)

    case tell(ResourceNotice)
    case complete(call: CallID, ResourceReply)
}

/// How a call ended.
public struct ResourceReply: Sendable {
    /// JSON text; `nil` for a failure, and for requests without a result.
    public var result: [UInt8]?
    public var failure: ResourceFailure?

    init(result: [UInt8]?) { self.result = result }
    init(_ failure: ResourceFailure) { self.failure = failure }
}
