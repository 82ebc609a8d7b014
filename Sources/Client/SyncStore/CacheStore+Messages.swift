import SyncModel
import SyncSQLite

extension CacheStore {
    private static let fields = [
        "is_reply_to_channel", "kind", "custom_type", "sender_id", "updated_at", "is_silent", "request_id",
    ]
    static let columns = ["parent_id"] + fields + ["fields_checksum", "checksum", "json"]
    /// The columns that `checksum` covers: all that a page without a filter reads. `fields_checksum` covers the rest.
    static let pagedColumns = "channel, ord, tie, id, parent_id, json"
    static let fieldColumns = fields.joined(separator: ", ")

    private static let insertMessage = """
        INSERT INTO message (channel, id, ord, tie, \(columns.joined(separator: ", ")))
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
        ON CONFLICT (channel, id) DO
        """
    private static let insertNewMessage = insertMessage + " NOTHING"
    /// Replaces the row of an id when it is at the same position and differs; then no index is written.
    private static let replaceMessage = """
        \(insertMessage) UPDATE SET \(columns.map { "\($0) = excluded.\($0)" }.joined(separator: ", "))
        WHERE (ord, tie) = (excluded.ord, excluded.tie)
            AND (\(columns.joined(separator: ", ")))
                IS NOT (\(columns.map { "excluded.\($0)" }.joined(separator: ", ")))
        """

    /// Stores messages by their id; a row with the same id is replaced. A row keeps its local key as long as its id is
    /// cached, even when the message moves. A message that is stored already and did not change writes nothing.
    public func upsert(_ messages: [MessageRecord], channel: Int64) throws(StoreError) {
        guard !messages.isEmpty else { return }
        try transaction { () throws(StoreError) in
            let insert = try connection.prepare(CacheStore.insertNewMessage)
            for message in messages {
                // Most messages are new, so a row is inserted without looking first whether the message is stored.
                if try write(message, channel, insert) {
                    counts.add(rows: 1, bytes: Int64(message.json.count), to: channel)
                } else {
                    try replace(message, channel)
                }
            }
        }
    }

    /// Replaces the row of a message that is stored already, and moves it when its position has changed.
    private func replace(_ message: MessageRecord, _ channel: Int64) throws(StoreError) {
        guard let held = try counts.size(of: message.id, channel: channel) else { return }
        if held.position != message.position {
            try connection.prepare("UPDATE message SET ord = ?1, tie = ?2 WHERE channel = ?3 AND id = ?4")
                .bind(message.position.order).bind(message.position.tie).bind(channel).bind(message.id).run()
        }
        if try write(message, channel, try connection.prepare(CacheStore.replaceMessage)) {
            counts.add(rows: 0, bytes: Int64(message.json.count) &- held.bytes, to: channel)
        }
    }

    /// Writes a message by one of the two statements; gives whether a row was inserted or changed.
    private func write(
        _ message: MessageRecord, _ channel: Int64, _ upsert: Statement
    ) throws(StoreError) -> Bool {
        try upsert.bind(channel).bind(message.id).bind(message.position.order).bind(message.position.tie)
            .bind(message.parentID).bind(message.isReplyToChannel).bind(message.kind.rawValue)
            .bind(message.customType).bind(message.senderID.text).bind(message.updatedAt).bind(message.isSilent)
            .bind(message.requestID).bind(message.fieldsChecksum)
            .run(withChecksum: message.checksum(channel: channel), text: message.json)
        return connection.changes > 0
    }

    /// A message of a channel by its id; `nil` when it is not cached.
    public func message(id: MessageID, channel: Int64) throws(StoreError) -> MessageRecord? {
        let row = try connection.prepare("\(CacheStore.selectFiltered) WHERE channel = ? AND id = ?")
            .bind(channel).bind(id)
        defer { row.reset() }
        return try row.step() ? try row.record(of: channel) : nil
    }

    /// A message by the key of its row, with the channel's. The channel is read from the row itself, not from an index.
    func message(key: Int64) throws(StoreError) -> (channel: Int64, message: MessageRecord)? {
        let row = try connection.prepare(CacheStore.selectByKey).bind(key)
        defer { row.reset() }
        guard try row.step() else { return nil }
        let channel = row.int(14)
        return (channel, try row.record(of: channel))
    }

    /// Whether a message of a channel is cached that is older than an order.
    public func hasMessages(channel: Int64, before order: Int64) throws(StoreError) -> Bool {
        let row = try connection.prepare("SELECT 1 FROM message WHERE channel = ? AND ord < ? LIMIT 1")
            .bind(channel).bind(order)
        defer { row.reset() }
        return try row.next()
    }

    /// Removes messages of a channel by their ids, and returns those that were cached.
    @discardableResult
    public func deleteMessages(ids: [MessageID], channel: Int64) throws(StoreError) -> [MessageID] {
        guard !ids.isEmpty else { return [] }
        var deleted: [MessageID] = []
        try transaction { () throws(StoreError) in
            let statement = try connection.prepare("DELETE FROM message WHERE channel = ? AND id = ?")
            for id in ids {
                guard let held = try counts.size(of: id, channel: channel) else { continue }
                try statement.bind(channel).bind(id).run()
                counts.add(rows: -1, bytes: 0 &- held.bytes, to: channel)
                deleted.append(id)
            }
        }
        return deleted
    }

    /// Removes the messages of a channel whose position has a lower order.
    public func deleteMessages(channel: Int64, before order: Int64) throws(StoreError) {
        try transaction { () throws(StoreError) in
            let size = try counts.size(of: "channel = ?1 AND ord < ?2", channel, order)
            try connection.prepare("DELETE FROM message WHERE channel = ? AND ord < ?").bind(channel).bind(order).run()
            counts.add(rows: 0 &- size.rows, bytes: 0 &- size.bytes, to: channel)
        }
    }

    /// The messages cached in a closed range, ascending.
    public func messageReferences(
        channel: Int64, from: MessagePosition, through: MessagePosition
    ) throws(StoreError) -> [MessageReference] {
        let statement = try connection.prepare("""
            SELECT ord, tie, id FROM message
            WHERE channel = ? AND (ord, tie) >= (?, ?) AND (ord, tie) <= (?, ?) ORDER BY ord, tie
            """)
            .bind(channel).bind(from.order).bind(from.tie).bind(through.order).bind(through.tie)
        defer { statement.reset() }
        var result: [MessageReference] = []
        while try statement.next() {
            result.append(MessageReference(
                id: MessageID(statement.text(2)),
                position: MessagePosition(order: statement.int(0), tie: statement.int(1))))
        }
        return result
    }

    /// Where the oldest or the newest message of a closed range stands; `nil` when none is cached there.
    public func outermost(
        _ direction: PageDirection, from: MessagePosition, through: MessagePosition, channel: Int64
    ) throws(StoreError) -> MessagePosition? {
        let order = direction == .previous ? "ord, tie" : "ord DESC, tie DESC"
        let row = try connection.prepare("""
            SELECT ord, tie FROM message
            WHERE channel = ? AND (ord, tie) >= (?, ?) AND (ord, tie) <= (?, ?) ORDER BY \(order) LIMIT 1
            """)
            .bind(channel).bind(from.order).bind(from.tie).bind(through.order).bind(through.tie)
        defer { row.reset() }
        return try row.next() ? MessagePosition(order: row.int(0), tie: row.int(1)) : nil
    }

    /// How many messages are cached in a closed range, counted up to 1,000.
    public func messageCount(
        channel: Int64, from: MessagePosition, through: MessagePosition
    ) throws(StoreError) -> Int {
        let statement = try connection.prepare("""
            SELECT count(*) FROM (SELECT 1 FROM message
            WHERE channel = ? AND (ord, tie) >= (?, ?) AND (ord, tie) <= (?, ?) LIMIT 1000)
            """)
            .bind(channel).bind(from.order).bind(from.tie).bind(through.order).bind(through.tie)
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

    /// Decoding columns is most of a page's work, so columns that few filters use are read only for those filters.
    private static let selectPaged = "SELECT ord, tie, id, parent_id, json, checksum FROM message"
    private static let filteredColumns = "ord, tie, id, parent_id, json, checksum, \(fieldColumns), fields_checksum"
    private static let selectFiltered = "SELECT \(filteredColumns) FROM message"
    private static let selectByKey = "SELECT \(filteredColumns), channel FROM message WHERE key = ?"
    private static let before = "WHERE channel = ? AND (ord, tie) < (?, ?) ORDER BY ord DESC, tie DESC"
    private static let after = "WHERE channel = ? AND (ord, tie) > (?, ?) ORDER BY ord, tie"
    private static let pageBefore = "\(selectPaged) \(before)"
    private static let pageAfter = "\(selectPaged) \(after)"
    private static let filteredPageBefore = "\(selectFiltered) \(before)"
    private static let filteredPageAfter = "\(selectFiltered) \(after)"

    /// Walks from a position until there are enough messages. The other end of the range is checked here; as a term of
    /// the statement, SQLite would compare it a second time for every row.
    private func page(
        _ sql: String, _ position: MessagePosition, _ channel: Int64, _ filter: MessageFilter, _ limit: Int,
        isPast: (MessagePosition) -> Bool
    ) throws(StoreError) -> [MessageRow] {
        guard limit > 0 else { return [] }
        let row = try connection.prepare(sql).bind(channel).bind(position.order).bind(position.tie)
        defer { row.reset() }
        var result: [MessageRow] = []
        result.reserveCapacity(min(limit, 128))
        let hasFields = !filter.looksAtThreadOnly
        while result.count < limit, try row.step() {
            if isPast(MessagePosition(order: row.int(0), tie: row.int(1))) { break }
            // Rows that do not match are checked, too: the fields that the filter uses may be the damaged ones.
            let message = try row.message(of: channel)
            if hasFields { try row.checkMessageFields() }
            let isWanted = filter.matches(
                kind: CacheStore.kind(row.int(7)), customType: row.text(8), senderID: UserID(row.text(9)),
                isInThread: !message.parentID.isEmpty, parentID: MessageID(row.text(3)),
                isReplyToChannel: row.bool(6))
            guard isWanted else { continue }
            result.append(MessageRow(
                id: MessageID(String(decoding: message.id, as: UTF8.self)), position: message.position,
                json: [UInt8](message.json)))
        }
        return result
    }

    /// Forgets messages, relations, chunks and change cursors of a channel or a thread, or of all. Channels stay.
    /// `keepsEarly`: relations whose message is not cached stay, since the message may still come, and an event stream
    /// tells each relation only once.
    public func clearMessages(channel: Int64?, keepsEarly: Bool = false) throws(StoreError) {
        try transaction { () throws(StoreError) in
            if let channel {
                try clearRows(channel: channel, keepsEarly: keepsEarly)
                try chunks.clear(channel: channel)
                try setValue("messages.changes.\(channel)", nil)
                try setValue(CacheStore.pollsKey(channel), nil)
            } else {
                try relations.clear(keepsEarly: keepsEarly)
                try searchIndex?.clear()
                try connection.prepare("DELETE FROM message").run()
                try searchIndex?.cleared()
                try counts.clear()
                for channel in try relations.channels() { counts.countAgain(channel) }
                try chunks.clear()
                try connection.prepare("""
                    DELETE FROM meta WHERE key GLOB 'messages.changes.*' OR key GLOB 'messages.polls.*'
                    """).run()
            }
        }
    }

    private func clearRows(channel: Int64, keepsEarly: Bool) throws(StoreError) {
        if channel > 0 {
            // Counting again is cheap, since little is left: the channel's threads, and relations whose message has not
            // come.
            counts.countAgain(channel)
            try connection.prepare("DELETE FROM relation WHERE channel = ?" + RelationStore.held(keepsEarly))
                .bind(channel).run()
            if keepsEarly { try relations.limitEarly(channel: channel) }
        } else {
            let size = try counts.size(of: "channel = ?1", channel)
            counts.add(rows: 0 &- size.rows, bytes: 0 &- size.bytes, to: channel)
        }
        let isTakenOut = try searchIndex?.clear(channel: channel) ?? false
        try connection.prepare("DELETE FROM message WHERE channel = ?").bind(channel).run()
        if isTakenOut { try searchIndex?.cleared() }
    }

    fileprivate static func kind(_ stored: Int64) -> MessageRecord.Kind {
        MessageRecord.Kind(rawValue: stored) ?? .user
    }
}

/// The parts of a message that a page reads. They are valid until the next step of the statement.
private struct PagedMessage {
    let position: MessagePosition
    let id: UnsafeRawBufferPointer
    let parentID: UnsafeRawBufferPointer
    let json: UnsafeRawBufferPointer

    func checksum(channel: Int64) -> Int64 {
        var checksum = RowChecksum()
        checksum.add(channel)
        checksum.add(position.order)
        checksum.add(position.tie)
        checksum.add(id)
        checksum.add(parentID)
        checksum.add(json)
        return checksum.value
    }
}

extension Statement {
    /// The message of a row of `selectPaged` or `selectFiltered`. Each column is read once, which is most of a page's
    /// work.
    fileprivate func message(of channel: Int64) throws(StoreError) -> PagedMessage {
        // Types are checked first: SQLite reports the stored type only until a value is read as another one.
        if isTyped(0...4) {
            let message = PagedMessage(
                position: MessagePosition(order: int(0), tie: int(1)), id: utf8(2), parentID: utf8(3), json: utf8(4))
            if message.checksum(channel: channel) == int(5) { return message }
        }
        reset()
        throw connection.damage("a message does not match its checksum")
    }

    /// The whole message of a row.
    fileprivate func record(of channel: Int64) throws(StoreError) -> MessageRecord {
        let found = try message(of: channel)
        try checkMessageFields()
        return MessageRecord(
            id: MessageID(text(2)), position: found.position, updatedAt: int(10), kind: CacheStore.kind(int(7)),
            customType: text(8), senderID: UserID(text(9)), parentID: MessageID(text(3)), isReplyToChannel: bool(6),
            isSilent: bool(11), requestID: RequestID(text(12)), json: [UInt8](found.json))
    }

    fileprivate func checkMessageFields() throws(StoreError) { try check(6...12, checksum: 13) }
}

extension MessageRecord {
    fileprivate func checksum(channel: Int64) -> Int64 {
        var checksum = RowChecksum()
        for number in [channel, position.order, position.tie] { checksum.add(number) }
        checksum.add(id)
        checksum.add(parentID)
        checksum.add(json)
        return checksum.value
    }

    fileprivate var fieldsChecksum: Int64 {
        var checksum = RowChecksum()
        checksum.add(isReplyToChannel ? 1 : 0)
        checksum.add(kind.rawValue)
        checksum.add(customType)
        checksum.add(senderID.text)
        checksum.add(updatedAt)
        checksum.add(isSilent ? 1 : 0)
        checksum.add(requestID)
        return checksum.value
    }
}
