/// The changelog of messages.
public struct ChangeTable: StorageTable {
    let storage: Storage

    public struct Change {
        public let sequence: Int64
        public let messageID: Int64
        public let at: Int64
        public let isDeleted: Bool
    }

    /// Notes that a message changed or went, for the changelog.
    public func note(_ message: MessageRow, isDeleted: Bool, at now: Int64) throws {
        try connection.prepare("DELETE FROM changes WHERE channel_id = ? AND message_id = ?")
            .bind(message.channelID).bind(message.id).run()
        try connection.prepare(
            "INSERT INTO changes (seq, channel_id, message_id, at, is_deleted) VALUES (?, ?, ?, ?, ?)"
        ).bind(try storage.nextSequence()).bind(message.channelID).bind(message.id).bind(now).bind(isDeleted).run()
    }

    /// The changes of a channel's messages after a number.
    public func list(_ channelID: Int64, after sequence: Int64, limit: Int) throws -> [Change] {
        try connection.prepare(
            """
            SELECT seq, message_id, at, is_deleted FROM changes WHERE channel_id = ? AND seq > ? ORDER BY seq LIMIT ?
            """
        ).bind(channelID).bind(sequence).bind(limit)
            .all { Change(sequence: $0.int(0), messageID: $0.int(1), at: $0.int(2), isDeleted: $0.bool(3)) }
    }

    /// The number after which the changes at or after a time come.
    public func sequence(_ channelID: Int64, at time: Int64) throws -> Int64 {
        let first =
            try connection.prepare("SELECT min(seq) FROM changes WHERE channel_id = ? AND at >= ?")
            .bind(channelID).bind(time).first { $0.isNull(0) ? nil : $0.int(0) } ?? nil
        return first.map { $0.subtractingClamped(1) } ?? storage.lastSequence
    }
}

extension Storage {
    public var changes: ChangeTable { ChangeTable(storage: self) }
}
