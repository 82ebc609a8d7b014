import SyncModel
import SyncTree

/// What the machine wants done and told, in this order.
public enum ResourceEffect: Sendable {
    // Of the database; `ResourceInput`s with their numbers are the answers. Bodies are JSON as the host gave it.
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
    /// JSON text; `nil` for a failure, and for what gives nothing.
    public var result: [UInt8]?
    public var failure: ResourceFailure?

    init(result: [UInt8]?) { self.result = result }
    init(_ failure: ResourceFailure) { self.failure = failure }
}
