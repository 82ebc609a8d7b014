/// Who voted for what in polls.
public struct VoteTable: StorageTable {
    let storage: Storage

    /// Sets a user's votes to these options only.
    public func set(_ poll: Int64, _ userID: String, _ options: Set<Int64>) throws {
        try connection.prepare("DELETE FROM votes WHERE poll_id = ? AND user_id = ?").bind(poll).bind(userID).run()
        for option in options.sorted() {
            try connection.prepare("INSERT INTO votes (poll_id, option_id, user_id) VALUES (?, ?, ?)")
                .bind(poll).bind(option).bind(userID).run()
        }
    }

    public func remove(_ poll: Int64, option: Int64) throws {
        try connection.prepare("DELETE FROM votes WHERE poll_id = ? AND option_id = ?").bind(poll).bind(option).run()
    }

    public func counts(_ poll: Int64) throws -> [Int64: Int64] {
        let rows = try connection.prepare("SELECT option_id, count(*) FROM votes WHERE poll_id = ? GROUP BY option_id")
            .bind(poll).all { ($0.int(0), $0.int(1)) }
        return Dictionary(rows, uniquingKeysWith: { $1 })
    }

    public func voterCount(_ poll: Int64) throws -> Int64 {
        try connection.prepare("SELECT count(DISTINCT user_id) FROM votes WHERE poll_id = ?").bind(poll)
            .first { $0.int(0) } ?? 0
    }

    public func list(_ poll: Int64, of userID: String) throws -> [Int64] {
        try connection.prepare("SELECT option_id FROM votes WHERE poll_id = ? AND user_id = ? ORDER BY option_id")
            .bind(poll).bind(userID).all { $0.int(0) }
    }

    /// Who voted for an option, the latest vote first.
    public func voters(_ poll: Int64, option: Int64) throws -> [String] {
        try connection.prepare("SELECT user_id FROM votes WHERE poll_id = ? AND option_id = ? ORDER BY number DESC")
            .bind(poll).bind(option).all { $0.text(0) }
    }
}

extension Storage {
    public var votes: VoteTable { VoteTable(storage: self) }
}
