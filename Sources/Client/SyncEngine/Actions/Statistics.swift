import SyncJSON
import SyncModel
import SyncStore

/// What this library stores, for a host that asks.
struct Statistics {
    private let pendingMessages: Int
    private let failedMessages: Int
    private let waitingCalls: Int

    /// `own`: the messages that the service does not have yet.
    init(own: [Intent], waitingCalls: Int) {
        failedMessages = own.count { $0.status == .failed }
        pendingMessages = own.count - failedMessages
        self.waitingCalls = waitingCalls
    }

    /// `nil` when the cache could not be read. `url`: a channel whose use of the cache is included.
    func json(channel url: ChannelURL?, _ context: Context) -> [UInt8]? {
        let found = context.storage.cached { (cache) throws(StoreError) in
            let key = if let url { try cache.channels.keyIfKnown(url) } else { Int64?.none }
            let usage = if let key { try cache.counts.usage(channel: key) } else { ChannelUsage?.none }
            return (cache: try cache.statistics(), used: try cache.counts.completeTotal(), usage)
        }
        guard let (cache, used, usage) = found else { return nil }
        let document = JSON.object([
            "cached_channels": .int(cache.channels), "cached_messages": .int(cache.messages),
            "cache_bytes": .int(cache.bytes), "pending_messages": .int(Int64(pendingMessages)),
            "failed_messages": .int(Int64(failedMessages)), "connected": .bool(context.isLoggedIn),
            "waiting_calls": .int(Int64(waitingCalls)), "cache_used_bytes": .int(used),
            "cache_limit_bytes": context.options.cacheLimit.map { .int($0) } ?? .null,
        ])
        if url != nil {
            document.set("channel_messages", .int(usage?.messages ?? 0))
            document.set("channel_bytes", .int(usage?.bytes ?? 0))
            document.set("channel_used_at", .int(usage?.usedAt ?? 0))
        }
        return document.serialized()
    }
}
