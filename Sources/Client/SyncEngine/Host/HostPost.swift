import SyncModel
import SyncRealtime
import SyncStreams

/// What a host asks of the engine without waiting for a result.
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
    /// `function`: what the host says about rows. `place`: what a stream over the database shows.
    indirect case openStream(
        id: UInt64, StreamSpec, function: (any RowFunction)?, place: DatabaseLocation? = nil)
    case removeCollection(id: CollectionID)
    case resetViewpoint(collection: CollectionID, viewpoint: Int64)
    /// The host lagged behind and lost events of these collections (how many, by number): tell their lists again.
    case resync(collections: [CollectionID: Int])
    /// The host has taken so many of the messages that it is told of; there is room for others.
    case tookMessages(Int)

    /// Those that end something take none, so they are never refused; their number is bounded by what there is to end.
    var takesSlot: Bool {
        switch self {
        case .resumeSync, .pauseSync, .setToken, .setForeground, .openChannelCollection, .openMessageCollection,
            .openSearchCollection, .openStream, .resetViewpoint:
            true
        case .disconnect, .removeCollection, .resync, .tookMessages: false
        }
    }

    /// The texts of a collection stay as long as the collection, which the host removes: they do not count.
    var textBytes: Int {
        if case .setToken(let text) = self { text.utf8.count } else { 0 }
    }
}
