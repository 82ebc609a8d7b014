import ServerBase
import SyncBytes

extension Storage {
    public func user(_ id: String) throws -> UserRow? {
        try connection.prepare("SELECT \(UserRow.columns.list) FROM users u WHERE user_id = ?")
            .bind(id).first { UserRow($0) }
    }

    public func save(_ user: UserRow) throws {
        let statement = try connection.prepare("INSERT OR REPLACE INTO users \(UserRow.columns.values)")
        try UserRow.columns.bind(user, to: statement).run()
    }

    public func deleteUser(_ id: String) throws {
        try connection.prepare("DELETE FROM users WHERE user_id = ?").bind(id).run()
        try connection.prepare("DELETE FROM sessions WHERE user_id = ?").bind(id).run()
        try connection.prepare("DELETE FROM devices WHERE user_id = ?").bind(id).run()
        try connection.prepare("DELETE FROM restrictions WHERE user_id = ?").bind(id).run()
        try connection.prepare("DELETE FROM documents WHERE kind = 'bot' AND id = ?").bind(id).run()
        bots.remove(id)
        try connection.prepare("DELETE FROM friends WHERE user_id = ? OR friend = ?").bind(id).bind(id).run()
        try connection.prepare("DELETE FROM discoveries WHERE user_id = ?").bind(id).run()
        try connection.prepare("DELETE FROM blocks WHERE blocker = ? OR blockee = ?").bind(id).bind(id).run()
    }

    /// All users by id.
    public func users() throws -> [UserRow] {
        try connection.prepare("SELECT \(UserRow.columns.list) FROM users u ORDER BY user_id").all { UserRow($0) }
    }

    public func sawUser(_ id: String, at now: Int64) throws {
        try connection.prepare("UPDATE users SET last_seen_at = ? WHERE user_id = ?").bind(now).bind(id).run()
    }

    // MARK: Sessions

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
    public func makeSession(_ userID: String, expiresAt: Int64, now: Int64) throws -> String {
        // A day's grace: a client that comes back late shall hear that its key has expired, not that it is unknown.
        try connection.prepare("DELETE FROM sessions WHERE user_id = ? AND expires_at > 0 AND expires_at < ?")
            .bind(userID).bind(now &- 86_400_000).run()
        let key = random.hex(20)
        try connection.prepare("INSERT INTO sessions (key, user_id, expires_at) VALUES (?, ?, ?)")
            .bind(key).bind(userID).bind(expiresAt).run()
        return key
    }

    /// A key of a user that never expires.
    public func lastingSession(_ userID: String) throws -> String? {
        try connection.prepare(
            "SELECT key FROM sessions WHERE user_id = ? AND expires_at = 0 AND is_revoked = 0 LIMIT 1"
        ).bind(userID).first { $0.text(0) }
    }

    public func expireSessions(of userID: String?, at now: Int64) throws {
        try connection.prepare(
            "UPDATE sessions SET expires_at = ? WHERE (? = '' OR user_id = ?) AND (expires_at = 0 OR expires_at > ?)"
        )
        .bind(now).bind(userID ?? "").bind(userID ?? "").bind(now).run()
    }

    public func revokeSessions(of userID: String) throws {
        try connection.prepare("UPDATE sessions SET is_revoked = 1 WHERE user_id = ?").bind(userID).run()
    }

    // MARK: Blocks

    public func block(_ blocker: String, _ blockee: String) throws {
        hasBlocks = true
        try connection.prepare("INSERT OR IGNORE INTO blocks (blocker, blockee) VALUES (?, ?)").bind(blocker).bind(
            blockee
        ).run()
    }

    public func unblock(_ blocker: String, _ blockee: String) throws {
        try connection.prepare("DELETE FROM blocks WHERE blocker = ? AND blockee = ?").bind(blocker).bind(blockee).run()
    }

    /// Whom a user blocks, and by whom the user is blocked.
    public func blocks(of userID: String) throws -> (blocking: TextSet, blockedBy: TextSet) {
        let blocking = try connection.prepare("SELECT blockee FROM blocks WHERE blocker = ?").bind(userID).all {
            $0.text(0)
        }
        let blockedBy = try connection.prepare("SELECT blocker FROM blocks WHERE blockee = ?").bind(userID).all {
            $0.text(0)
        }
        return (TextSet(blocking), TextSet(blockedBy))
    }
}
