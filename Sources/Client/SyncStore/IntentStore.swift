import Glibc
import SyncModel
import SyncSQLite

/// The outbox: own messages to be sent, and writes to databases. They are on disk (synchronous=FULL) before a call
/// returns, and the store never drops one by itself, not even when the file is damaged. One thread at a time.
public final class IntentStore {
    let connection: Connection
    /// `nil` in memory.
    private let mark: IntentMark?
    private(set) var isMarked: Bool
    /// Intents were written in this directory before, and their file was gone when it was opened: what was not sent yet
    /// is lost. Told by this opening only.
    public let intentsLost: Bool
    /// The damaged rows that were found and are not set aside yet, and what is lost with them.
    var damaged: [(table: Table, key: Int64)] = []
    var lost = LostIntents()

    /// Opens or creates `intents.db` in a directory, or begins an empty outbox in memory. A file that is damaged, lacks
    /// a part of its schema, or is empty although intents were written to it, is `.corrupt` and is left as it is; so is
    /// one whose log's header is not right. `keys`: of a directory that is encrypted.
    /// `isDurable`: what is stored survives power cuts.
    public convenience init(
        _ place: StorePlace, _ keys: DirectoryKeys? = nil, isDurable: Bool = true
    ) throws(StoreError) {
        switch place {
        case .directory(let directory): try self.init(directory: directory, keys, isDurable: isDurable)
        case .memory: try self.init()
        }
    }

    private init() throws(StoreError) {
        (mark, isMarked, intentsLost) = (nil, true, false)
        connection = try StoredFile.intents.inMemory()
        try IntentStore.migrate(connection, isUsed: false)
    }

    /// Opens or creates `intents.db` in a directory, as described above for a place.
    public init(directory: String, _ keys: DirectoryKeys? = nil, isDurable: Bool = true) throws(StoreError) {
        let path = StoredFile.intents.path(in: directory)
        let mark = IntentMark(directory: directory)
        self.mark = mark
        isMarked = mark.isSet
        // This has to come before SQLite opens the files, which might overwrite them.
        let isLost = try IntentStore.checkFiles(path, isMarked: isMarked)
        intentsLost = isLost
        // The file is made under another name first: a kill in between must not leave an empty file, which would count
        // as damage.
        if isLost { try IntentStore.make(path, keys, isDurable: isDurable) }
        connection = try IntentStore.open(path, keys, isDurable: isDurable)
        try IntentStore.migrate(connection, isUsed: isMarked && !isLost)
        // Files of the first schema were used without a mark.
        if !isMarked {
            let used = try connection.prepare("SELECT 1 FROM sqlite_sequence WHERE name = 'intent'")
            defer { used.reset() }
            if try used.next() { try setMark() }
        }
    }

    /// A file that was used and has no schema has lost its log, in which everything was.
    private static func migrate(_ connection: Connection, isUsed: Bool) throws(StoreError) {
        try connection.checkWritable()
        if isUsed, try connection.schemaVersion() == 0 {
            throw .corrupt(message: "intents.db has no tables, and messages were kept in it")
        }
        try connection.migrate(IntentSchema.migrations, whole: IntentSchema.whole)
        try checkSchema(connection)
    }

    private static func open(
        _ path: String, _ keys: DirectoryKeys?, isDurable: Bool
    ) throws(StoreError) -> Connection {
        try DirectoryKeys.open(keys) { (key) throws(StoreError) in
            try StoredFile.intents.open(path, key, isDurable: isDurable)
        }
    }

    private static func make(_ path: String, _ keys: DirectoryKeys?, isDurable: Bool) throws(StoreError) {
        let new = path + ".new"
        try DataDirectory.remove(new)
        let connection = try open(new, keys, isDurable: isDurable)
        try connection.migrate(IntentSchema.migrations, whole: IntentSchema.whole)
        connection.shut()
        guard rename(new, path) == 0 else {
            throw .cannotOpen(path: path, message: String(cString: strerror(errno)))
        }
    }

    func setMark() throws(StoreError) {
        try mark?.set()
        isMarked = true
    }

    public func close() { connection.shut() }

    /// The hook is called before each commit, for tests that let one fail.
    public func setCommitHook(_ hook: (() throws(StoreError) -> Void)?) { connection.beforeCommit = hook }

    /// The hook is called before each statement that writes, with its SQL, for tests that let one fail or end the
    /// process there.
    public func setStatementHook(_ hook: ((String) throws(StoreError) -> Void)?) { connection.beforeWrite = hook }

    /// Commits all that is done inside, or nothing of it. A call inside another joins it; a failure inside, also one
    /// that the body swallows, undoes the whole.
    public func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        try connection.transaction(body)
    }

    /// Writes a new intent, pending. A request id that is there already is an error.
    public func add(
        channelURL: ChannelURL, requestID: RequestID, createdAt: Int64, body: [UInt8], isHostSent: Bool
    ) throws(StoreError) -> Intent {
        if !isMarked { try setMark() }
        return try connection.transaction { () throws(StoreError) in
            let intent = Intent(
                id: try nextID(), channelURL: channelURL, requestID: requestID, createdAt: createdAt,
                status: .pending, errorCode: 0, retryCount: 0, body: body, isHostSent: isHostSent)
            try connection.prepare("""
                INSERT INTO intent (id, channel_url, request_id, created_at, is_host_sent, checksum, body)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """)
                .bind(intent.id).bind(channelURL).bind(requestID).bind(createdAt).bind(isHostSent)
                .run(withChecksum: intent.checksum, text: body)
            return intent
        }
    }

    /// As SQLite counts: ids of intents that were removed are not used again.
    private func nextID() throws(StoreError) -> Int64 {
        let last = try connection.prepare("""
            SELECT max(
                coalesce((SELECT seq FROM sqlite_sequence WHERE name = 'intent' AND seq BETWEEN 0 AND ?1), 0),
                coalesce((SELECT max(id) FROM intent WHERE id BETWEEN 0 AND ?1), 0))
            """).bind(Intent.ids.upperBound - 1)
        defer { last.reset() }
        guard try last.next() else { return 1 }
        let (next, isTooLarge) = last.int(0).addingReportingOverflow(1)
        return isTooLarge ? Intent.ids.upperBound : next
    }

    /// Writes an intent's fields and status; one that is not there is ignored.
    public func update(_ intent: Intent) throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try connection.prepare("""
                UPDATE intent SET status = ?, error_code = ?, retry_count = ?, is_host_sent = ?, checksum = ?, body = ?,
                    message_id = ?
                WHERE request_id = ?
                """)
                .bind(intent.status.rawValue).bind(Int64(intent.errorCode)).bind(Int64(intent.retryCount))
                .bind(intent.isHostSent).bind(intent.checksum).bind(intent.body).bind(intent.messageID?.text ?? "")
                .bind(intent.requestID).run()
        }
    }

    /// Removes an intent; one that is not there does no harm.
    public func remove(requestID: RequestID) throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            try connection.prepare("DELETE FROM intent WHERE request_id = ?").bind(requestID).run()
        }
    }

    /// Keeps a text under a name, whatever becomes of the cache; it replaces what was kept there before.
    public func keep(_ value: String, as name: String) throws(StoreError) {
        if !isMarked { try setMark() }
        try connection.transaction { () throws(StoreError) in
            try connection.prepare("""
                INSERT INTO kept (name, value, checksum) VALUES (?1, ?2, checksum_of_row(?1, ?2))
                ON CONFLICT (name) DO UPDATE SET value = excluded.value, checksum = excluded.checksum
                """).bind(name).bind(value).run()
        }
    }

    /// What is kept under a name; `nil` when there is nothing. `.corrupt` when it is damaged: the next `keep` mends it.
    public func kept(_ name: String) throws(StoreError) -> String? {
        let row = try connection.prepare("SELECT name, value, checksum FROM kept WHERE name = ?").bind(name)
        defer { row.reset() }
        guard try row.step() else { return nil }
        guard row.matches(0...1, checksum: 2) else {
            throw .corrupt(message: "intents.db: what is kept as \(name) does not match its checksum")
        }
        return row.text(1)
    }

    /// Removes all intents, all writes to databases, all drafts, and what is kept. The log still has them until
    /// `emptyLog`.
    public func removeAll() throws(StoreError) {
        try connection.transaction { () throws(StoreError) in
            for table in Table.all.flatMap({ [$0.rawValue, $0.aside] }) + ["kept"] {
                try connection.prepare("DELETE FROM \(table)").run()
            }
        }
    }

    /// Takes what was removed out of the log, too. `inUse` when another process reads the file.
    public func emptyLog() throws(StoreError) { try connection.emptyLog() }

    /// All intents, in the order they were written. Damaged ones are left out: `setAsideDamaged` takes them away.
    public func intents() throws(StoreError) -> [Intent] {
        let row = try connection.prepare("""
            SELECT id, channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, body,
                message_id, checksum
            FROM intent ORDER BY id
            """)
        defer { row.reset() }
        var result: [Intent] = []
        while try row.next() {
            if let intent = intent(row) {
                result.append(intent)
            } else {
                note(
                    .message(
                        channelURL: LostIntent.readable(row.bytes(1)), requestID: LostIntent.readable(row.bytes(2))),
                    .intent, key: row.int(0))
            }
        }
        return result
    }

    /// The intent of a row; `nil` when the row is damaged.
    private func intent(_ row: Statement) -> Intent? {
        guard row.isTyped, row.checksum(0...9) == row.int(10),
            Intent.ids.contains(row.int(0)), Intent.times.contains(row.int(3)),
            let status = Intent.Status(rawValue: row.int(4)), Intent.retries.contains(row.int(6)),
            (status == .accepted) != row.text(9).isEmpty
        else { return nil }
        return Intent(
            id: row.int(0), channelURL: ChannelURL(row.text(1)), requestID: RequestID(row.text(2)),
            createdAt: row.int(3), status: status, errorCode: Int(clamping: row.int(5)),
            retryCount: Int(clamping: row.int(6)), body: row.bytes(8), isHostSent: row.bool(7),
            messageID: status == .accepted ? MessageID(row.text(9)) : nil)
    }
}
