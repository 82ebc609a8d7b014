import SyncModel
import SyncRealtime
import SyncTree

/// What a list of the engine, or a place of the database, tells the stream that it feeds. Hosts are not told this.
enum FedNotice {
    case changed(CollectionChange)
    /// There are new messages behind a huge gap.
    case gapOpened
    /// The stream's call to the list has ended.
    case ended(Completion)
    case value(listen: CallID, TreeNode, isCurrent: Bool)
    case listenEnded(listen: CallID, DatabaseFailure)
    /// The database is not reached: what the listen was told, if anything, is what the cache has.
    case unheard(listen: CallID)

    /// Whether the notice changes which messages of the service a list shows.
    var isOfMessages: Bool { if case .changed(let change) = self { change.list == .succeeded } else { false } }
}
