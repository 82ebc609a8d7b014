import SyncModel
import SyncSQLite

/// Drafts: at most one for each channel and each thread.
extension IntentStore {
    /// Keeps a draft; it replaces the one that was there.
    public func keep(_ draft: StoredDraft) throws(StoreError) {
        if !isMarked { try setMark() }
        try connection.transaction { () throws(StoreError) in
            try connection.prepare("""
                INSERT INTO draft (channel_url, parent_id, updated_at, checksum, body) VALUES (?, ?, ?, ?, ?)
                ON CONFLICT (channel_url, parent_id) DO UPDATE
                SET updated_at = excluded.updated_at, checksum = excluded.checksum, body = excluded.body
                """)
                .bind(draft.channelURL).bind(draft.parentID).bind(draft.updatedAt)
                .run(withChecksum: draft.checksum, text: draft.body)
        }
    }

    /// Removes a draft; one that is not there does no harm.
    public func removeDraft(in channelURL: ChannelURL, parentID: MessageID) throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try connection.prepare("DELETE FROM draft WHERE channel_url = ? AND parent_id = ?")
                .bind(channelURL).bind(parentID).run()
        }
    }

    /// All drafts. Damaged ones are left out: `setAsideDamaged` takes them away.
    public func drafts() throws(StoreError) -> [StoredDraft] {
        let row = try connection.prepare("""
            SELECT key, channel_url, parent_id, updated_at, body, checksum FROM draft ORDER BY key
            """)
        defer { row.reset() }
        var drafts: [StoredDraft] = []
        while try row.next() {
            guard row.isTyped, row.matches(1...4, checksum: 5), Intent.times.contains(row.int(3)) else {
                note(
                    .draft(
                        channelURL: LostIntent.readable(row.bytes(1)), parentID: LostIntent.readable(row.bytes(2))),
                    .draft, key: row.int(0))
                continue
            }
            drafts.append(StoredDraft(
                channelURL: ChannelURL(row.text(1)), parentID: MessageID(row.text(2)), updatedAt: row.int(3),
                body: row.bytes(4)))
        }
        return drafts
    }
}
