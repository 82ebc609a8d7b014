import SyncTree

/// What became of something that the machine wanted of the database. Numbers are those of the effects; what was not
/// asked, or was answered already, does no harm.
public enum ResourceInput: Sendable {
    /// A write is stored and will be sent. Does not come for what could not be stored.
    case kept(id: UInt64)
    /// The service has a write.
    case written(id: UInt64)
    case read(id: UInt64, TreeNode)
    /// What was asked for was refused, or could not be stored, or there is no answer.
    case failed(id: UInt64, ResourceFailure)
}
