import SyncModel
import SyncRealtime

/// What a stream wants of the list or of the place of the database that feeds it. The list is the stream's own by its
/// number (`CollectionID.stream`), and what comes of it is a `FedNotice`.
enum StreamAsk {
    case openChannels(ChannelQuery)
    case openMessages(channelURL: ChannelURL, MessageFilter, viewpoint: Int64)
    case fetch(PageDirection)
    /// The page around the viewpoint, of messages.
    case start
    case resetViewpoint(Int64)
    case closeList
    case listen(CallID, DatabaseLocation)
    case unlisten(CallID)
}
