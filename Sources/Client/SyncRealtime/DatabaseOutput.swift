import SyncModel
import SyncTree

/// What the machine asks for, and what it tells.
public enum DatabaseOutput: Sendable {
    /// For the network; requests and streams have the machine's own numbers.
    case transport(TransportCommand)

    /// The value of a listened place has changed, with own writes that are not answered yet. `isCurrent`: it comes from
    /// a stream that is open.
    case value(listen: UInt64, TreeNode, isCurrent: Bool)
    /// No value of the service is known for a listened place, and it cannot be reached: what was told, if anything, is
    /// what was kept. Comes after every attempt.
    case unheard(listen: UInt64)
    /// The service refuses the listen.
    case listenEnded(listen: UInt64, DatabaseFailure)
    /// The answer to a read. `isCurrent`: the value comes from the service's answer, or from a stream that is open.
    case read(id: UInt64, Result<TreeNode, DatabaseFailure>, isCurrent: Bool)

    /// A transaction asks for the new value in place of this one; `transformed` is the answer.
    case transform(id: UInt64, TreeNode)
    /// What a transaction has written, or why it has not, or why that is not known.
    case transactionEnded(id: UInt64, Result<TreeNode, DatabaseFailure>)

    /// A write has been accepted (`nil`), or refused for good.
    case writeEnded(id: UInt64, DatabaseFailure?)

    /// The token is missing or not accepted any more; all requests wait for another one.
    case tokenNeeded
}
