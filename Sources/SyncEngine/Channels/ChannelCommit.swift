import SyncModel
import SyncStore

/// Channels going into the cache, and what follows for their messages.
struct ChannelCommit {
    /// Histories that were cut, with what is left of them.
    private(set) var cuts: [(url: String, order: Int64, history: History)] = []
    /// Channels that were deleted and made again under their URL, or left and joined again: what was cached of them is
    /// gone.
    private(set) var replaced: [String] = []

    /// Nothing was stored.
    init() {}

    /// Stores channels, as a part of the transaction of who calls. `known` is the only channel's cached state, for who
    /// has it; `shown` gives the history of a channel whose messages are shown.
    init(
        _ channels: [ChannelRecord], replacing known: ChannelRecord?, _ cache: CacheStore, shown: (String) -> History?
    ) throws(StoreError) {
        for channel in channels {
            let stored = if let known { known } else { try cache.channel(channel.url) }
            // Who left and came back may see again what was hidden.
            if let before = stored, channel.replaces(before) || channel.messageOffset < before.messageOffset {
                replaced.append(channel.url)
                if let key = try cache.channelKeyIfKnown(channel.url) { try cache.clearMessages(channel: key) }
            } else if channel.messageOffset > stored?.messageOffset ?? 0 {
                // Messages may have been cached before their channel was.
                guard try cache.channelKeyIfKnown(channel.url) != nil else { continue }
                var history = if let shown = shown(channel.url) { shown } else {
                    try History.stored(channel.url, cache)
                }
                try history.cut(before: channel.messageOffset, cache)
                cuts.append((channel.url, channel.messageOffset, history))
            }
        }
        try cache.upsert(channels)
    }
}
