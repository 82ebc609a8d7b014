import SyncModel
import SyncRealtime
import SyncTree

/// What the realtime database tells. Listens and transactions have the numbers of the calls that began them.
public enum DatabaseNotice: Equatable, Sendable {
    /// The present value. `isCurrent`: the connection to the service is alive, and the service has told nothing newer.
    case value(listen: CallID, TreeNode, isCurrent: Bool)
    /// The listen has ended.
    case listenEnded(listen: CallID, DatabaseFailure)
    /// Asks the host which value replaces this one.
    case transform(transaction: CallID, TreeNode)
    /// A write that no call waits for any more was refused, and is taken back.
    case writeRefused(path: String, DatabaseFailure)
    case tokenNeeded

    public var type: StaticString {
        switch self {
        case .value: "database_value"
        case .listenEnded: "database_listen_ended"
        case .transform: "database_transform"
        case .writeRefused: "database_write_refused"
        case .tokenNeeded: "database_token_needed"
        }
    }
}
