/// Rows that do not match their checksum, or have a number that no row has. What stands in them cannot be trusted, so
/// none is sent; nor is one thrown away, or in the way of the others.
extension IntentStore {
    enum Table: String {
        case intent, write = "database_write"

        var key: String { self == .intent ? "id" : "key" }
        var columns: String {
            switch self {
            case .intent:
                """
                id, channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, checksum, body,
                    message_id
                """
            case .write: "url, name, id, path, kind, checksum, body"
            }
        }
        var aside: String { self == .intent ? "damaged_intent" : "damaged_write" }
    }

    func note(_ lost: LostIntent, _ table: Table, key: Int64) {
        damaged.append((table, key))
        self.lost.add(lost)
    }

    /// What was found damaged since this was asked last.
    public func takeLost() -> LostIntents {
        defer { lost = LostIntents() }
        return lost
    }

    /// Moves the damaged rows that were met to tables of their own. When that fails they stay, and the next opening
    /// meets them again; nothing else depends on it.
    public func setAsideDamaged() throws(StoreError) {
        defer { damaged = [] }
        if !damaged.isEmpty {
            do throws(StoreError) {
                try moveDamaged()
            } catch {
                guard case .corrupt = error else { throw error }
                // An index may have the value that the row has lost.
                for table in [Table.intent, .write] { try database.execute("REINDEX \(table.rawValue)") }
                try moveDamaged()
            }
        }
        try mendSequence()
    }

    private func moveDamaged() throws(StoreError) {
        try database.transaction { () throws(StoreError) in
            for (table, key) in damaged {
                try database.prepare("""
                    INSERT INTO \(table.aside) (\(table.columns)) SELECT \(table.columns) FROM \(table.rawValue)
                    WHERE \(table.key) = ?
                    """).bind(key).run()
                try database.prepare("DELETE FROM \(table.rawValue) WHERE \(table.key) = ?").bind(key).run()
            }
        }
    }

    /// SQLite numbers intents behind the last number that it noted. At the end of the range there would be none left,
    /// and no message could be written any more.
    private func mendSequence() throws(StoreError) {
        let noted = try database.prepare("SELECT seq FROM sqlite_sequence WHERE name = 'intent'")
        defer { noted.reset() }
        guard try noted.next(), !(0...Intent.ids.upperBound).contains(noted.int(0)) else { return }
        noted.reset()
        try database.transaction { () throws(StoreError) in
            try database.prepare("""
                UPDATE sqlite_sequence SET seq = (SELECT coalesce(max(id), 0) FROM intent) WHERE name = 'intent'
                """).run()
        }
    }
}
