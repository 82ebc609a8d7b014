import SyncSQLite

/// Rows that do not match their checksum, or have a number that no row can have. Their content cannot be trusted, so
/// they are not sent. They are not thrown away, and do not stop the other rows.
extension IntentStore {
    enum Table: String {
        case intent, write = "database_write", draft

        static let all: [Table] = [.intent, .write, .draft]

        var key: String { self == .intent ? "id" : "key" }
        var columns: String {
            switch self {
            case .intent:
                """
                id, channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, checksum, body,
                    message_id
                """
            case .write: "url, name, id, path, kind, checksum, body"
            case .draft: "channel_url, parent_id, updated_at, checksum, body"
            }
        }
        var aside: String {
            switch self {
            case .intent: "damaged_intent"
            case .write: "damaged_write"
            case .draft: "damaged_draft"
            }
        }
    }

    func note(_ lost: LostIntent, _ table: Table, key: Int64) {
        damaged.append((table, key))
        self.lost.add(lost)
    }

    /// The damaged rows that were found since the last call.
    public func takeLost() -> LostIntents {
        defer { lost = LostIntents() }
        return lost
    }

    /// Moves the damaged rows that were found to tables of their own. When that fails they stay, and the next opening
    /// finds them again; nothing else depends on it.
    public func setAsideDamaged() throws(StoreError) {
        defer { damaged = [] }
        if !damaged.isEmpty {
            do throws(StoreError) {
                try moveDamaged()
            } catch {
                guard case .corrupt = error else { throw error }
                // An index may still have the value that the row has lost.
                for table in Table.all { try connection.execute("REINDEX \(table.rawValue)") }
                try moveDamaged()
            }
        }
        try mendSequence()
    }

    private func moveDamaged() throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            for (table, key) in damaged {
                try connection.prepare("""
                    INSERT INTO \(table.aside) (\(table.columns)) SELECT \(table.columns) FROM \(table.rawValue)
                    WHERE \(table.key) = ?
                    """).bind(key).run()
                try connection.prepare("DELETE FROM \(table.rawValue) WHERE \(table.key) = ?").bind(key).run()
            }
        }
    }

    /// SQLite numbers intents after the last number that it has noted. If damage put that at the end of the range, no
    /// number would be left, and no message could be written any more.
    private func mendSequence() throws(StoreError) {
        let noted = try connection.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'intent'")
        defer { noted.reset() }
        guard try noted.next(), !(0...Intent.ids.upperBound).contains(noted.int(0)) else { return }
        noted.reset()
        try connection.transaction { () throws(StoreError) in
            try connection.prepare("""
                UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(id), 0) FROM intent) WHERE name = 'intent'
                """).run()
        }
    }
}
