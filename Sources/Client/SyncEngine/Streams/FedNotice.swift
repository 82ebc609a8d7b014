import SyncModel
import SyncRealtime
import SyncTree

/// What a list of the engine or a place of the database tells the stream that it feeds. The host hears nothing of it.
enum FedNotice {
    case changed(CollectionChange)
    /// New messages lie behind a gap.
    case gapOpened
    /// What the stream has asked the list for has ended.
    case ended(Completion)
    case value(listen: CallID, TreeNode, isCurrent: Bool)
    case listenEnded(listen: CallID, DatabaseFailure)
    /// The database is not reached, and has told the listen nothing.
    case unheard(listen: CallID)

    /// Whether it changes which messages of the service a list shows.
    var isOfMessages: Bool { if case .changed(let change) = self { change.list == .succeeded } else { false } }
}
