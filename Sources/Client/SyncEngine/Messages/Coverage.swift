import SyncModel

/// What the windows of a channel or a thread may know of its history.
struct Coverage {
    let channelURL: ChannelURL
    let channelKey: Int64
    let chunks: ChunkList
    /// What was missed behind the newest cached message has been asked for in this session.
    let isGapChecked: Bool
}
