import SyncModel
import SyncStore

// What the cache has of a history.
extension History {
    /// Reads what the cache has of a channel or a thread; one without a key gets a key. A thread without cached
    /// messages begins with the replies that the channel's history has.
    static func stored(
        _ id: HistoryID, _ capabilities: ServiceCapabilities, _ cache: CacheStore
    ) throws(StoreError) -> History {
        let channel = try cache.channels.key(id.channelURL)
        guard id.isThread else {
            return History(channelKey: channel, stored: try cache.chunks.of(channel: channel), capabilities)
        }
        let key = try cache.threads.key(channel: channel, parentID: id.parentID)
        if try cache.chunks.of(channel: key).isEmpty {
            try cache.threads.copy(key, parentID: id.parentID, from: channel)
        }
        return History(channelKey: key, parentID: id.parentID, stored: try cache.chunks.of(channel: key), capabilities)
    }

    /// The parent message of the thread, when it is cached.
    func parent(_ cache: CacheStore) throws(StoreError) -> MessageRecord? {
        parentID.isEmpty ? nil : try cache.message(id: parentID, channel: channelKey)
    }

    /// How many messages are cached with the time at which a chunk ends; 0 when the last message has been deleted.
    func held(
        atEndOf chunk: ChunkList.Chunk, _ filter: MessageFilter?, _ cache: CacheStore
    ) throws(StoreError) -> Int {
        let end = chunk.end.position
        let first = MessagePosition(order: end.order, tie: Int64.min)
        guard let filter else { return try cache.messageCount(channel: channelKey, from: first, through: end) }
        return try cache.messagesBefore(
            end.successor, notBefore: first, channel: channelKey, filter: filter, limit: 1000).count
    }
}
