import SyncBytes
import SyncSQLite
import SyncStore

/// What `cache.db` has. A part that cannot be read is noted, and the others are read nevertheless.
struct CacheReader {
    private let file: OpenFile
    private let options: InspectOptions
    private let findings: Findings
    private var connection: Connection { file.connection }

    /// The most threads of one channel that are shown.
    private static let threadsShown = 20

    init(_ file: OpenFile, _ options: InspectOptions, _ findings: Findings) {
        self.file = file
        self.options = options
        self.findings = findings
    }

    func read(into report: inout Report) {
        report.facts.append(("schema of cache.db", String(file.schema)))
        addTotals(to: &report)
        for key in channelKeys() {
            let read = findings.attempt("cache.db, a channel") { () throws(StoreError) in try channel(key) }
            if let channel = read ?? nil { report.channels.append(channel) }
        }
        addCursors(to: &report)
        addTables(to: &report)
        for table in ["message", "chunk"] {
            let orphans = findings.attempt("cache.db, \(table)") { () throws(StoreError) in try file.orphans(table) }
            if let orphans, orphans > 0 {
                findings.add("\(table): rows of \(Shown.count(orphans, "number", "numbers")) that no channel has")
            }
        }
    }

    // MARK: Channels

    private static let damagedChannel = """
        (\(OpenFile.isDamaged("key, url", "key_checksum"))
            OR \(OpenFile.isDamaged("key, messages, bytes, used_at", "usage_checksum"))
            OR is_cached = 1 AND \(OpenFile.isDamaged("url, name, has_last_message, latest_at, created_at, json"))
            OR is_cached NOT IN (0, 1) OR (is_cached = 0) <> (json = ''))
        """

    private static let damagedThread = OpenFile.isDamaged("key, channel, parent_id")

    private func addTotals(to report: inout Report) {
        let damaged = CacheReader.damagedChannel
        let sums = findings.attempt("cache.db, channels") { () throws(StoreError) in
            try file.sums("channel", [
                "is_cached = 1", "is_cached <> 0 OR messages <> 0", damaged,
                "CASE WHEN \(damaged) THEN 0 ELSE messages END", "CASE WHEN \(damaged) THEN 0 ELSE bytes END",
            ])
        }
        let threads = findings.attempt("cache.db, threads") { () throws(StoreError) in
            try file.sums("thread", [CacheReader.damagedThread])[0]
        }
        findings.add(damaged: threads ?? 0, of: "thread")
        guard let sums else { return }
        findings.add(damaged: sums[2], of: "channel")
        report.facts.append(("channels cached", String(sums[0])))
        report.facts.append(("messages cached, those of threads with them", String(sums[3])))
        report.used = max(0, sums[4])
        report.channelsLeftOff = max(0, sums[1] - Int64(options.channels))
    }

    /// The channels to show, those with the latest message first; when the table cannot be read, those that an index
    /// has.
    private func channelKeys() -> [Int64] {
        let order = "ORDER BY has_last_message DESC, latest_at DESC, url LIMIT ?"
        let conditions = ["is_cached <> 0 OR messages <> 0", "is_cached = 1"]
        for condition in conditions {
            let keys = findings.attempt("cache.db, the list of channels") { () throws(StoreError) in
                let row = try connection.prepare("SELECT key FROM channel WHERE \(condition) \(order)")
                    .bind(options.channels)
                defer { row.reset() }
                var keys: [Int64] = []
                while try row.next() { keys.append(row.int(0)) }
                return keys
            }
            if let keys { return keys }
        }
        return []
    }

    private func channel(_ key: Int64) throws(StoreError) -> Channel? {
        let row = try connection.prepare("""
            SELECT url, name, is_cached, has_last_message, latest_at, messages, bytes, used_at,
                \(CacheReader.damagedChannel)
            FROM channel WHERE key = ?
            """).bind(key)
        defer { row.reset() }
        guard try row.next() else { return nil }
        var channel = Channel(
            url: Shown.text(row.text(0)), name: Shown.text(row.text(1), most: 40), isCached: row.bool(2),
            latestAt: row.bool(3) ? row.int(4) : nil, messages: row.int(5), bytes: row.int(6), usedAt: row.int(7),
            isDamaged: row.bool(8))
        row.reset()
        channel.histories.append(history(key, parentID: nil, channel.url))
        for (number, thread) in threads(of: key, channel.url).enumerated() {
            if number == CacheReader.threadsShown {
                channel.threadsLeftOff = thread.others
            } else {
                channel.histories.append(history(0 &- thread.key, parentID: thread.parentID, channel.url))
            }
        }
        return channel
    }

    /// The threads of a channel: one more than are shown, which says how many others there are.
    private func threads(of key: Int64, _ url: String) -> [(key: Int64, parentID: String, others: Int64)] {
        let threads = findings.attempt("channel \(url), threads") { () throws(StoreError) in
            let row = try connection.prepare("""
                SELECT key, parent_id, count(*) OVER ()
                FROM thread WHERE channel = ? ORDER BY key DESC LIMIT ?
                """).bind(key).bind(CacheReader.threadsShown + 1)
            defer { row.reset() }
            var threads: [(key: Int64, parentID: String, others: Int64)] = []
            while try row.next() {
                threads.append((row.int(0), Shown.text(row.text(1)), row.int(2) &- Int64(CacheReader.threadsShown)))
            }
            return threads
        }
        return threads ?? []
    }

    private func history(_ key: Int64, parentID: String?, _ url: String) -> History {
        HistoryReader(file, showsTexts: options.showsTexts, findings).history(key, parentID: parentID, url)
    }

    // MARK: All else

    /// Adds the cursors. Of a value that a service needs to go on, only the size is shown, since it may be a secret.
    private func addCursors(to report: inout Report) {
        var listing = Listing(title: "cursors", columns: ["name", "value"])
        var damaged: Int64 = 0
        var last = ""
        var isOver = false
        while !isOver {
            let read: Void? = findings.attempt("cache.db, cursors") { () throws(StoreError) in
                let row = try connection.prepare("""
                    SELECT key, value, \(OpenFile.isDamaged("key, value")) FROM meta WHERE key > ? ORDER BY key LIMIT ?
                    """).bind(last).bind(OpenFile.slice)
                defer { row.reset() }
                isOver = true
                while try row.next() {
                    let key = row.text(0)
                    guard last.isByteOrdered(before: key) else { throw .corrupt(message: "names are out of order") }
                    (last, isOver) = (key, false)
                    if row.bool(2) { damaged += 1 }
                    guard !last.utf8.starts(with: "messages.".utf8), listing.rows.count < 50 else { continue }
                    let isSecret = last.utf8.starts(with: "service.".utf8)
                    listing.rows.append(
                        [Shown.text(last), isSecret ? "(\(row.text(1).utf8.count) bytes)" : Shown.text(row.text(1))])
                }
            }
            if read == nil { isOver = true }
        }
        findings.add(damaged: damaged, of: "meta")
        report.listings.append(listing)
    }

    private func addTables(to report: inout Report) {
        var listing = Listing(title: "other tables of cache.db", columns: ["table", "rows", "size"])
        let tables = [
            ("relation", "key", "channel, id, target, kind, name, sender_id, ord, json", "edits and reactions"),
            ("database_value", "key", "url, name, path, query, size, json", "values of realtime databases"),
            (
                "notice", "id", "id, channel_url, message_id, ord, tie, is_mention, missed, may_be_more, json",
                "messages that wait to be acknowledged"
            ),
        ]
        for (table, key, columns, what) in tables {
            let sums = findings.attempt("cache.db, \(table)") { () throws(StoreError) in
                try file.sums(
                    table, key: key, ["1", "length(CAST(json AS BLOB))", OpenFile.isDamaged(columns)])
            }
            guard let sums else { continue }
            findings.add(damaged: sums[2], of: table)
            listing.rows.append([what, String(sums[0]), Shown.size(sums[1])])
        }
        let marks: Void? = findings.attempt("cache.db, notice_mark") { () throws(StoreError) in
            let row = try connection.prepare("""
                SELECT total(\(OpenFile.isDamaged(
                    "channel_url, has_position, ord, tie, is_wanted, missed, may_be_more"))) FROM notice_mark
                """)
            defer { row.reset() }
            if try row.next() { findings.add(damaged: row.int(0), of: "notice_mark") }
        }
        if marks != nil { report.listings.append(listing) }
    }
}
