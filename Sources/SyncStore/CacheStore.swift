import CLinux
import Glibc
import SyncModel

/// The cache of one user: channels, messages, chunks, cursors. Rebuildable, never wrong: what a cursor covers is
/// committed together with it. One thread at a time.
public final class CacheStore {
    let database: Database
    var channelKeys: [String: Int64] = [:]
    /// The file a damaged cache was set aside as, when that happened at opening.
    public let setAsideAs: String?

    /// Opens or creates `cache.db` in a directory. A damaged file is set aside under a name with `now` (milliseconds
    /// since the epoch) and begun anew.
    public init(directory: String, now: Int64) throws(StoreError) {
        let path = directory + "/cache.db"
        do throws(StoreError) {
            database = try CacheStore.open(path)
            setAsideAs = nil
        } catch {
            guard case .corrupt = error else { throw error }
            let aside = "\(path).corrupt-\(now)"
            guard rename(path, aside) == 0 else { throw error }
            for suffix in ["-wal", "-shm"] { unlink(path + suffix) }
            database = try CacheStore.open(path)
            setAsideAs = aside
        }
    }

    private static func open(_ path: String) throws(StoreError) -> Database {
        let database = try Database(path: path, synchronous: "NORMAL")
        try database.migrate(CacheSchema.migrations)
        // Reads the b-tree roots: damage that would show at the first query shows here.
        let check = try database.prepare("SELECT count(*) FROM sqlite_schema")
        _ = try check.next()
        check.reset()
        for table in ["meta", "channel", "channel_key", "message", "chunk"] {
            let probe = try database.prepare("SELECT 1 FROM \(table) LIMIT 1")
            _ = try probe.next()
            probe.reset()
        }
        return database
    }

    /// Closes the file. The store must not be used afterwards.
    public func close() { database.shut() }

    /// Asked before each commit, for tests that let one fail.
    public func setCommitHook(_ hook: (() throws(StoreError) -> Void)?) { database.beforeCommit = hook }

    public func transaction<T>(_ body: () throws(StoreError) -> T) throws(StoreError) -> T {
        try database.transaction(body)
    }

    // MARK: Cursors and flags

    public func value(_ key: String) throws(StoreError) -> String? {
        let statement = try database.prepare("SELECT value FROM meta WHERE key = ?").bind(key)
        defer { statement.reset() }
        return try statement.next() ? statement.text(0) : nil
    }

    public func setValue(_ key: String, _ value: String?) throws(StoreError) {
        if let value {
            try database.prepare("INSERT INTO meta (key, value) VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value")
                .bind(key).bind(value).run()
        } else {
            try database.prepare("DELETE FROM meta WHERE key = ?").bind(key).run()
        }
    }
}
