import SyncModel
import SyncSQLite

/// The ranges in which the cache of each channel and thread is complete.
public final class ChunkStore {
    private let connection: Connection
    private let counts: ChannelCounts
    /// The chunks of some channels as they are in the file. Emptied when a transaction is rolled back, since its
    /// changes are not in the file.
    private var stored: [Int64: [StoredChunk]] = [:]
    /// How many channels have their chunks kept in memory; those of others are read from the file.
    private static let memoryLimit = 1024

    init(_ connection: Connection, _ counts: ChannelCounts) {
        self.connection = connection
        self.counts = counts
    }

    /// A transaction was rolled back.
    func rolledBack() { stored = [:] }

    private func transaction(_ body: () throws(StoreError) -> Void) throws(StoreError) {
        do throws(StoreError) {
            try counts.transaction(body)
        } catch {
            rolledBack()
            throw error
        }
    }

    /// The ranges in which the cache of a channel is complete, ascending. An open-ended chunk ends with the newest
    /// cached message.
    public func of(channel: Int64) throws(StoreError) -> [StoredChunk] {
        var chunks = try onDisk(channel)
        guard let last = chunks.last, last.isOpenEnded else { return chunks }
        // When all messages of the chunk were deleted, it ends at its start.
        var end = last.start.position
        if let newest = try edge(channel, ChunkStore.newest) { end = max(end, newest) }
        chunks[chunks.count - 1].end.position = end
        return chunks
    }

    private static let newest = "SELECT ord, tie FROM message WHERE channel = ? ORDER BY ord DESC, tie DESC LIMIT 1"
    private static let oldest = "SELECT ord, tie FROM message WHERE channel = ? ORDER BY ord, tie LIMIT 1"

    private func edge(_ channel: Int64, _ sql: String) throws(StoreError) -> MessagePosition? {
        let row = try connection.prepare(sql).bind(channel)
        defer { row.reset() }
        return try row.next() ? MessagePosition(order: row.int(0), tie: row.int(1)) : nil
    }

    /// Replaces the chunks of a channel, which are disjoint. Writes only what differs from the file; for an open-ended
    /// chunk that grows, that is nothing.
    public func set(channel: Int64, _ chunks: [StoredChunk]) throws(StoreError) {
        try transaction { () throws(StoreError) in
            let before = try onDisk(channel)
            let chunks = chunks.sorted { $0.start.position < $1.start.position }
            var gone = Set(before.map(\.start.position))
            for chunk in chunks {
                gone.remove(chunk.start.position)
                if !before.contains(where: { $0.isStoredLike(chunk) }) { try write(chunk, channel) }
            }
            if !gone.isEmpty {
                let statement = try connection.prepare("""
                    DELETE FROM chunk WHERE channel = ? AND start_ord = ? AND start_tie = ?
                    """)
                for start in gone { try statement.bind(channel).bind(start.order).bind(start.tie).run() }
            }
            remember(chunks, of: channel)
        }
    }

    /// Forgets where the cache is complete, of all channels and threads; the messages stay.
    public func clear() throws(StoreError) {
        try transaction { () throws(StoreError) in
            try connection.prepare("DELETE FROM chunk").run()
            stored = [:]
        }
    }

    /// The same for one channel or thread.
    func clear(channel: Int64) throws(StoreError) {
        try transaction { () throws(StoreError) in
            stored[channel] = nil
            try connection.prepare("DELETE FROM chunk WHERE channel = ?").bind(channel).run()
        }
    }

    /// Ends the open-ended chunk of a channel or thread with the newest message that is cached now: newer ones may be
    /// missing.
    public func closeOpenEnd(_ channel: Int64) throws(StoreError) {
        var chunks = try of(channel: channel)
        for index in chunks.indices { chunks[index].isOpenEnded = false }
        try set(channel: channel, chunks)
    }

    private func write(_ chunk: StoredChunk, _ channel: Int64) throws(StoreError) {
        try connection.prepare("""
            INSERT INTO chunk (channel, start_ord, start_tie, start_token, end_ord, end_tie, end_token, reached_first,
                is_open_ended, checksum)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, checksum_of_row(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9))
            ON CONFLICT (channel, start_ord, start_tie) DO UPDATE SET start_token = excluded.start_token,
                end_ord = excluded.end_ord, end_tie = excluded.end_tie, end_token = excluded.end_token,
                reached_first = excluded.reached_first, is_open_ended = excluded.is_open_ended,
                checksum = excluded.checksum
            """)
            .bind(channel).bind(chunk.start.position.order).bind(chunk.start.position.tie).bind(chunk.start.token)
            .bind(chunk.end.position.order).bind(chunk.end.position.tie).bind(chunk.end.token)
            .bind(chunk.reachedFirst).bind(chunk.isOpenEnded).run()
    }

    /// The rows as they are in the file. The end of an open-ended chunk is not used.
    private func onDisk(_ channel: Int64) throws(StoreError) -> [StoredChunk] {
        if let known = stored[channel] { return known }
        let row = try connection.prepare("""
            SELECT channel, start_ord, start_tie, start_token, end_ord, end_tie, end_token, reached_first,
                is_open_ended, checksum
            FROM chunk WHERE channel = ? ORDER BY start_ord, start_tie
            """).bind(channel)
        defer { row.reset() }
        var chunks: [StoredChunk] = []
        while try row.next() {
            try row.check(0...8, checksum: 9)
            chunks.append(StoredChunk(
                start: HistoryEdge(MessagePosition(order: row.int(1), tie: row.int(2)), token: row.text(3)),
                end: HistoryEdge(MessagePosition(order: row.int(4), tie: row.int(5)), token: row.text(6)),
                reachedFirst: row.bool(7), isOpenEnded: row.bool(8)))
        }
        // A message whose order is not a number is sorted before or after all others, where no page would find it.
        if !chunks.isEmpty { for sql in [ChunkStore.newest, ChunkStore.oldest] { _ = try edge(channel, sql) } }
        remember(chunks, of: channel)
        return chunks
    }

    private func remember(_ chunks: [StoredChunk], of channel: Int64) {
        if stored.count >= ChunkStore.memoryLimit { stored = [:] }
        stored[channel] = chunks
    }
}

extension StoredChunk {
    /// Whether both chunks have the same row. The row does not say the end of an open-ended chunk.
    fileprivate func isStoredLike(_ other: StoredChunk) -> Bool {
        start == other.start && reachedFirst == other.reachedFirst && isOpenEnded == other.isOpenEnded
            && end.token == other.end.token && (isOpenEnded || end.position == other.end.position)
    }
}
