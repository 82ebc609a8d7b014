import SyncSQLite

/// Writes to realtime databases that are to reach the service, in their order, over any number of restarts.
extension IntentStore {
    /// Keeps a write. A number that this database already uses is an error.
    public func add(_ write: DatabaseWrite, to instance: DatabaseInstance) throws(StoreError) {
        if !isMarked { try setMark() }
        try connection.transaction { () throws(StoreError) in
            try connection.prepare("""
                INSERT INTO database_write (url, name, id, path, kind, checksum, body) VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
                .bind(instance.url).bind(instance.name).bind(write.id).bind(write.path).bind(write.kind)
                .run(withChecksum: write.checksum(instance), text: write.body)
        }
    }

    /// Removes a write; one that is not there does no harm.
    public func removeDatabaseWrite(_ id: Int64, of instance: DatabaseInstance) throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try connection.prepare("DELETE FROM database_write WHERE url = ? AND name = ? AND id = ?")
                .bind(instance.url).bind(instance.name).bind(id).run()
        }
    }

    /// All writes to a database, in their order, converted by `read`. Left out are damaged rows (of any database, since
    /// its name may be what is damaged) and rows for which `read` gives `nil`: `setAsideDamaged` takes both away.
    public func databaseWrites<Write>(
        to instance: DatabaseInstance, _ read: (DatabaseWrite) -> Write?
    ) throws(StoreError) -> [Write] {
        let row = try connection.prepare("""
            SELECT key, url, name, id, path, kind, body, checksum FROM database_write ORDER BY key
            """)
        defer { row.reset() }
        var writes: [(id: Int64, write: Write)] = []
        while try row.next() {
            let write = DatabaseWrite(id: row.int(3), path: row.text(4), kind: row.int(5), body: row.bytes(6))
            let isWhole = row.isTyped && row.checksum(1...6) == row.int(7)
                && DatabaseWrite.ids.contains(write.id)
            let isOfInstance = row.holds(instance.url, at: 1) && row.holds(instance.name, at: 2)
            if isWhole, !isOfInstance { continue }
            if isWhole, let readWrite = read(write) {
                writes.append((write.id, readWrite))
            } else {
                note(
                    .write(
                        url: LostIntent.readable(row.bytes(1)), name: LostIntent.readable(row.bytes(2)),
                        path: LostIntent.readable(row.bytes(4)), kind: write.kind, id: write.id),
                    .write, key: row.int(0))
            }
        }
        return writes.sorted { $0.id < $1.id }.map(\.write)
    }

    /// The same, without conversion.
    public func databaseWrites(to instance: DatabaseInstance) throws(StoreError) -> [DatabaseWrite] {
        try databaseWrites(to: instance) { $0 }
    }
}
