import SyncModel
import SyncSQLite

/// Relations are filed under their channel, whether their message is cached or not; threads share those of the channel.
public struct RelationStore {
    private let connection: Connection
    private let counts: ChannelCounts

    init(_ connection: Connection, _ counts: ChannelCounts) {
        self.connection = connection
        self.counts = counts
    }

    private static let columns = "channel, id, target, kind, name, sender_id, ord, json"

    /// Stores relations by their id; a row with the same id is replaced. When a message has more than `Relation.limit`
    /// of them, its oldest are removed. Gives the messages whose relations changed.
    @discardableResult
    public func upsert(_ relations: [Relation], channel: Int64) throws(StoreError) -> Set<MessageID> {
        guard !relations.isEmpty else { return [] }
        return try counts.transaction { () throws(StoreError) in
            var changed: Set<MessageID> = []
            for relation in relations {
                let held = try self.relation(id: relation.id, channel: channel)
                if held == relation { continue }
                if let held {
                    try delete(held, channel: channel)
                    changed.insert(held.target)
                }
                try connection.prepare("""
                    INSERT INTO relation (\(RelationStore.columns), checksum)
                    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, checksum_of_row(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8))
                    """)
                    .bind(channel).bind(relation.id).bind(relation.target).bind(relation.kind).bind(relation.name)
                    .bind(relation.senderID).bind(relation.order).bind(relation.json).run()
                counts.add(relations: 1, bytes: Int64(relation.json.count), to: channel)
                changed.insert(relation.target)
            }
            for target in changed { try limitRelations(of: target, channel: channel) }
            return changed
        }
    }

    private func limitRelations(of target: MessageID, channel: Int64) throws(StoreError) {
        let beyond = try connection.prepare("""
            SELECT 1 FROM relation WHERE channel = ? AND target = ? LIMIT 1 OFFSET \(Relation.limit)
            """).bind(channel).bind(target)
        let isBeyond = try beyond.next()
        beyond.reset()
        guard isBeyond else { return }
        let all = try relations(of: target, channel: channel)
        for relation in all.prefix(max(0, all.count - Relation.limit)) {
            try delete(relation, channel: channel)
        }
    }

    /// Removes a relation, and gives it; `nil` when it is not held.
    public func delete(id: MessageID, channel: Int64) throws(StoreError) -> Relation? {
        guard let held = try relation(id: id, channel: channel) else { return nil }
        try counts.transaction { () throws(StoreError) in try delete(held, channel: channel) }
        return held
    }

    /// Removes all relations of a message.
    public func delete(of target: MessageID, channel: Int64) throws(StoreError) {
        for relation in try relations(of: target, channel: channel) {
            _ = try delete(id: relation.id, channel: channel)
        }
    }

    /// Removes all relations; `keepsEarly`: those whose message is not cached stay.
    public func clear(keepsEarly: Bool = false) throws(StoreError) {
        try counts.transaction { () throws(StoreError) in
            for channel in try channels() { counts.countAgain(channel) }
            try connection.prepare("DELETE FROM relation WHERE TRUE" + RelationStore.held(keepsEarly)).run()
        }
    }

    /// How many relations stay in a channel that loses its messages.
    private static let earlyLimit = 100

    /// Removes all but the newest relations of a channel. A message that is still to come mostly follows soon after its
    /// relation; the older relations are about old messages that nobody asks for.
    func limitEarly(channel: Int64) throws(StoreError) {
        try connection.prepare("""
            DELETE FROM relation WHERE key IN (
                SELECT key FROM relation WHERE channel = ? ORDER BY ord DESC, key DESC
                LIMIT -1 OFFSET \(RelationStore.earlyLimit))
            """).bind(channel).run()
    }

    /// A term of SQL that restricts a condition to relations whose message is cached; empty when `isAsked` is false.
    static func held(_ isAsked: Bool) -> String {
        guard isAsked else { return "" }
        return """
             AND EXISTS (
                SELECT 1 FROM message WHERE message.channel = relation.channel AND message.id = relation.target)
            """
    }

    /// The channels that have relations.
    func channels() throws(StoreError) -> [Int64] {
        let row = try connection.prepare("SELECT DISTINCT channel FROM relation")
        defer { row.reset() }
        var channels: [Int64] = []
        while try row.next() { channels.append(row.int(0)) }
        return channels
    }

    private func delete(_ relation: Relation, channel: Int64) throws(StoreError) {
        try connection.prepare("DELETE FROM relation WHERE channel = ? AND id = ?").bind(channel).bind(relation.id)
            .run()
        counts.add(relations: -1, bytes: 0 &- Int64(relation.json.count), to: channel)
    }

    /// The relations of a message, oldest first.
    public func relations(of target: MessageID, channel: Int64) throws(StoreError) -> [Relation] {
        let row = try connection.prepare("""
            SELECT \(RelationStore.columns), checksum FROM relation
            WHERE channel = ? AND target = ? ORDER BY ord, id
            """).bind(channel).bind(target)
        defer { row.reset() }
        var relations: [Relation] = []
        while try row.next() { relations.append(try relation(row)) }
        return relations
    }

    /// A relation by its id; `nil` when it is not held.
    public func relation(id: MessageID, channel: Int64) throws(StoreError) -> Relation? {
        let row = try connection.prepare("""
            SELECT \(RelationStore.columns), checksum FROM relation WHERE channel = ? AND id = ?
            """).bind(channel).bind(id)
        defer { row.reset() }
        return try row.next() ? try relation(row) : nil
    }

    private func relation(_ row: Statement) throws(StoreError) -> Relation {
        try row.check(0...7, checksum: 8)
        return Relation(
            id: MessageID(row.text(1)), target: MessageID(row.text(2)), kind: row.text(3), name: row.text(4),
            senderID: UserID(row.text(5)), order: row.int(6), json: row.bytes(7))
    }
}
