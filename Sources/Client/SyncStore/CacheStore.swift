import Glibc
import SyncModel
import SyncSQLite

/// The cache of one user: channels, messages, chunks, cursors, values of databases. It can be rebuilt, and is never
/// wrong: a cursor and the rows that it covers are committed together. One thread at a time.
public final class CacheStore {
    let connection: Connection
    /// How much room the messages of each channel take.
    public let counts: ChannelCounts
    public let relations: RelationStore
    public let chunks: ChunkStore
    public let databaseValues: DatabaseValueStore
    /// Some of the channels in the file. Emptied when a transaction is rolled back, since its changes are not in the
    /// file. Every received event looks up its channel several times, and reading one from the file parses all of its
    /// JSON.
    var storedChannels: [ChannelURL: ChannelRecord] = [:]
    /// The damage of a row that was treated as missing, and was not told yet.
    var damagedValue: StoreError?
    /// The full-text index, when it is open.
    weak var searchIndex: (any MessageIndex)?
    let place: StorePlace
    /// The keys of an encrypted directory; `nil` for a plain one.
    var keys: DirectoryKeys?
    /// The path to which a damaged cache was renamed at opening; `nil` when it was sound.
    public let setAsideAs: String?

    /// Opens or creates `cache.db` in a directory, or begins an empty cache in memory. A damaged file is set aside
    /// under a name with `now` (milliseconds since the epoch) and a new one begun; the same is done with a file whose
    /// damage was found in use, the next time it is opened. `keys`: of a directory that is encrypted.
    /// `isDurable`: what is stored survives power cuts.
    public convenience init(
        _ place: StorePlace, now: Int64, _ keys: DirectoryKeys? = nil, isDurable: Bool = true
    ) throws(StoreError) {
        switch place {
        case .directory(let directory): try self.init(directory: directory, now: now, keys, isDurable: isDurable)
        case .memory:
            self.init(try CacheStore.prepared(try StoredFile.cache.inMemory()), place: place, setAsideAs: nil)
        }
    }

    private init(_ connection: Connection, place: StorePlace, setAsideAs: String?) {
        self.connection = connection
        self.place = place
        self.setAsideAs = setAsideAs
        counts = ChannelCounts(connection)
        relations = RelationStore(connection, counts)
        chunks = ChunkStore(connection, counts)
        databaseValues = DatabaseValueStore(connection, counts)
    }

    /// A store over a file that is opened for reading only (`StoredFile`): functions that write must not be called.
    public convenience init(reading connection: Connection) {
        connection.checksTypes = true
        self.init(connection, place: .memory, setAsideAs: nil)
    }

    /// Opens or creates `cache.db` in a directory, as described above for a place.
    public convenience init(
        directory: String, now: Int64, _ keys: DirectoryKeys? = nil, isDurable: Bool = true
    ) throws(StoreError) {
        let path = StoredFile.cache.path(in: directory)
        var opened: Connection?
        var setAsideAs: String?
        var damage: StoreError?
        if access(CacheStore.damageMark(path), F_OK) == 0 {
            damage = .corrupt(message: "found damaged in use")
        } else {
            // To SQLite a read that fails once looks like damage, so the file is read twice.
            for _ in 0..<2 where opened == nil {
                do throws(StoreError) {
                    opened = try CacheStore.open(path, keys, isDurable: isDurable)
                    damage = nil
                } catch {
                    guard case .corrupt = error else { throw error }
                    damage = error
                }
            }
        }
        if let damage {
            let aside = "\(path).corrupt-\(now)"
            guard CacheStore.setAside(path, as: aside) else { throw damage }
            opened = nil
            setAsideAs = aside
        }
        let connection = if let opened { opened } else { try CacheStore.open(path, keys, isDurable: isDurable) }
        self.init(connection, place: .directory(directory), setAsideAs: setAsideAs)
        self.keys = keys
        connection.onDamage = { try? DataDirectory.make(CacheStore.damageMark(path)) }
    }

    private static func open(
        _ path: String, _ keys: DirectoryKeys?, isDurable: Bool
    ) throws(StoreError) -> Connection {
        try DirectoryKeys.open(keys) { (key) throws(StoreError) in
            try prepared(try StoredFile.cache.open(path, key, isDurable: isDurable))
        }
    }

    private static func prepared(_ connection: Connection) throws(StoreError) -> Connection {
        connection.checksTypes = true
        try connection.checkWritable()
        try connection.migrate(CacheSchema.migrations, whole: CacheSchema.whole)
        try connection.setPageSize(StoredFile.cache.pageSize)
        // Reads the schema and the b-tree roots, so that damage is found here and not at the first query.
        for table in [
            "meta", "channel", "thread", "message", "relation", "chunk", "database_value", "notice", "notice_mark",
        ] {
            let probe = try connection.prepare("SELECT * FROM \(table) LIMIT 1")
            _ = try probe.next()
            probe.reset()
        }
        // A value of another type is sorted before or after all that have the column's type, and no query would find
        // its row. (A number with a fraction is between them.)
        for (table, column) in [
            ("meta", "key"), ("channel", "url"), ("thread", "channel"), ("message", "channel"), ("relation", "channel"),
            ("chunk", "channel"), ("database_value", "url"), ("notice", "channel_url"), ("notice_mark", "channel_url"),
        ] {
            for order in ["ASC", "DESC"] {
                let edge = try connection.prepare("SELECT \(column) FROM \(table) ORDER BY \(column) \(order) LIMIT 1")
                _ = try edge.next()
                edge.reset()
            }
        }
        // Messages are numbered from 1. Those that come later must have higher numbers, by which the index of searches
        // finds them; SQLite gives random ones when the highest is taken.
        for edge in ["min", "max"] {
            let number = try connection.prepare("SELECT ifnull(\(edge)(key), 1) FROM message")
            defer { number.reset() }
            guard try number.next(), (1..<highestKey).contains(number.int(0)) else {
                throw .corrupt(message: "a message has the number \(number.int(0))")
            }
        }
        return connection
    }

    /// More messages than can ever be stored.
    private static let highestKey: Int64 = 1 << 62

    // MARK: Damage

    private static func damageMark(_ path: String) -> String { path + ".damaged" }

    /// The logs are renamed first: a log that is left behind would be replayed into the new file. A kill in between
    /// leaves a file that is still damaged or still marked, and the next opening does the rest.
    private static func setAside(_ path: String, as aside: String) -> Bool {
        for log in ["-wal", "-journal"] {
            guard rename(path + log, aside + log) == 0 || errno == ENOENT else { return false }
        }
        unlink(path + "-shm")
        guard rename(path, aside) == 0 || errno == ENOENT else { return false }
        unlink(damageMark(path))
        return true
    }

    /// Closes the file. The store must not be used afterwards.
    public func close() { connection.shut() }

    /// The hook is called before each commit, for tests that let one fail.
    public func setCommitHook(_ hook: (() throws(StoreError) -> Void)?) { connection.beforeCommit = hook }

    /// The hook is called before each statement that writes, with its SQL, for tests that let one fail or end the
    /// process there.
    public func setStatementHook(_ hook: ((String) throws(StoreError) -> Void)?) { connection.beforeWrite = hook }

    /// Commits all that is done inside, or nothing of it. A call inside another joins it; a failure inside, also one
    /// that the body swallows, undoes the whole.
    public func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        do throws(StoreError) {
            return try counts.transaction(body)
        } catch {
            chunks.rolledBack()
            databaseValues.rolledBack()
            storedChannels = [:]
            throw error
        }
    }

    // MARK: Cursors and flags

    /// The value kept under a key; `nil` when there is none. A damaged row counts as missing, and `takeDamage` tells of
    /// it: without a cursor everything is asked for again, while an error would stop sync for ever.
    public func value(_ key: String) throws(StoreError) -> String? {
        let row = try connection.prepare("SELECT key, value, checksum FROM meta WHERE key = ?").bind(key)
        defer { row.reset() }
        guard try row.step() else { return nil }
        guard row.matches(0...1, checksum: 2) else {
            damagedValue = connection.damageOfMissing("the cursor \(key) does not match its checksum")
            return nil
        }
        return row.text(1)
    }

    /// Whether something is kept under a key, damaged or not.
    public func hasValue(_ key: String) throws(StoreError) -> Bool {
        let row = try connection.prepare("SELECT 1 FROM meta WHERE key = ?").bind(key)
        defer { row.reset() }
        return try row.next()
    }

    /// The damage of a row that was treated as missing, since the last call.
    public func takeDamage() -> StoreError? {
        defer { damagedValue = nil }
        return counts.takeDamage() ?? damagedValue
    }

    /// Keeps a value under a key; `nil` removes it.
    public func setValue(_ key: String, _ value: String?) throws(StoreError) {
        try transaction { () throws(StoreError) in
            if let value {
                try connection.prepare("""
                    INSERT INTO meta (key, value, checksum) VALUES (?1, ?2, checksum_of_row(?1, ?2))
                    ON CONFLICT (key) DO UPDATE SET value = excluded.value, checksum = excluded.checksum
                    """).bind(key).bind(value).run()
            } else {
                try connection.prepare("DELETE FROM meta WHERE key = ?").bind(key).run()
            }
        }
    }
}
