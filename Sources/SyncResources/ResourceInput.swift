import SyncTree

/// What became of something that the machine wanted of the database. Numbers are those of the effects; what was not
/// asked, or was answered already, does no harm.
public enum ResourceInput: Sendable {
    /// A write is stored and will be sent. Does not come for what could not be stored.
    case kept(id: UInt64)
    /// A write is over: the service has it, or it refused it, or it could not be stored.
    case written(id: UInt64, ResourceFailure?)
    case read(id: UInt64, Result<TreeNode, ResourceFailure>)
}
