/// The users.
public struct UserTable: StorageTable {
    let storage: Storage

    public func user(_ id: String) throws -> UserRow? {
        try connection.prepare("SELECT \(UserRow.columns.list) FROM users u WHERE user_id = ?")
            .bind(id).first { UserRow($0) }
    }

    public func save(_ user: UserRow) throws {
        let statement = try connection.prepare("INSERT OR REPLACE INTO users \(UserRow.columns.values)")
        try UserRow.columns.bind(user, to: statement).run()
    }

    public func delete(_ id: String) throws {
        try connection.prepare("DELETE FROM users WHERE user_id = ?").bind(id).run()
        try connection.prepare("DELETE FROM sessions WHERE user_id = ?").bind(id).run()
        try connection.prepare("DELETE FROM devices WHERE user_id = ?").bind(id).run()
        try connection.prepare("DELETE FROM restrictions WHERE user_id = ?").bind(id).run()
        try connection.prepare("DELETE FROM documents WHERE kind = 'bot' AND id = ?").bind(id).run()
        storage.bots.remove(id)
        try connection.prepare("DELETE FROM friends WHERE user_id = ? OR friend = ?").bind(id).bind(id).run()
        try connection.prepare("DELETE FROM discoveries WHERE user_id = ?").bind(id).run()
        try connection.prepare("DELETE FROM blocks WHERE blocker = ? OR blockee = ?").bind(id).bind(id).run()
    }

    /// All users by id.
    public func all() throws -> [UserRow] {
        try connection.prepare("SELECT \(UserRow.columns.list) FROM users u ORDER BY user_id").all { UserRow($0) }
    }

    public func saw(_ id: String, at now: Int64) throws {
        try connection.prepare("UPDATE users SET last_seen_at = ? WHERE user_id = ?").bind(now).bind(id).run()
    }
}

extension Storage {
    public var users: UserTable { UserTable(storage: self) }
}
