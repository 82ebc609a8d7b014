import SyncSQLite

/// What is looked at when an index is opened: damage that no query would report.
extension SearchIndex {
    /// Checks that the range is as it was written, and does not end behind the newest message: later ones would never
    /// be indexed.
    func checkRange() throws(StoreError) {
        let row = try connection.prepare("SELECT ifnull(max(key), 0) FROM message")
        defer { row.reset() }
        guard try row.next(), try range().high <= row.int(0) else {
            throw .failed(code: Connection.damagedIndex, message: "the range of the index ends behind all messages")
        }
    }

    /// Checks that the index finds the newest message: an index that has lost its list of parts finds nothing and
    /// reports no error.
    func checkNewest() throws(StoreError) {
        let newest = try connection.prepare("""
            SELECT row, CAST(coalesce(message.channel, 0) AS INTEGER)
            FROM search_place LEFT JOIN message ON message.key = search_place.key ORDER BY row DESC LIMIT 1
            """)
        defer { newest.reset() }
        guard try newest.next() else { return }
        let term = SearchWalk.quoted(SearchIndex.channelTerm(newest.int(1)))
        let found = try connection.prepare("SELECT 1 FROM search_found WHERE search_found MATCH ? AND rowid = ?")
            .bind(term).bind(newest.int(0))
        defer { found.reset() }
        guard try found.next() else {
            throw .failed(code: Connection.damagedIndex, message: "the newest message is not in the index")
        }
    }
}
