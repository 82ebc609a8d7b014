import SyncModel
import SyncStore

/// What the cache has of a history.
enum CachedHistory {
    /// Reads what the cache has of a channel or a thread; one without a key gets a key. A thread without cached
    /// messages begins with the replies that the channel's history has.
    static func read(
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
    static func parent(of history: History, _ cache: CacheStore) throws(StoreError) -> MessageRecord? {
        history.parentID.isEmpty ? nil : try cache.message(id: history.parentID, channel: history.channelKey)
    }

    /// How many messages are cached with the time at which a chunk ends; 0 when the last message has been deleted.
    static func held(
        _ history: History, atEndOf chunk: ChunkList.Chunk, _ filter: MessageFilter?, _ cache: CacheStore
    ) throws(StoreError) -> Int {
        let end = chunk.end.position
        let first = MessagePosition(order: end.order, tie: Int64.min)
        guard let filter else { return try cache.messageCount(channel: history.channelKey, from: first, through: end) }
        return try cache.messagesBefore(
            end.successor, notBefore: first, channel: history.channelKey, filter: filter, limit: 1000).count
    }

    /// The outermost message of the chunk with this edge, for a service that can tell an edge's token by its message.
    static func message(
        at edge: HistoryEdge, of history: History, _ direction: PageDirection, _ cache: CacheStore
    ) throws(StoreError) -> MessageID? {
        let chunk = history.chunks.chunks.first { (direction == .previous ? $0.start : $0.end) == edge }
        guard let chunk, let place = try cache.outermost(
            direction, from: chunk.start.position, through: chunk.end.position, channel: history.channelKey)
        else { return nil }
        return try cache.messageReferences(channel: history.channelKey, from: place, through: place).first?.id
    }
}
