/// The session keys of users.
public struct SessionTable: StorageTable {
    let storage: Storage

    public struct Session {
        public let userID: String
        /// 0: never.
        public let expiresAt: Int64
        public let isRevoked: Bool
    }

    public func session(_ key: String) throws -> Session? {
        try connection.prepare("SELECT user_id, expires_at, is_revoked FROM sessions WHERE key = ?").bind(key)
            .first { Session(userID: $0.text(0), expiresAt: $0.int(1), isRevoked: $0.bool(2)) }
    }

    /// Makes a session and returns its key. Of a user's sessions the expired ones are swept out.
    public func make(_ userID: String, expiresAt: Int64, now: Int64) throws -> String {
        // A day's grace: a client that comes back late shall hear that its key has expired, not that it is unknown.
        try connection.prepare("DELETE FROM sessions WHERE user_id = ? AND expires_at > 0 AND expires_at < ?")
            .bind(userID).bind(now &- ActivityTable.day).run()
        let key = storage.random.hex(20)
        try connection.prepare("INSERT INTO sessions (key, user_id, expires_at) VALUES (?, ?, ?)")
            .bind(key).bind(userID).bind(expiresAt).run()
        return key
    }

    /// A key of a user that never expires.
    public func lasting(_ userID: String) throws -> String? {
        try connection.prepare(
            "SELECT key FROM sessions WHERE user_id = ? AND expires_at = 0 AND is_revoked = 0 LIMIT 1"
        ).bind(userID).first { $0.text(0) }
    }

    public func expire(of userID: String?, at now: Int64) throws {
        try connection.prepare(
            "UPDATE sessions SET expires_at = ? WHERE (? = '' OR user_id = ?) AND (expires_at = 0 OR expires_at > ?)"
        )
        .bind(now).bind(userID ?? "").bind(userID ?? "").bind(now).run()
    }

    public func revoke(of userID: String) throws {
        try connection.prepare("UPDATE sessions SET is_revoked = 1 WHERE user_id = ?").bind(userID).run()
    }
}

extension Storage {
    public var sessions: SessionTable { SessionTable(storage: self) }
}
