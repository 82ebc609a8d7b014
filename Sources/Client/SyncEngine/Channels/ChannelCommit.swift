import SyncModel
import SyncStore

/// Writes channels to the cache, and changes their cached messages accordingly.
struct ChannelCommit {
    /// Histories that were cut, with what is left of them.
    private(set) var cuts: [(id: HistoryID, order: Int64, history: History)] = []
    /// Channels that were deleted and made again under their URL, or left and joined again: their cached messages were
    /// removed.
    private(set) var replaced: [ChannelURL] = []

    /// Nothing was stored.
    init() {}

    /// Stores channels; called inside the caller's transaction. `known`: the cached state of the only channel, if the
    /// caller has it. `shown` returns the histories of a channel and its threads that collections show.
    init(
        _ channels: [ChannelRecord], replacing known: ChannelRecord?, _ capabilities: ServiceCapabilities,
        _ cache: CacheStore, shown: (ChannelURL) -> [History]
    ) throws(StoreError) {
        for channel in channels {
            let stored = if let known { known } else { try cache.channels.channel(channel.url) }
            let forgotten = stored == nil ? try cache.channels.former(channel.url) : nil
            if forgotten != nil { try cache.channels.setFormer(channel.url, nil) }
            let former = stored.map(FormerChannel.init) ?? forgotten
            // Where times may be wrong, only the service says whether a channel was replaced.
            let isGiven = capabilities.placement == .given
            let isYounger = former?.identity == nil && isGiven ? try isYounger(channel, cache) : false
            let isAnother = isYounger || former?.isReplaced(by: channel) ?? false
            if isAnother {
                replaced.append(channel.url)
                if let key = try cache.channels.keyIfKnown(channel.url) {
                    try cache.clearMessages(channelAndThreads: key)
                }
            } else if channel.messageOffset > former?.messageOffset ?? 0 {
                // Messages may have been cached before their channel was.
                guard let key = try cache.channels.keyIfKnown(channel.url) else { continue }
                let shown = shown(channel.url)
                try cut(channel.url, key, before: channel.messageOffset, shown, capabilities, cache)
            }
        }
        try cache.channels.upsert(channels)
    }

    /// Nothing was known of this channel, but messages are cached that are older than it: they belong to an earlier
    /// channel, which was deleted. If the service accepts messages with old times, this may be wrong; then the messages
    /// are only loaded again.
    private func isYounger(_ channel: ChannelRecord, _ cache: CacheStore) throws(StoreError) -> Bool {
        guard let key = try cache.channels.keyIfKnown(channel.url) else { return false }
        return try cache.hasMessages(channel: key, before: channel.createdAt)
    }

    private mutating func cut(
        _ url: ChannelURL, _ key: Int64, before order: Int64, _ shown: [History], _ capabilities: ServiceCapabilities,
        _ cache: CacheStore
    ) throws(StoreError) {
        var histories = shown
        if !histories.contains(where: { $0.channelKey == key }) {
            histories.append(try CachedHistory.read(HistoryID(url), capabilities, cache))
        }
        for var history in histories {
            try history.cut(before: order, cache)
            cuts.append((HistoryID(url, parentID: history.parentID), order, history))
        }
        // Threads that nobody shows are cleared; their messages are loaded when a collection shows them.
        for thread in try cache.threads.of(channel: key)
        where !histories.contains(where: { $0.channelKey == thread.key }) {
            try cache.clearMessages(channel: thread.key)
        }
    }
}
