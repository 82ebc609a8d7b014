import SyncModel
import SyncSQLite

/// Removes the oldest messages. The caller changes the chunks accordingly, in the same transaction.
public struct CacheRoom {
    /// Which messages of a channel or thread stay.
    public enum Kept: Equatable, Sendable {
        /// This many of the newest messages.
        case newest(Int)
        /// Messages from this time on, in milliseconds since the epoch.
        case since(Int64)
    }

    private let cache: CacheStore
    private var connection: Connection { cache.connection }

    init(_ cache: CacheStore) { self.cache = cache }

    /// The position up to which the oldest messages of a channel or thread are to be removed, `rows` of them at most;
    /// `nil`: none is.
    public func trimEnd(channel key: Int64, rows: Int, keeping kept: Kept) throws(StoreError) -> MessagePosition? {
        guard let last = try firstKept(kept, channel: key) else { return nil }
        let oldest = try connection.prepare("""
            SELECT ord, tie FROM message WHERE channel = ?1 AND (ord, tie) < (?2, ?3) ORDER BY ord, tie LIMIT ?4
            """).bind(key).bind(last.order).bind(last.tie).bind(rows)
        defer { oldest.reset() }
        var end: MessagePosition?
        while try oldest.next() { end = MessagePosition(order: oldest.int(0), tie: oldest.int(1)) }
        return end
    }

    /// The position before which every message may be removed; `nil`: none may.
    private func firstKept(_ kept: Kept, channel key: Int64) throws(StoreError) -> MessagePosition? {
        switch kept {
        case .newest(0): .last
        case .newest(let count):
            try position("WHERE channel = ?1 ORDER BY ord DESC, tie DESC LIMIT 1 OFFSET ?2", key, count - 1)
        case .since(let time): MessagePosition(order: time, tie: Int64.min)
        }
    }

    private func position(
        _ condition: String, _ key: Int64, _ offset: Int
    ) throws(StoreError) -> MessagePosition? {
        let row = try connection.prepare("SELECT ord, tie FROM message \(condition)").bind(key).bind(offset)
        defer { row.reset() }
        return try row.next() ? MessagePosition(order: row.int(0), tie: row.int(1)) : nil
    }

    /// Removes the messages up to a position; gives how many.
    public func deleteMessages(channel key: Int64, through end: MessagePosition) throws(StoreError) -> Int {
        try cache.transaction { () throws(StoreError) in
            let row = try connection.prepare("""
                DELETE FROM message WHERE channel = ?1 AND (ord, tie) <= (?2, ?3)
                RETURNING length(CAST(json AS BLOB))
                """).bind(key).bind(end.order).bind(end.tie)
            defer { row.reset() }
            var (rows, bytes) = (0, Int64(0))
            while try row.next() {
                rows += 1
                bytes &+= row.int(0)
            }
            cache.counts.add(rows: Int64(0 - rows), bytes: 0 &- bytes, to: key)
            return rows
        }
    }

    /// Forgets the chunks and change cursors of a thread (or a channel), so nothing of it counts as complete or up to
    /// date. Its messages stay.
    public func forgetCompleteness(channel key: Int64) throws(StoreError) {
        try cache.transaction { () throws(StoreError) in
            try cache.chunks.set(channel: key, [])
            try cache.setValue("messages.changes.\(key)", nil)
            try cache.setValue(CacheStore.pollsKey(key), nil)
        }
    }

    /// Whether anything is stored of messages under a key.
    public func holdsAnything(channel key: Int64) throws(StoreError) -> Bool {
        let row = try connection.prepare("""
            SELECT EXISTS (SELECT 1 FROM message WHERE channel = ?1) OR EXISTS (SELECT 1 FROM chunk WHERE channel = ?1)
                OR EXISTS (SELECT 1 FROM relation WHERE channel = ?1)
                OR EXISTS (SELECT 1 FROM meta WHERE key IN ('messages.changes.' || ?1, 'messages.polls.' || ?1))
            """).bind(key)
        defer { row.reset() }
        return try row.next() ? row.bool(0) : false
    }

    /// The URL of the channel whose messages are stored under a number; `nil` when there is none.
    public func channelURL(ofKey key: Int64) throws(StoreError) -> ChannelURL? {
        let row = try connection.prepare("SELECT key, url, key_checksum FROM channel WHERE key = ?").bind(key)
        defer { row.reset() }
        guard try row.next() else { return nil }
        try row.check(0...1, checksum: 2)
        return ChannelURL(row.text(1))
    }

    /// Lets another thread copy the log into the file.
    public func copyLog(by copier: any LogCopying) { connection.copyLog(by: copier) }

    public var isCopyingLog: Bool { connection.isCopyingLog }
}

extension CacheStore {
    public var room: CacheRoom { CacheRoom(self) }
}
