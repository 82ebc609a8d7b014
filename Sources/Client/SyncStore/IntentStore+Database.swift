/// Writes to realtime databases that are to reach the service, in their order, over any number of restarts.
extension IntentStore {
    /// Keeps a write. A number that the database has already is an error.
    public func add(_ write: DatabaseWrite, to instance: DatabaseInstance) throws(StoreError) {
        if !isMarked { try setMark() }
        try database.transaction { () throws(StoreError) in
            try database.prepare("""
                INSERT INTO database_write (url, name, id, path, kind, checksum, body) VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
                .bind(instance.url).bind(instance.name).bind(write.id).bind(write.path).bind(write.kind)
                .run(withChecksumAndText: write.body)
        }
    }

    /// Removes a write; one that is not there does no harm.
    public func removeDatabaseWrite(_ id: Int64, of instance: DatabaseInstance) throws(StoreError) {
        try database.transaction { () throws(StoreError) in
            try database.prepare("DELETE FROM database_write WHERE url = ? AND name = ? AND id = ?")
                .bind(instance.url).bind(instance.name).bind(id).run()
        }
    }

    /// All writes to a database, in their order.
    public func databaseWrites(to instance: DatabaseInstance) throws(StoreError) -> [DatabaseWrite] {
        let row = try database.prepare("""
            SELECT id, path, kind, checksum, body FROM database_write WHERE url = ? AND name = ? ORDER BY id
            """).bind(instance.url).bind(instance.name)
        defer { row.reset() }
        var writes: [DatabaseWrite] = []
        while try row.next() {
            writes.append(DatabaseWrite(
                id: row.int(0), path: row.text(1), kind: row.int(2), body: try row.bytes(4, checksum: 3)))
        }
        return writes
    }
}
