import SyncJSON
import SyncSQLite

/// The messages, with the removed ones that are kept.
public struct MessageTable: StorageTable {
    let storage: Storage

    public func message(_ id: Int64) throws -> MessageRow? {
        try connection.prepare("SELECT \(MessageRow.columns.list) FROM messages WHERE message_id = ?").bind(id).first {
            MessageRow($0)
        }
    }

    public func message(_ id: Int64, in channelID: Int64) throws -> MessageRow? {
        guard let found = try message(id), found.channelID == channelID else { return nil }
        return found
    }

    public func insert(_ message: MessageRow) throws {
        let statement = try connection.prepare("INSERT INTO messages \(MessageRow.columns.values)")
        try MessageRow.columns.bind(message, to: statement).run()
    }

    /// Stores what may change of a message.
    public func update(_ message: MessageRow) throws {
        let columns = MessageRow.changingColumns
        let statement = try connection.prepare(
            """
            UPDATE messages SET \(columns.assignments) WHERE channel_id = ? AND created_at = ? AND message_id = ?
            """)
        try columns.bind(message, to: statement)
            .bind(message.channelID).bind(message.createdAt).bind(message.id).run()
    }

    public func delete(_ message: MessageRow) throws {
        try connection.prepare("DELETE FROM messages WHERE channel_id = ? AND created_at = ? AND message_id = ?")
            .bind(message.channelID).bind(message.createdAt).bind(message.id).run()
    }

    /// Keeps a deleted message for lists that ask for such.
    public func keepRemoved(_ message: MessageRow) throws {
        let statement = try connection.prepare("INSERT OR REPLACE INTO removed \(MessageRow.columns.values)")
        try MessageRow.columns.bind(message, to: statement).run()
    }

    /// The oldest messages that have expired, of channels in which messages expire.
    public func expired(at now: Int64, limit: Int) throws -> [MessageRow] {
        try connection.prepare(
            """
            SELECT \(MessageRow.columns.list) FROM messages WHERE message_id IN (
                SELECT m.message_id FROM channels c JOIN messages m ON m.channel_id = c.id
                WHERE c.survival >= 0 AND c.is_deleted = 0 AND m.created_at <= ? - c.survival * 1000 LIMIT ?)
            ORDER BY created_at, message_id
            """
        ).bind(now).bind(limit).all { MessageRow($0) }
    }

    /// When the next message expires.
    public func nextExpiry() throws -> Int64? {
        try connection.prepare(
            """
            SELECT min((SELECT min(m.created_at) FROM messages m WHERE m.channel_id = c.id) + c.survival * 1000)
            FROM channels c WHERE c.survival >= 0 AND c.is_deleted = 0
            """
        ).first { $0.isNull(0) ? nil : $0.int(0) } ?? nil
    }

    /// The last message of a channel before a position, in the channel's order.
    public func before(_ channelID: Int64, _ createdAt: Int64, _ id: Int64) throws -> Int64? {
        try connection.prepare(
            """
            SELECT message_id FROM messages WHERE channel_id = ? AND (created_at, message_id) < (?, ?)
            ORDER BY created_at DESC, message_id DESC LIMIT 1
            """
        ).bind(channelID).bind(createdAt).bind(id).first { $0.int(0) }
    }

    /// Finds the channel's last message again after the last one went. Silent messages count only if they were sent to.
    public func recallLastMessage(_ channelID: Int64, _ policy: ThreadingPolicy) throws {
        let last = try connection.prepare(
            """
            SELECT message_id, created_at FROM messages
            WHERE channel_id = ? AND \(policy.condition)
                AND (json_extract(json, '$.silent') = 0 OR json_extract(json, '$.force_update_last_message') = 1)
            ORDER BY created_at DESC, message_id DESC LIMIT 1
            """
        ).bind(channelID).first { ($0.int(0), $0.int(1)) }
        try storage.channels.setLastMessage(channelID, last?.0 ?? 0, last?.1 ?? 0)
    }

    /// A message was deleted: takes it out of the counts. Those who had read it have one read message less, so that
    /// none of their unread messages counts as read. A member has read the first `read_total` messages of the channel,
    /// by reading, hiding it or joining late; the time of the last reading does not say how many.
    public func uncount(_ message: MessageRow) throws {
        guard message.isCountable else { return }
        let before = try countablesBefore(message)
        let mentions = Mentions(try? JSON.parse(message.json))
        if !mentions.isNobody { try storage.members.countMentions(message, mentions, by: -1, before: before) }
        try storage.channels.addCountable(message.channelID, -1)
        try connection.prepare(
            """
            UPDATE members SET own_unread = own_unread - 1
            WHERE channel_id = ? AND user_id = ? AND read_total <= ? AND own_unread > 0
            """
        )
        .bind(message.channelID).bind(message.sender).bind(before).run()
        try connection.prepare("UPDATE members SET read_total = read_total - 1 WHERE channel_id = ? AND read_total > ?")
            .bind(message.channelID).bind(before).run()
    }

    /// How many countable messages come before one in its channel.
    public func countablesBefore(_ message: MessageRow) throws -> Int64 {
        try connection.prepare(
            """
            SELECT count(*) FROM messages
            WHERE channel_id = ? AND (created_at, message_id) < (?, ?) AND is_countable = 1
            """
        ).bind(message.channelID).bind(message.createdAt).bind(message.id).first { $0.int(0) } ?? 0
    }

    /// How many countable messages were sent from a time on, how many of them by a user, and how many mention that
    /// user.
    public func countables(_ channelID: Int64, from time: Int64, by userID: String) throws
        -> (all: Int64, own: Int64, mentions: Int64)
    {
        try connection.prepare(
            """
            SELECT count(*), coalesce(sum(sender = ?), 0), coalesce(sum(sender <> ? AND (
                json_extract(json, '$.mention_type') = 'channel'
                OR EXISTS (SELECT 1 FROM json_each(messages.json, '$.mentioned_user_ids') WHERE value = ?))), 0)
            FROM messages WHERE channel_id = ? AND created_at >= ? AND is_countable = 1
            """
        ).bind(userID).bind(userID).bind(userID).bind(channelID).bind(time)
            .first { ($0.int(0), $0.int(1), $0.int(2)) } ?? (0, 0, 0)
    }

    // MARK: Pages

    public enum Side {
        /// Strictly before a position, nearest first.
        case before(Int64, Int64)
        /// Strictly after a position, nearest first.
        case after(Int64, Int64)
        /// Exactly at a time, in order.
        case at(Int64)
        /// From a time to a time, both included, oldest first.
        case upwards(Int64, Int64)
        /// The same range, newest first.
        case downwards(Int64, Int64)

        public var condition: String {
            switch self {
            case .before: "(created_at, message_id) < (?, ?)"
            case .after: "(created_at, message_id) > (?, ?)"
            case .at: "created_at = ?"
            case .upwards, .downwards: "created_at >= ? AND created_at <= ?"
            }
        }

        public var order: String {
            switch self {
            case .before, .downwards: "created_at DESC, message_id DESC"
            case .after, .at, .upwards: "created_at, message_id"
            }
        }

        public func bind(_ statement: Statement) {
            switch self {
            case .before(let time, let id), .after(let time, let id): statement.bind(time).bind(id)
            case .at(let time): statement.bind(time)
            case .upwards(let first, let last), .downwards(let first, let last): statement.bind(first).bind(last)
            }
        }
    }

    /// Appends up to `limit` messages to a page; -1 for all.
    public func read(
        _ channelID: Int64, _ side: Side, _ filter: MessageFilter, _ parts: MessageRow.Parts, limit: Int,
        into page: inout MessagePage
    ) throws {
        let statement = try connection.prepare(
            """
            SELECT \(MessageRow.pageColumns) FROM \(filter.source)
            WHERE \(filter.channelColumn) = ? AND \(side.condition) \(filter.condition) ORDER BY \(side.order) LIMIT ?
            """
        ).bind(channelID)
        defer { statement.reset() }
        side.bind(statement)
        filter.bind(statement)
        statement.bind(limit)
        guard try statement.next() else { return }
        page.append(statement, parts)
        page.reserve(limit - 1)
        while try statement.next() { page.append(statement, parts) }
    }

    /// How many messages there are, counting no further than `limit`.
    public func count(_ channelID: Int64, _ side: Side, _ filter: MessageFilter, limit: Int) throws -> Int {
        let statement = try connection.prepare(
            """
            SELECT count(*) FROM (SELECT 1 FROM messages WHERE \(filter.channelColumn) = ? AND \(side.condition)\
            \(filter.condition) LIMIT ?)
            """
        ).bind(channelID)
        side.bind(statement)
        filter.bind(statement)
        statement.bind(limit)
        return Int(try statement.first { $0.int(0) } ?? 0)
    }

    /// Whether between two messages of a channel, or of one of its threads (`parentID` not 0), lie more than `count`
    /// messages, both included.
    public func hasMore(
        _ channelID: Int64, parentID: Int64, from first: MessagePage.Entry, to last: MessagePage.Entry, than count: Int
    ) throws -> Bool {
        let thread = parentID > 0 ? " AND parent_id = ?" : ""
        let statement = try connection.prepare(
            """
            SELECT count(*) FROM (SELECT 1 FROM messages WHERE channel_id = ? AND (created_at, message_id) >= (?, ?)
                AND (created_at, message_id) <= (?, ?)\(thread) LIMIT ?)
            """
        ).bind(channelID).bind(first.createdAt).bind(first.id).bind(last.createdAt).bind(last.id)
        if parentID > 0 { statement.bind(parentID) }
        statement.bind(count + 1)
        return Int(try statement.first { $0.int(0) } ?? 0) > count
    }

    /// All messages of a channel between two times, both included.
    public func list(_ channelID: Int64, from: Int64, to: Int64) throws -> [MessageRow] {
        try connection.prepare(
            """
            SELECT \(MessageRow.columns.list) FROM messages WHERE channel_id = ? AND created_at >= ? AND created_at <= ?
            """
        ).bind(channelID).bind(from).bind(to).all { MessageRow($0) }
    }

    /// All ids of a channel in its order.
    public func ids(_ channelID: Int64) throws -> [(id: Int64, createdAt: Int64)] {
        try connection.prepare(
            "SELECT message_id, created_at FROM messages WHERE channel_id = ? ORDER BY created_at, message_id"
        )
        .bind(channelID).all { ($0.int(0), $0.int(1)) }
    }

    // MARK: Threads

    /// The counts of a thread and who replied most.
    public func thread(_ parentID: Int64) throws -> (count: Int64, lastAt: Int64, most: [String]) {
        let counts =
            try connection.prepare(
                """
                SELECT count(*), coalesce(max(created_at), 0) FROM messages WHERE parent_id = ? AND parent_id > 0
                """
            ).bind(parentID).first { ($0.int(0), $0.int(1)) } ?? (0, 0)
        let most = try connection.prepare(
            """
            SELECT sender FROM messages WHERE parent_id = ? AND parent_id > 0 AND sender <> ''
            GROUP BY sender ORDER BY count(*) DESC, min(created_at), min(message_id) LIMIT 5
            """
        ).bind(parentID).all { $0.text(0) }
        return (counts.0, counts.1, most)
    }

    public func replies(_ parentID: Int64) throws -> [Int64] {
        try connection.prepare("SELECT message_id FROM messages WHERE parent_id = ? AND parent_id > 0").bind(parentID)
            .all { $0.int(0) }
    }
}

extension Storage {
    public var messages: MessageTable { MessageTable(storage: self) }
}
