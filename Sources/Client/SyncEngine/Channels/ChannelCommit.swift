import SyncModel
import SyncStore

/// Channels going into the cache, and what follows for their messages.
struct ChannelCommit {
    /// Histories that were cut, with what is left of them.
    private(set) var cuts: [(id: HistoryID, order: Int64, history: History)] = []
    /// Channels that were deleted and made again under their URL, or left and joined again: what was cached of them is
    /// gone.
    private(set) var replaced: [ChannelURL] = []

    /// Nothing was stored.
    init() {}

    /// Stores channels, as a part of the transaction of who calls. `known` is the only channel's cached state, for who
    /// has it; `shown` gives the histories of a channel and its threads that are shown.
    init(
        _ channels: [ChannelRecord], replacing known: ChannelRecord?, _ capabilities: ServiceCapabilities,
        _ cache: CacheStore, shown: (ChannelURL) -> [History]
    ) throws(StoreError) {
        for channel in channels {
            let stored = if let known { known } else { try cache.channel(channel.url) }
            let forgotten = stored == nil ? try cache.formerChannel(channel.url) : nil
            if forgotten != nil { try cache.setFormerChannel(channel.url, nil) }
            let former = stored.map(FormerChannel.init) ?? forgotten
            // Where times may lie, the service says that a channel is another one.
            let isGiven = capabilities.placement == .given
            let isYounger = former?.identity == nil && isGiven ? try isYounger(channel, cache) : false
            let isAnother = isYounger || former?.isReplaced(by: channel) ?? false
            if isAnother {
                replaced.append(channel.url)
                if let key = try cache.channelKeyIfKnown(channel.url) {
                    try cache.clearMessages(channelAndThreads: key)
                }
            } else if channel.messageOffset > former?.messageOffset ?? 0 {
                // Messages may have been cached before their channel was.
                guard let key = try cache.channelKeyIfKnown(channel.url) else { continue }
                let shown = shown(channel.url)
                try cut(channel.url, key, before: channel.messageOffset, shown, capabilities, cache)
            }
        }
        try cache.upsert(channels)
    }

    /// Whether messages are cached from before a channel of which nothing was known was made: they are another's, which
    /// was deleted. Where a service takes in old messages they are asked for once more.
    private func isYounger(_ channel: ChannelRecord, _ cache: CacheStore) throws(StoreError) -> Bool {
        guard let key = try cache.channelKeyIfKnown(channel.url) else { return false }
        return try cache.hasMessages(channel: key, before: channel.createdAt)
    }

    private mutating func cut(
        _ url: ChannelURL, _ key: Int64, before order: Int64, _ shown: [History], _ capabilities: ServiceCapabilities,
        _ cache: CacheStore
    ) throws(StoreError) {
        var histories = shown
        if !histories.contains(where: { $0.channelKey == key }) {
            histories.append(try History.stored(HistoryID(url), capabilities, cache))
        }
        for var history in histories {
            try history.cut(before: order, cache)
            cuts.append((HistoryID(url, parentID: history.parentID), order, history))
        }
        // What nobody shows of threads comes again when it is shown.
        for thread in try cache.threads(channel: key)
        where !histories.contains(where: { $0.channelKey == thread.key }) {
            try cache.clearMessages(channel: thread.key)
        }
    }
}
