import SyncModel
import SyncTree

/// What the machine wants done, and what it has to tell.
public enum DatabaseOutput: Sendable {
    /// Of requests and streams of its own numbers.
    case transport(TransportCommand)

    /// What is at a place that is listened to has become another value, own writes that are under way included.
    /// `isCurrent` says whether the service is being heard.
    case value(listen: UInt64, TreeNode, isCurrent: Bool)
    /// Nothing is known of a place that is listened to, and the service is not reached. Comes with every attempt.
    case unheard(listen: UInt64)
    /// The service refuses to be listened to there.
    case listenEnded(listen: UInt64, DatabaseFailure)
    /// What was asked for once. `isCurrent` says whether the service has answered, or is being heard.
    case read(id: UInt64, Result<TreeNode, DatabaseFailure>, isCurrent: Bool)

    /// A transaction wants the value that this one becomes; `transformed` is the answer.
    case transform(id: UInt64, TreeNode)
    /// What a transaction has written, or why it has not, or why that is not known.
    case transactionEnded(id: UInt64, Result<TreeNode, DatabaseFailure>)

    /// A write has been accepted (`nil`), or refused for good.
    case writeEnded(id: UInt64, DatabaseFailure?)

    /// The token is missing or no good any more; everything waits for another one.
    case tokenNeeded
}
