import SyncModel
import SyncRealtime

/// A request of a stream to the list, or to the place of the database, that feeds it. The list has the stream's number
/// (`CollectionID.stream`), and its results come back as `FedNotice`s.
enum StreamAsk {
    case openChannels(ChannelQuery)
    case openMessages(channelURL: ChannelURL, MessageFilter, viewpoint: Int64)
    case fetch(PageDirection)
    /// The page around the viewpoint, for messages.
    case start
    case resetViewpoint(Int64)
    case closeList
    case listen(CallID, DatabaseLocation)
    case unlisten(CallID)
}
