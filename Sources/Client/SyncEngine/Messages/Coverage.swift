import SyncModel

/// What the windows of a channel or a thread may know of the history.
struct Coverage {
    let channelURL: ChannelURL
    let channelKey: Int64
    let chunks: ChunkList
    /// In this session, the service was asked for what was missed behind the newest cached message.
    let isGapChecked: Bool
}
