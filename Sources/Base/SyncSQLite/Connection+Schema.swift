import CSQLite

extension Connection {
    /// The number of migrations that were applied to the file.
    public func schemaVersion() throws(StoreError) -> Int64 {
        let version = try prepare("PRAGMA user_version")
        defer { version.reset() }
        return try version.next() ? version.int(0) : 0
    }

    /// Applies the migrations that the file lacks. Each has a number, its index in the list, and never changes.
    /// `whole`: SQL that makes of an empty file what all migrations make of it, in a third of the time.
    public func migrate(_ migrations: [String], whole: String? = nil) throws(StoreError) {
        let found = try schemaVersion()
        let known = Int64(migrations.count)
        guard found <= known else { throw .newerSchema(found: found, known: known) }
        guard found >= 0 else { throw .corrupt(message: "schema \(found)") }
        if found == 0, let whole { return try apply(whole, version: migrations.count) }
        for (number, migration) in migrations.enumerated().dropFirst(Int(found)) {
            try apply(migration, version: number + 1)
        }
    }

    private func apply(_ migration: String, version: Int) throws(StoreError) {
        do throws(StoreError) {
            try transaction { () throws(StoreError) in
                try execute(migration)
                try execute("PRAGMA user_version = \(version)")
            }
        } catch {
            // As in `prepare`: the library's own SQL is right, so the file has tables that its version does not have
            // yet.
            guard case .failed(SQLITE_ERROR, let message) = error else { throw error }
            throw .corrupt(message: message)
        }
    }

    /// Rewrites the file with pages of this size, if its pages have another size; deleted data is left out. The rewrite
    /// needs the disk space of a second file. When it fails, the file is used as it is, and the next opening tries
    /// again.
    public func setPageSize(_ bytes: Int) throws(StoreError) {
        let pragma = try prepare("PRAGMA page_size")
        let found = try pragma.next() ? pragma.int(0) : 0
        pragma.reset()
        guard found != Int64(bytes) else { return }
        do throws(StoreError) {
            // SQLite cannot change the page size of a file that is in WAL mode.
            try execute("PRAGMA journal_mode = DELETE")
            try execute("PRAGMA page_size = \(bytes)")
            try execute("VACUUM")
        } catch {
            if case .corrupt = error { throw error }
        }
        try execute("PRAGMA journal_mode = WAL")
    }
}
