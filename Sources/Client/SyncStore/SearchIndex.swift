import SyncBytes
import SyncModel
import SyncSQLite
import SyncText

/// The full-text index of cached messages: a contentless FTS5 table under row numbers in the order of time, and the
/// message of each row.
///
/// Messages whose keys are in one range are indexed. New messages have keys above the range, older ones that are not
/// indexed yet have keys below it, so no queue is needed. When an indexed message is changed or removed, triggers of
/// this connection do the same to its row in the same transaction; the file itself has no triggers, so that a program
/// without the library's functions can still read it.
///
/// The index finds candidates; the text of a message decides whether it matches.
public final class SearchIndex: MessageIndex {
    /// Reads a message's JSON.
    public typealias Reader = (_ json: UnsafeRawBufferPointer) -> SearchedText

    /// The version of the tables, and of how texts are cut into words: an index of another version is made again.
    private static let version: Int64 = 5
    /// Rows that a second has before its messages go to rows of later ones.
    static let rowsPerSecond: Int64 = 8
    /// Seconds from the epoch to 2010; earlier messages count as of then.
    private static let firstSecond: Int64 = 1_262_304_000
    private static let seconds: ClosedRange<Int64> = 0...(1 << 40)

    let cache: CacheStore
    let read: Reader
    private let cutter = TermCutter()
    /// The messages that open searches have to look at again.
    public let touched = TouchedMessages()
    /// When at least so many messages of one channel are removed together, they are taken out in the order of their
    /// rows. FTS5 begins a new part with each row that is not above the last one, and triggers would take the rows in
    /// any order.
    var manyMessages: Int64 = 100
    var connection: Connection { cache.connection }

    /// Opens the index of a cache, and makes it when there is none. One of another version has to be removed before.
    public init(_ cache: CacheStore, read: @escaping Reader) throws(StoreError) {
        self.cache = cache
        self.read = read
        let (touched, cutter) = (touched, cutter)
        try connection.install(SQLFunction("search_words", argumentCount: 3) { arguments in
            .text(SearchIndex.words(
                channel: arguments.int(0), sender: arguments.text(1), text: read(arguments.text(2)).text, cutter))
        })
        try connection.install(SQLFunction("search_first", argumentCount: 1) { arguments in
            .number(SearchIndex.second(read(arguments.text(0)).time) * SearchIndex.rowsPerSecond)
        })
        try connection.install(SQLFunction("search_probes", argumentCount: 2) { arguments in
            let probes = SearchRows(of: arguments.int(0), from: arguments.int(1)).map(String.init)
            return .text(Array("[\(probes.joined(separator: ","))]".utf8))
        })
        try connection.install(SQLFunction("search_differs", argumentCount: 2) { arguments in
            let (old, new) = (read(arguments.text(0)), read(arguments.text(1)))
            // Not compared by `==`, for which canonically equivalent texts are equal: their terms may differ.
            let isSame = SearchIndex.second(old.time) == SearchIndex.second(new.time)
                && old.text.utf8.elementsEqual(new.text.utf8)
            return .number(isSame ? 0 : 1)
        })
        // Called only for its side effect, to note a touched message.
        try connection.install(SQLFunction("search_touched", argumentCount: 3) { arguments in
            touched.hasAny = true
            if !touched.isIdle {
                func id(_ index: Int) -> MessageID { MessageID(String(decoding: arguments.text(index), as: UTF8.self)) }
                touched.add(TouchedMessage(channel: arguments.int(0), id: id(1), parentID: id(2)))
            }
            return .number(0)
        })
        try cache.transaction { () throws(StoreError) in
            if try SearchIndex.storedVersion(connection) == nil { try make() }
            try checkRange()
            try checkNewest()
            try connection.execute(SearchIndex.triggers)
        }
        cache.searchIndex = self
    }

    // MARK: Removal

    /// Whether a failure may concern the index alone, which can be made again: FTS5 reports damage, it cannot open its
    /// table (which counts as damage of the file), or a message has a row already.
    public static func mayBeDamage(_ error: StoreError) -> Bool {
        switch error {
        case .corrupt: true
        case .failed(let code, _): code == Connection.damagedIndex || Connection.isMistake(code)
        default: false
        }
    }

    /// Whether a cache has an index of another version, or what is left of one.
    public static func isOutdated(_ cache: CacheStore) throws(StoreError) -> Bool {
        guard let stored = try storedVersion(cache.connection) else { return false }
        return stored != version
    }

    /// Removes about `pages` pages of an index that nobody uses any more, since removing a large one at once would take
    /// a second. Gives whether more is left.
    public static func drop(_ cache: CacheStore, pages: Int) throws(StoreError) -> Bool {
        let connection = cache.connection
        cache.searchIndex = nil
        return try cache.transaction { () throws(StoreError) in
            try dropTriggers(connection)
            guard try storedVersion(connection) != nil else { return false }
            // Makes missing tables first, since the statements below need them all, and none with other columns.
            for table in try misshapen(connection) { try connection.execute("DROP TABLE \(table)") }
            try makeTables(connection) { _ in true }
            // Not an UPDATE, which would fail on a row that has a value of a wrong type.
            try connection.execute("""
                DELETE FROM search_range;
                INSERT INTO search_range (version, low, high, spill) VALUES (0, 0, 0, 0);
                """)
            var gone = 0
            for (table, key, rows) in [("search_place", "row", 100 * pages), ("search_found_data", "id", pages)] {
                try connection.prepare("""
                    DELETE FROM \(table) WHERE \(key) IN (SELECT \(key) FROM \(table) WHERE \(key) > 10 LIMIT ?)
                    """).bind(rows).run()
                gone += connection.changes
            }
            if gone > 0 { return true }
            try connection.execute(makeEmpty)
            // When `search_found` is dropped, FTS5 drops the tables that it made for it. Tables that were left without
            // a `search_found` have to be dropped one by one.
            for table in ["search_found"] + tables.map(\.name) {
                try connection.execute("DROP TABLE IF EXISTS \(table)")
            }
            return false
        }
    }

    /// FTS5 opens a table before it drops it, which fails when these rows are missing or damaged.
    private static let makeEmpty = """
        DELETE FROM search_found_data;
        INSERT INTO search_found_data (id, block) VALUES (1, x''), (10, x'00000000000000');
        DELETE FROM search_found_config;
        INSERT INTO search_found_config (k, v) VALUES ('version', 4);
        """

    static func dropTriggers(_ connection: Connection) throws(StoreError) {
        for trigger in ["search_removed", "search_changed", "search_touched"] {
            try connection.execute("DROP TRIGGER IF EXISTS temp.\(trigger)")
        }
    }

    /// A checksum of the range, in which each bit counts. A prime keeps it within 64 bits.
    private static let rangeSum = "low % 2147483629 * 3 + high % 2147483629 * 5 + spill % 2147483629 * 7"

    /// All tables of an index, with their columns; FTS5 makes those of `search_found` by itself.
    private static let tables: [(name: String, columns: String)] = [
        ("search_range", """
            (version INTEGER NOT NULL, low INTEGER NOT NULL, high INTEGER NOT NULL, spill INTEGER NOT NULL, \
            sum INTEGER GENERATED ALWAYS AS (\(rangeSum)) STORED) STRICT
            """),
        ("search_place", "(row INTEGER PRIMARY KEY, key INTEGER NOT NULL) STRICT"),
        ("search_again", "(key INTEGER PRIMARY KEY) STRICT"),
        ("search_found", ""),
        ("search_found_data", "(id INTEGER PRIMARY KEY, block BLOB)"),
        ("search_found_idx", "(segid, term, pgno, PRIMARY KEY (segid, term)) WITHOUT ROWID"),
        ("search_found_config", "(k PRIMARY KEY, v) WITHOUT ROWID"),
    ]

    /// Makes the tables that are missing, except those that FTS5 makes.
    private static func makeTables(_ connection: Connection, _ isWanted: (String) -> Bool) throws(StoreError) {
        for (name, columns) in tables where isWanted(name) && !columns.isEmpty {
            try connection.execute("CREATE TABLE IF NOT EXISTS \(name) \(columns)")
        }
    }

    /// The tables of an index whose columns have other names than it gives them.
    private static func misshapen(_ connection: Connection) throws(StoreError) -> [String] {
        var found: [String] = []
        for (name, columns) in tables where !columns.isEmpty {
            let row = try connection.prepare("SELECT name FROM pragma_table_xinfo(?) ORDER BY cid").bind(name)
            defer { row.reset() }
            var names: [String] = []
            while try row.next() { names.append(row.text(0)) }
            if !names.isEmpty, names != SearchIndex.names(columns) { found.append(name) }
        }
        return found
    }

    /// The names of the columns in a definition of a table.
    private static func names(_ columns: String) -> [String] {
        let inner = columns.drop { $0 != "(" }.dropFirst().prefix { $0 != ")" }
        let names = inner.split(separator: ",").compactMap { $0.split(separator: " ").first.map(String.init) }
        // The columns of a key that stands behind them are named there once more.
        return Array(names.prefix { $0 != "PRIMARY" })
    }

    /// The version of the stored index; `nil`: there is none; 0: there is only a part of one, or another table under
    /// one of its names.
    private static func storedVersion(_ connection: Connection) throws(StoreError) -> Int64? {
        let names = tables.map { "'\($0.name)'" }.joined(separator: ", ")
        let found = try connection.prepare(
            "SELECT count(*) FROM sqlite_schema WHERE type = 'table' AND name IN (\(names))")
        let count = try found.next() ? found.int(0) : 0
        found.reset()
        if count == 0 { return nil }
        // A part of an index has no version, so it will be removed.
        guard count == tables.count, try misshapen(connection).isEmpty else { return 0 }
        let row = try connection.prepare("SELECT version FROM search_range")
        defer { row.reset() }
        return try row.next() ? row.int(0) : 0
    }

    /// FTS5 would merge its parts while it is written to, which takes up to 50 ms. So `automerge` is off and `merge`
    /// does that. But FTS5 has room for 2000 parts in all, and each row that a trigger takes out makes one, so
    /// `crisismerge` stays on for large deletions.
    private func make() throws(StoreError) {
        try SearchIndex.makeTables(connection) { !$0.hasPrefix("search_found") }
        try connection.execute("""
            CREATE VIRTUAL TABLE search_found USING fts5(
                words, content = '', columnsize = 0, detail = none, tokenize = 'ascii');
            INSERT INTO search_found (search_found, rank) VALUES ('automerge', 0);
            INSERT INTO search_found (search_found, rank) VALUES ('crisismerge', 256);
            INSERT INTO search_range (version, low, high, spill)
                SELECT \(SearchIndex.version), ifnull(max(key), 0), ifnull(max(key), 0), 0 FROM message;
            """)
    }

    /// Whether a message has a row: its key is in the range, and its time has not changed since.
    static func isIndexed(_ message: String) -> String {
        "\(isInRange(message)) AND NOT EXISTS (SELECT 1 FROM search_again WHERE key = \(message).key)"
    }

    /// Whether a message was indexed, although it may wait to be indexed again: its key is in the range.
    static func isInRange(_ message: String) -> String {
        "\(message).key > (SELECT low FROM search_range) AND \(message).key <= (SELECT high FROM search_range)"
    }

    /// The channel of a message, also of one in a thread.
    static func root(_ message: String) -> String {
        "ifnull((SELECT channel FROM thread WHERE key = -\(message).channel), \(message).channel)"
    }

    /// The row of the message `old`, found in the way in which `freeRow` chose it, since an index from keys to rows
    /// would be a quarter of all bytes. The inner queries have a limit so that SQLite does not read the JSON once for
    /// each use of its time.
    static let row = """
        coalesce(
            (SELECT row FROM (SELECT search_first(old.json) AS first LIMIT 1)
                JOIN search_place ON row >= first AND row < first + \(rowsPerSecond) AND key = old.key),
            (SELECT row FROM json_each(search_probes(old.key, search_first(old.json)))
                JOIN search_place AS place ON row = value AND place.key = old.key LIMIT 1))
        """

    /// SQLite may give the largest key once more when its message was removed, so the range never ends above the
    /// largest key, also when nothing is indexed yet. A message with another time gets another row, by `indexNew`.
    static let triggers = """
        CREATE TEMP TRIGGER search_removed AFTER DELETE ON main.message
        WHEN old.key > (SELECT min(low, high - 1) FROM search_range)
        BEGIN
            INSERT INTO search_found (search_found, rowid, words)
                SELECT 'delete', row, search_words(old.channel, old.sender_id, old.json)
                FROM search_place WHERE \(isIndexed("old")) AND row = \(row);
            DELETE FROM search_place WHERE \(isIndexed("old")) AND row = \(row);
            SELECT search_touched(\(root("old")), old.id, old.parent_id)
                WHERE \(isInRange("old"));
            DELETE FROM search_again WHERE key = old.key;
            UPDATE search_range SET high = min(high, ifnull((SELECT max(key) FROM message), 0)) WHERE high <= old.key;
            UPDATE search_range SET low = high WHERE low > high;
        END;
        CREATE TEMP TRIGGER search_changed AFTER UPDATE OF json, sender_id ON main.message
        WHEN \(isIndexed("old"))
            AND (old.sender_id IS NOT new.sender_id OR search_differs(old.json, new.json))
        BEGIN
            INSERT INTO search_found (search_found, rowid, words)
                SELECT 'delete', row, search_words(old.channel, old.sender_id, old.json)
                FROM search_place WHERE row = \(row);
            INSERT INTO search_found (rowid, words)
                SELECT row, search_words(new.channel, new.sender_id, new.json)
                FROM search_place WHERE search_first(old.json) = search_first(new.json) AND row = \(row);
            DELETE FROM search_place WHERE search_first(old.json) <> search_first(new.json) AND row = \(row);
            INSERT OR IGNORE INTO search_again (key)
                SELECT new.key WHERE search_first(old.json) <> search_first(new.json);
        END;
        CREATE TEMP TRIGGER search_touched AFTER UPDATE ON main.message
        WHEN \(isInRange("new"))
        BEGIN
            SELECT search_touched(\(root("new")), new.id, new.parent_id);
        END;
        """

    // MARK: Words

    /// The terms with which a message is indexed: those of its text, of its channel or thread, and of its sender.
    private static func words(
        channel: Int64, sender: UnsafeRawBufferPointer, text: String, _ cutter: TermCutter
    ) -> [UInt8] {
        var words: [UInt8] = []
        words.reserveCapacity(2 * text.utf8.count + 64)
        cutter.write(text, to: &words)
        words += channelTerm(channel)
        words.append(UInt8(ascii: " "))
        words += senderTerm(sender)
        return words
    }

    /// The terms of texts never have U+E000 or U+E001: these are for private use, and separate words.
    static func channelTerm(_ channel: Int64) -> [UInt8] {
        Array("\u{E000}\(String(UInt64(bitPattern: channel), radix: 36))".utf8)
    }

    /// The term is made of a checksum, so several senders may have the same one.
    static func senderTerm(_ sender: UnsafeRawBufferPointer) -> [UInt8] {
        Array("\u{E001}\(String(UInt64(bitPattern: Checksum.of(sender)), radix: 36))".utf8)
    }

    // MARK: Indexing

    /// Indexes up to `limit` messages that came, or whose time has changed, since the last call. Gives whether there
    /// were any.
    public func indexNew(rows limit: Int) throws(StoreError) -> Bool {
        let hadAny = touched.hasAny
        do throws(StoreError) {
            touched.hasAny = false
            return try cache.transaction { () throws(StoreError) in try indexNow(limit) }
        } catch {
            touched.hasAny = hadAny
            throw error
        }
    }

    private func indexNow(_ limit: Int) throws(StoreError) -> Bool {
        let again = try unindexed("?1 = ?1 AND key IN (SELECT key FROM search_again)", 0, limit)
        for message in again {
            try connection.prepare("DELETE FROM search_again WHERE key = ?").bind(message.key).run()
        }
        let new = try unindexed("key > ?1 ORDER BY key", range().high, limit)
        try index(again + new)
        if let last = new.last {
            try connection.prepare("UPDATE search_range SET high = ?").bind(last.key).run()
        }
        return !again.isEmpty || !new.isEmpty
    }

    /// Indexes up to `limit` messages that were cached before the index was made, newest first. Gives whether there are
    /// more.
    public func indexOld(rows limit: Int) throws(StoreError) -> Bool {
        try cache.transaction { () throws(StoreError) in
            let range = try range()
            guard range.low > 0 else { return false }
            let old = try unindexed("key <= ?1 ORDER BY key DESC", range.low, limit)
            try index(old)
            let low = old.count < limit ? 0 : (old.last?.key ?? 1) &- 1
            try connection.prepare("UPDATE search_range SET low = ?").bind(low).run()
            return low > 0
        }
    }

    /// The keys that `indexOld` still has to visit (those below the range), and the end of the range as their total.
    public func progress() throws(StoreError) -> (remaining: Int64, total: Int64) {
        let range = try range()
        return (range.low, range.high)
    }

    func range() throws(StoreError) -> (low: Int64, high: Int64, spill: Int64) {
        let row = try connection.prepare("SELECT low, high, spill, sum IS \(SearchIndex.rangeSum) FROM search_range")
        defer { row.reset() }
        guard try row.next() else { return (0, 0, 0) }
        guard row.bool(3) else {
            throw .failed(code: Connection.damagedIndex, message: "the range of the index is damaged")
        }
        return (max(0, row.int(0)), max(0, row.int(1)), max(0, row.int(2)))
    }

    /// The row behind the last one that a message of this time can have.
    func end(of time: Int64) throws(StoreError) -> Int64 {
        let spill = min(try range().spill, SearchIndex.seconds.upperBound)
        return (SearchIndex.second(time) + spill + 1) * SearchIndex.rowsPerSecond
    }

    private struct Unindexed {
        let key: Int64
        let channel: Int64
        let id: MessageID
        let parentID: MessageID
        let sender: [UInt8]
        let text: SearchedText
    }

    private func unindexed(_ condition: String, _ key: Int64, _ limit: Int) throws(StoreError) -> [Unindexed] {
        let row = try connection.prepare("""
            SELECT key, channel, id, parent_id, sender_id, json FROM message WHERE \(condition) LIMIT ?2
            """).bind(key).bind(limit)
        defer { row.reset() }
        var found: [Unindexed] = []
        // A damaged row does no harm here: the same terms are taken out again later, and each candidate is checked by
        // its row.
        while try row.step() {
            found.append(Unindexed(
                key: row.int(0), channel: row.int(1), id: MessageID(row.text(2)), parentID: MessageID(row.text(3)),
                sender: row.bytes(4), text: read(row.utf8(5))))
        }
        return found
    }

    /// Written in the order of their rows: FTS5 begins a new part of its index with each row that is not above the
    /// last one.
    private func index(_ messages: [Unindexed]) throws(StoreError) {
        var placed: [(row: Int64, message: Unindexed)] = []
        for message in messages {
            let row = try freeRow(of: message.text.time, key: message.key)
            try connection.prepare("INSERT INTO search_place (row, key) VALUES (?, ?)").bind(row).bind(message.key)
                .run()
            placed.append((row, message))
        }
        placed.sort { $0.row < $1.row }
        for (row, message) in placed {
            let words = message.sender.withUnsafeBytes { sender in
                SearchIndex.words(channel: message.channel, sender: sender, text: message.text.text, cutter)
            }
            try connection.prepare("INSERT INTO search_found (rowid, words) VALUES (?, ?)").bind(row).bind(words).run()
            guard !touched.isIdle else { continue }
            let channel = try root(of: message.channel) ?? -1
            touched.add(TouchedMessage(channel: channel, id: message.id, parentID: message.parentID))
        }
    }

    /// The second in which a message was sent, counted from `firstSecond`.
    static func second(_ time: Int64) -> Int64 {
        min(max(time / 1000 &- firstSecond, seconds.lowerBound), seconds.upperBound)
    }

    /// A free row of the message's second, or of a later second when that one has none left. Never of an earlier one:
    /// so a walk from the last row down has met all messages of a second when it has passed the second's first row.
    private func freeRow(of time: Int64, key: Int64) throws(StoreError) -> Int64 {
        let first = SearchIndex.second(time) * SearchIndex.rowsPerSecond
        let behind = first + SearchIndex.rowsPerSecond
        let last = try connection.prepare("""
            SELECT row FROM search_place WHERE row >= ?1 AND row < ?2 ORDER BY row DESC LIMIT 1
            """).bind(first).bind(behind)
        let used = try last.next() ? last.int(0) : nil
        last.reset()
        guard let used else { return first }
        if used + 1 < behind { return used + 1 }
        for row in SearchRows(of: key, from: first) {
            let taken = try connection.prepare("SELECT 1 FROM search_place WHERE row = ?").bind(row)
            let isTaken = try taken.next()
            taken.reset()
            if isTaken { continue }
            let second = (row - first) / SearchIndex.rowsPerSecond
            try connection.prepare("UPDATE search_range SET spill = ?1 WHERE spill < ?1").bind(second).run()
            return row
        }
        throw .failed(code: Connection.damagedIndex, message: "there is no row for a message")
    }

    /// Whether the message of this time can have the row that has its key.
    func isRow(_ place: (row: Int64, key: Int64), of time: Int64) -> Bool {
        let first = SearchIndex.second(time) * SearchIndex.rowsPerSecond
        return (first..<first + SearchIndex.rowsPerSecond).contains(place.row)
            || SearchRows(of: place.key, from: first).contains(place.row)
    }

    // MARK: Keeping it small

    /// Merges a slice of the index's parts; `pages`: about how many pages are written. Gives whether there was anything
    /// to merge.
    public func merge(pages: Int) throws(StoreError) -> Bool {
        try cache.transaction { () throws(StoreError) in
            let before = connection.totalChanges
            try connection.prepare("INSERT INTO search_found (search_found, rank) VALUES ('merge', ?)").bind(pages)
                .run()
            // The statement itself counts as one change.
            return connection.totalChanges &- before > 1
        }
    }
}

/// The rows behind a second that a message may get when its second has none left, nearest first. The rows follow from
/// the message's key, so the message is found again by its key.
struct SearchRows: Sequence, IteratorProtocol {
    /// How many rows are tried: the range from which they are chosen doubles each time, so they reach over all seconds.
    private var left = 64

    private let behind: Int64
    private var width = SearchIndex.rowsPerSecond
    private var mixed: UInt64

    /// - Parameter first: the first row of the message's second.
    init(of key: Int64, from first: Int64) {
        behind = first &+ SearchIndex.rowsPerSecond
        mixed = UInt64(bitPattern: key)
    }

    mutating func next() -> Int64? {
        guard left > 0 else { return nil }
        left -= 1
        defer { width = Swift.min(width * 2, 1 << 40) }
        mixed = (mixed ^ (mixed >> 29)) &* 0xBF58_476D_1CE4_E5B9
        return behind &+ Int64(mixed % UInt64(width))
    }
}
