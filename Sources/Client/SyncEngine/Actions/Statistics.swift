import SyncJSON
import SyncModel
import SyncStore

/// What this library holds, for a host that asks.
struct Statistics {
    private let pendingMessages: Int
    private let failedMessages: Int
    private let waitingCalls: Int

    /// `own`: the messages that are not the service's.
    init(own: [Intent], waitingCalls: Int) {
        failedMessages = own.count { $0.status == .failed }
        pendingMessages = own.count - failedMessages
        self.waitingCalls = waitingCalls
    }

    /// `nil` when the cache could not be read.
    func json(_ context: Context) -> [UInt8]? {
        let cache = context.storage.cached { (cache) throws(StoreError) in try cache.statistics() }
        guard let cache else { return nil }
        return JSON.object([
            "cached_channels": .int(cache.channels), "cached_messages": .int(cache.messages),
            "cache_bytes": .int(cache.bytes), "pending_messages": .int(Int64(pendingMessages)),
            "failed_messages": .int(Int64(failedMessages)), "connected": .bool(context.isLoggedIn),
            "waiting_calls": .int(Int64(waitingCalls)),
        ]).serialized()
    }
}
