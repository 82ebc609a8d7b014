import SyncModel
import SyncRealtime
import SyncStreams

/// A request of a host to the engine that has no result.
public enum HostPost: Sendable {
    case disconnect
    case resumeSync
    case pauseSync
    case setToken(String)
    case setForeground(Bool)
    indirect case openChannelCollection(id: CollectionID, query: ChannelQuery)
    indirect case openMessageCollection(
        id: CollectionID, channelURL: ChannelURL, filter: MessageFilter, viewpoint: Int64)
    indirect case openSearchCollection(id: CollectionID, query: SearchQuery)
    /// `function`: decides about rows in the host's code (whether a row is shown, or its section). `place`: the
    /// location of a stream over the database.
    indirect case openStream(
        id: UInt64, StreamSpec, function: (any RowFunction)?, place: DatabaseLocation? = nil)
    case removeCollection(id: CollectionID)
    case resetViewpoint(collection: CollectionID, viewpoint: Int64)
    /// The host lagged behind and lost events of these collections (with how many): their lists are told again.
    case resync(collections: [CollectionID: Int])
    /// The host has drained this many `message_received` events, so that others may be told.
    case tookMessages(Int)

    /// Commands that end something take no slot, so that they are never refused; their number is limited by the number
    /// of things to end.
    var takesSlot: Bool {
        switch self {
        case .resumeSync, .pauseSync, .setToken, .setForeground, .openChannelCollection, .openMessageCollection,
            .openSearchCollection, .openStream, .resetViewpoint:
            true
        case .disconnect, .removeCollection, .resync, .tookMessages: false
        }
    }

    /// The texts of a collection do not count, because they stay until the host removes the collection.
    var textBytes: Int {
        if case .setToken(let text) = self { text.utf8.count } else { 0 }
    }
}
