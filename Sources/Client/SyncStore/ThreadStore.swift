import SyncModel
import SyncSQLite

/// Threads that are shown by themselves. A thread has a cache like a channel: messages, chunks and a change cursor,
/// under a key of its own. A thread is complete in other ranges than its channel, and an open-ended chunk of one must
/// not end with a message of the other. So the two share nothing, and a reply may be cached twice.
public struct ThreadStore {
    private let cache: CacheStore
    private var connection: Connection { cache.connection }

    init(_ cache: CacheStore) { self.cache = cache }

    /// The number under which a thread's messages are stored, which is negative; made when there is none.
    public func key(channel: Int64, parentID: MessageID) throws(StoreError) -> Int64 {
        if let key = try keyIfKnown(channel: channel, parentID: parentID) { return key }
        return try cache.transaction { () throws(StoreError) in
            try connection.prepare("INSERT INTO thread (channel, parent_id) VALUES (?, ?)").bind(channel).bind(parentID)
                .run()
            let key = try cache.newKey()
            try connection.prepare("""
                UPDATE thread SET checksum = checksum_of_row(key, channel, parent_id) WHERE key = ?
                """).bind(key).run()
            try cache.clearRemains(-key)
            return -key
        }
    }

    /// The number under which a thread's messages are stored; `nil` when it was never shown.
    public func keyIfKnown(channel: Int64, parentID: MessageID) throws(StoreError) -> Int64? {
        let row = try connection.prepare("\(ThreadStore.select) WHERE channel = ? AND parent_id = ?")
            .bind(channel).bind(parentID)
        defer { row.reset() }
        return try row.next() ? try key(row) : nil
    }

    /// All threads of a channel that were ever shown: the key of each, and the id of its parent.
    public func of(channel: Int64) throws(StoreError) -> [(key: Int64, parentID: MessageID)] {
        let row = try connection.prepare("\(ThreadStore.select) WHERE channel = ?").bind(channel)
        defer { row.reset() }
        var threads: [(key: Int64, parentID: MessageID)] = []
        while try row.next() { threads.append((try key(row), MessageID(row.text(2)))) }
        return threads
    }

    /// The same without threads whose row is damaged: these are left out, and `takeDamage` tells of the damage.
    public func sound(channel: Int64) throws(StoreError) -> [(key: Int64, parentID: MessageID)] {
        let row = try connection.prepare("\(ThreadStore.select) WHERE channel = ?").bind(channel)
        defer { row.reset() }
        var threads: [(key: Int64, parentID: MessageID)] = []
        while try row.step() {
            if row.matches(0...2, checksum: 3) {
                threads.append((try key(row), MessageID(row.text(2))))
            } else {
                cache.damagedValue = connection.damageOfMissing("a thread does not match its checksum")
            }
        }
        return threads
    }

    static let select = "SELECT key, channel, parent_id, checksum FROM thread"

    /// The number of a row of `select`.
    private func key(_ row: Statement) throws(StoreError) -> Int64 {
        try row.check(0...2, checksum: 3)
        return -(try row.int(0, in: CacheStore.keys))
    }

    /// Copies the part of a thread that the channel's cache has to the thread's own number, under which no chunk is
    /// cached: the parent, and its replies up to the end of the chunk that has the parent; the thread has no older
    /// messages. The thread's change cursor begins where the channel's is.
    public func copy(_ key: Int64, parentID: MessageID, from channel: Int64) throws(StoreError) {
        guard let changes = try cache.value("messages.changes.\(channel)"),
            let parent = try cache.message(id: parentID, channel: channel)?.position,
            let chunk = try cache.chunks.of(channel: channel).first(where: { $0.covers(parent) })
        else { return }
        let columns = CacheStore.columns.filter { $0 != "checksum" }.joined(separator: ", ")
        let copied = """
            FROM message WHERE channel = ?1 AND id = ?2 OR channel = ?1 AND parent_id = ?2 AND parent_id > ''
                AND ord <= ?3 AND (ord, tie) <= (?3, ?4)
            """
        let end = chunk.end.position
        try cache.transaction { () throws(StoreError) in
            // The copies get checksums of their own, which must not hide that a row was damaged.
            let damaged = try connection.prepare("""
                SELECT 1 FROM (SELECT * \(copied)) WHERE checksum IS NOT checksum_of_row(\(CacheStore.pagedColumns))
                    OR fields_checksum IS NOT checksum_of_row(\(CacheStore.fieldColumns)) LIMIT 1
                """)
                .bind(channel).bind(parentID).bind(end.order).bind(end.tie)
            let isDamaged = try damaged.next()
            damaged.reset()
            guard !isDamaged else { throw connection.damage("a message does not match its checksum") }
            // Messages without a chunk, as damage may leave them, are removed.
            try cache.clearRemains(key)
            try connection.prepare("""
                INSERT INTO message (channel, id, ord, tie, \(columns), checksum)
                SELECT ?5, id, ord, tie, \(columns), checksum_of_row(?5, ord, tie, id, parent_id, json) \(copied)
                """)
                .bind(channel).bind(parentID).bind(end.order).bind(end.tie).bind(key).run()
            let copies = try cache.counts.size(of: "channel = ?1", key)
            cache.counts.add(rows: copies.rows, bytes: copies.bytes, to: key)
            try cache.chunks.set(channel: key, [
                StoredChunk(
                    start: HistoryEdge(parent), end: HistoryEdge(chunk.end.position), reachedFirst: true,
                    isOpenEnded: false)
            ])
            try cache.setValue("messages.changes.\(key)", changes)
            try cache.setValue(CacheStore.pollsKey(key), try cache.value(CacheStore.pollsKey(channel)))
        }
    }
}

extension CacheStore {
    public var threads: ThreadStore { ThreadStore(self) }

    /// A message as it is cached with its channel, or else with the thread of which it is the parent or a reply; `nil`
    /// when it is not cached.
    func message(
        id: MessageID, parentID: MessageID, channelAndThreads channel: Int64
    ) throws(StoreError) -> MessageRecord? {
        if let message = try message(id: id, channel: channel) { return message }
        for parent in [id, parentID] where !parent.isEmpty {
            guard let thread = try threads.keyIfKnown(channel: channel, parentID: parent) else { continue }
            if let message = try message(id: id, channel: thread) { return message }
        }
        return nil
    }

    /// Forgets messages, chunks and change cursors of a channel and of its threads. `keepsEarly`: as for a channel.
    public func clearMessages(channelAndThreads channel: Int64, keepsEarly: Bool = false) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try clearMessages(channel: channel, keepsEarly: keepsEarly)
            for thread in try threads.of(channel: channel) { try clearMessages(channel: thread.key) }
        }
    }
}
