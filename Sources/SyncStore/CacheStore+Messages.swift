import SyncModel

extension CacheStore {
    private static let columns = """
        created_at, id, updated_at, kind, custom_type, sender_id, parent_id, is_reply_to_channel, is_silent, request_id,
        json
        """

    /// Stores messages by their id; what was stored under it before is replaced.
    public func upsert(_ messages: [MessageRecord], channel: Int64) throws(StoreError) {
        guard !messages.isEmpty else { return }
        try transaction { () throws(StoreError) in
            // OR REPLACE also covers a message whose time the service has changed: its old row goes by the unique id.
            let statement = try database.prepare("""
                INSERT OR REPLACE INTO message (channel, \(CacheStore.columns))
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """)
            for message in messages {
                statement.bind(channel).bind(message.position.createdAt).bind(message.id).bind(message.updatedAt)
                    .bind(message.kind.rawValue).bind(message.customType).bind(message.senderID).bind(message.parentID)
                    .bind(message.isReplyToChannel).bind(message.isSilent).bind(message.requestID)
                let outcome: StoreError? = message.json.withUnsafeBytes { json in
                    statement.bind(lastingText: json)
                    do throws(StoreError) {
                        try statement.run()
                        return nil
                    } catch {
                        return error
                    }
                }
                if let outcome { throw outcome }
            }
        }
    }

    /// A message of a channel by its id; `nil` when it is not cached.
    public func message(id: Int64, channel: Int64) throws(StoreError) -> MessageRecord? {
        let statement = try database.prepare("SELECT \(CacheStore.columns) FROM message WHERE id = ? AND channel = ?")
            .bind(id).bind(channel)
        defer { statement.reset() }
        guard try statement.next() else { return nil }
        return CacheStore.record(statement, at: MessagePosition(createdAt: statement.int(0), id: statement.int(1)))
    }

    /// Removes messages of a channel by their ids; ids that are not cached do no harm.
    public func deleteMessages(ids: [Int64], channel: Int64) throws(StoreError) {
        guard !ids.isEmpty else { return }
        try transaction { () throws(StoreError) in
            let statement = try database.prepare("DELETE FROM message WHERE id = ? AND channel = ?")
            for id in ids { try statement.bind(id).bind(channel).run() }
        }
    }

    /// Removes what is older than a time.
    public func deleteMessages(channel: Int64, olderThan createdAt: Int64) throws(StoreError) {
        try database.prepare("DELETE FROM message WHERE channel = ? AND created_at < ?")
            .bind(channel).bind(createdAt).run()
    }

    /// Positions cached in a closed range, ascending.
    public func messagePositions(
        channel: Int64, from: MessagePosition, through: MessagePosition
    ) throws(StoreError) -> [MessagePosition] {
        let statement = try database.prepare("""
            SELECT created_at, id FROM message
            WHERE channel = ? AND (created_at, id) >= (?, ?) AND (created_at, id) <= (?, ?) ORDER BY created_at, id
            """)
            .bind(channel).bind(from.createdAt).bind(from.id).bind(through.createdAt).bind(through.id)
        defer { statement.reset() }
        var result: [MessagePosition] = []
        while try statement.next() {
            result.append(MessagePosition(createdAt: statement.int(0), id: statement.int(1)))
        }
        return result
    }

    /// How many messages are cached in a closed range, counted up to 1,000.
    public func messageCount(
        channel: Int64, from: MessagePosition, through: MessagePosition
    ) throws(StoreError) -> Int {
        let statement = try database.prepare("""
            SELECT count(*) FROM (SELECT 1 FROM message
            WHERE channel = ? AND (created_at, id) >= (?, ?) AND (created_at, id) <= (?, ?) LIMIT 1000)
            """)
            .bind(channel).bind(from.createdAt).bind(from.id).bind(through.createdAt).bind(through.id)
        defer { statement.reset() }
        return try statement.next() ? Int(clamping: statement.int(0)) : 0
    }

    /// Up to `limit` messages that match, the nearest before a position; ascending.
    public func messagesBefore(
        _ position: MessagePosition, notBefore bound: MessagePosition, channel: Int64, filter: MessageFilter, limit: Int
    ) throws(StoreError) -> [MessageRow] {
        let sql = filter.looksAtThreadOnly ? CacheStore.pageBefore : CacheStore.filteredPageBefore
        var rows = try page(sql, position, channel, filter, limit) { $0 < bound }
        rows.reverse()
        return rows
    }

    /// Up to `limit` messages that match, the nearest after a position; ascending.
    public func messagesAfter(
        _ position: MessagePosition, notAfter bound: MessagePosition, channel: Int64, filter: MessageFilter, limit: Int
    ) throws(StoreError) -> [MessageRow] {
        let sql = filter.looksAtThreadOnly ? CacheStore.pageAfter : CacheStore.filteredPageAfter
        return try page(sql, position, channel, filter, limit) { $0 > bound }
    }

    /// Decoding columns is most of a page's work, so those that few filters look at are read for them only.
    private static let pageColumns = "created_at, id, json, parent_id, is_reply_to_channel"
    private static let filteredPageColumns = "\(pageColumns), kind, custom_type, sender_id"
    private static let before = """
        FROM message WHERE channel = ?1 AND (created_at, id) < (?2, ?3) ORDER BY created_at DESC, id DESC
        """
    private static let after = """
        FROM message WHERE channel = ?1 AND (created_at, id) > (?2, ?3) ORDER BY created_at ASC, id ASC
        """
    private static let pageBefore = "SELECT \(pageColumns) \(before)"
    private static let pageAfter = "SELECT \(pageColumns) \(after)"
    private static let filteredPageBefore = "SELECT \(filteredPageColumns) \(before)"
    private static let filteredPageAfter = "SELECT \(filteredPageColumns) \(after)"

    /// Walks from a position until there are enough. The far end is looked for here: as a term of the statement SQLite
    /// would compare it a second time for every row.
    private func page(
        _ sql: String, _ position: MessagePosition, _ channel: Int64, _ filter: MessageFilter, _ limit: Int,
        isPast: (MessagePosition) -> Bool
    ) throws(StoreError) -> [MessageRow] {
        guard limit > 0 else { return [] }
        let statement = try database.prepare(sql).bind(channel).bind(position.createdAt).bind(position.id)
        defer { statement.reset() }
        var result: [MessageRow] = []
        result.reserveCapacity(min(limit, 128))
        while result.count < limit, try statement.next() {
            let place = MessagePosition(createdAt: statement.int(0), id: statement.int(1))
            if isPast(place) { break }
            let isWanted = filter.matches(
                kind: CacheStore.kind(statement.int(5)), customType: statement.text(6), senderID: statement.text(7),
                parentID: statement.int(3), isReplyToChannel: statement.bool(4))
            if isWanted { result.append(MessageRow(position: place, json: statement.bytes(2))) }
        }
        return result
    }

    /// Forgets messages, ranges and change cursors of one channel, or of all. Channels stay.
    public func clearMessages(channel: Int64?) throws(StoreError) {
        try transaction { () throws(StoreError) in
            if let channel {
                try database.prepare("DELETE FROM message WHERE channel = ?").bind(channel).run()
                try database.prepare("DELETE FROM chunk WHERE channel = ?").bind(channel).run()
                try setValue("messages.changes.\(channel)", nil)
            } else {
                try database.execute("DELETE FROM message")
                try database.execute("DELETE FROM chunk")
                try database.execute("DELETE FROM meta WHERE key GLOB 'messages.changes.*'")
            }
        }
    }

    // MARK: Chunks

    /// Where the cache of a channel is complete, ascending.
    public func chunks(channel: Int64) throws(StoreError) -> [StoredChunk] {
        let statement = try database.prepare("""
            SELECT start_created_at, start_id, end_created_at, end_id, reached_first FROM chunk WHERE channel = ?
            ORDER BY start_created_at, start_id
            """).bind(channel)
        defer { statement.reset() }
        var result: [StoredChunk] = []
        while try statement.next() {
            result.append(StoredChunk(
                start: MessagePosition(createdAt: statement.int(0), id: statement.int(1)),
                end: MessagePosition(createdAt: statement.int(2), id: statement.int(3)),
                reachedFirst: statement.bool(4)))
        }
        return result
    }

    /// Replaces the ranges of a channel.
    public func setChunks(channel: Int64, _ chunks: [StoredChunk]) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try database.prepare("DELETE FROM chunk WHERE channel = ?").bind(channel).run()
            let statement = try database.prepare("""
                INSERT INTO chunk (channel, start_created_at, start_id, end_created_at, end_id, reached_first)
                VALUES (?, ?, ?, ?, ?, ?)
                """)
            for chunk in chunks {
                try statement.bind(channel).bind(chunk.start.createdAt).bind(chunk.start.id)
                    .bind(chunk.end.createdAt).bind(chunk.end.id).bind(chunk.reachedFirst).run()
            }
        }
    }

    private static func record(_ row: Statement, at position: MessagePosition) -> MessageRecord {
        MessageRecord(
            position: position, updatedAt: row.int(2),
            kind: kind(row.int(3)), customType: row.text(4), senderID: row.text(5),
            parentID: row.int(6), isReplyToChannel: row.bool(7), isSilent: row.bool(8), requestID: row.text(9),
            json: row.bytes(10))
    }

    private static func kind(_ stored: Int64) -> MessageRecord.Kind { MessageRecord.Kind(rawValue: stored) ?? .user }
}
