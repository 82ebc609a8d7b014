import SyncSQLite

/// Removes many messages from the index at once. Removing them one by one, by the triggers, would take seconds.
extension SearchIndex {
    func clear() throws(StoreError) {
        try SearchIndex.dropTriggers(connection)
        try connection.execute("""
            INSERT INTO search_found (search_found) VALUES ('delete-all');
            DELETE FROM search_place;
            DELETE FROM search_again;
            UPDATE search_range SET low = 0, high = 0, spill = 0;
            """)
        touched.overflow()
    }

    func cleared() throws(StoreError) {
        try connection.execute("""
            UPDATE search_range SET high = min(high, ifnull((SELECT max(key) FROM message), 0));
            UPDATE search_range SET low = high WHERE low > high;
            """)
        try connection.execute(SearchIndex.triggers)
    }

    func clear(channel: Int64) throws(StoreError) -> Bool {
        let count = try connection.prepare("SELECT count(*) FROM (SELECT 1 FROM message WHERE channel = ?1 LIMIT ?2)")
            .bind(channel).bind(manyMessages)
        let isMany = try count.next() && count.int(0) == manyMessages
        count.reset()
        guard isMany else { return false }
        try SearchIndex.dropTriggers(connection)
        let placed = try connection.prepare("""
            SELECT key, row FROM (
                SELECT key, \(SearchIndex.row) AS row FROM message AS old
                WHERE channel = ?1 AND \(SearchIndex.isIndexed("old")))
            WHERE row IS NOT NULL ORDER BY row
            """).bind(channel)
        var rows: [(key: Int64, row: Int64)] = []
        while try placed.next() { rows.append((placed.int(0), placed.int(1))) }
        placed.reset()
        for (key, row) in rows {
            try connection.prepare("""
                INSERT INTO search_found (search_found, rowid, words)
                    SELECT 'delete', ?2, search_words(channel, sender_id, json) FROM message WHERE key = ?1
                """).bind(key).bind(row).run()
            try connection.prepare("DELETE FROM search_place WHERE row = ?").bind(row).run()
        }
        let touching = try connection.prepare("""
            SELECT count(search_touched(\(SearchIndex.root("old")), old.id, old.parent_id))
            FROM message AS old WHERE channel = ?1 AND \(SearchIndex.isInRange("old"))
            """).bind(channel)
        _ = try touching.next()
        touching.reset()
        try connection.prepare("""
            DELETE FROM search_again WHERE key IN (SELECT key FROM message WHERE channel = ?)
            """).bind(channel).run()
        return true
    }
}
