/// Bans of users from single channels.
public struct BanTable: StorageTable {
    let storage: Storage

    public struct Ban {
        public let userID: String
        /// -1: for ever.
        public let until: Int64
        public let bannedAt: Int64
        public let note: String

        public func holds(at now: Int64) -> Bool { until == -1 || until > now }
    }

    public func ban(_ channelID: Int64, _ userID: String) throws -> Ban? {
        try connection.prepare("SELECT user_id, until, banned_at, note FROM bans WHERE channel_id = ? AND user_id = ?")
            .bind(channelID).bind(userID)
            .first { Ban(userID: $0.text(0), until: $0.time(1), bannedAt: $0.time(2), note: $0.text(3)) }
    }

    public func list(_ channelID: Int64) throws -> [Ban] {
        try connection.prepare("SELECT user_id, until, banned_at, note FROM bans WHERE channel_id = ?").bind(channelID)
            .all { Ban(userID: $0.text(0), until: $0.time(1), bannedAt: $0.time(2), note: $0.text(3)) }
    }

    public func save(_ ban: Ban, _ channelID: Int64) throws {
        try connection.prepare(
            "INSERT OR REPLACE INTO bans (channel_id, user_id, until, banned_at, note) VALUES (?, ?, ?, ?, ?)"
        )
        .bind(channelID).bind(ban.userID).bind(ban.until).bind(ban.bannedAt).bind(ban.note).run()
    }

    public func lift(_ channelID: Int64, _ userID: String) throws {
        try connection.prepare("DELETE FROM bans WHERE channel_id = ? AND user_id = ?")
            .bind(channelID).bind(userID).run()
    }
}

extension Storage {
    public var bans: BanTable { BanTable(storage: self) }
}
