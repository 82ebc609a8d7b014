import SyncSQLite

extension CacheStore {
    /// How many channels and messages are cached, and the bytes of the file. Counts every row.
    public func statistics() throws(StoreError) -> (channels: Int64, messages: Int64, bytes: Int64) {
        (
            try number("SELECT count(*) FROM channel WHERE is_cached = 1"),
            try number("SELECT count(*) FROM message"),
            try number("SELECT page_count * page_size FROM pragma_page_count(), pragma_page_size()")
        )
    }

    private func number(_ question: String) throws(StoreError) -> Int64 {
        let row = try connection.prepare(question)
        defer { row.reset() }
        return try row.next() ? row.int(0) : 0
    }
}
