import SyncTree

/// An answer of the database to an effect, with the number of the effect. An answer that nothing waits for is ignored.
public enum ResourceInput: Sendable {
    /// A write is stored and will be sent. Does not come for a write that could not be stored.
    case kept(id: UInt64)
    /// The service has accepted a write.
    case written(id: UInt64)
    case read(id: UInt64, TreeNode)
    /// The request was refused, could not be stored, or got no answer.
    case failed(id: UInt64, ResourceFailure)
}
