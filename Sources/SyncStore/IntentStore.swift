import SyncModel

/// What the host was promised: messages to be sent. On disk (synchronous=FULL) before a call returns; never dropped by
/// itself, not even when the file is damaged. One thread at a time.
public final class IntentStore {
    let database: Database

    static let migrations = [
        """
        CREATE TABLE intent (
            id INTEGER PRIMARY KEY AUTOINCREMENT,
            channel_url TEXT NOT NULL,
            request_id TEXT NOT NULL UNIQUE,
            created_at INTEGER NOT NULL,
            status INTEGER NOT NULL DEFAULT 0,
            error_code INTEGER NOT NULL DEFAULT 0,
            retry_count INTEGER NOT NULL DEFAULT 0,
            is_host_sent INTEGER NOT NULL DEFAULT 0,
            body TEXT NOT NULL
        ) STRICT;
        CREATE INDEX intent_by_channel ON intent (channel_url, id);
        """
    ]

    /// Opens or creates `intents.db` in a directory.
    public init(directory: String) throws(StoreError) {
        database = try Database(path: directory + "/intents.db", synchronous: "FULL", pageSize: 4096)
        try database.migrate(IntentStore.migrations)
    }

    public func close() { database.shut() }

    /// Asked before each commit, for tests that let one fail.
    public func setCommitHook(_ hook: (() throws(StoreError) -> Void)?) { database.beforeCommit = hook }

    public func add(
        channelURL: String, requestID: String, createdAt: Int64, body: [UInt8], isHostSent: Bool
    ) throws(StoreError) -> Intent {
        try database.transaction { () throws(StoreError) in
            try database.prepare("""
                INSERT INTO intent (channel_url, request_id, created_at, is_host_sent, body) VALUES (?, ?, ?, ?, ?)
                """)
                .bind(channelURL).bind(requestID).bind(createdAt).bind(isHostSent).bind(body).run()
            return Intent(
                id: database.lastInsertID, channelURL: channelURL, requestID: requestID, createdAt: createdAt,
                status: .pending, errorCode: 0, retryCount: 0, body: body, isHostSent: isHostSent)
        }
    }

    public func update(
        requestID: String, status: Intent.Status, errorCode: Int, retryCount: Int
    ) throws(StoreError) {
        try database.prepare("UPDATE intent SET status = ?, error_code = ?, retry_count = ? WHERE request_id = ?")
            .bind(status.rawValue).bind(Int64(errorCode)).bind(Int64(retryCount)).bind(requestID).run()
    }

    public func replaceBody(requestID: String, body: [UInt8]) throws(StoreError) {
        try database.prepare("UPDATE intent SET body = ? WHERE request_id = ?").bind(body).bind(requestID).run()
    }

    public func remove(requestID: String) throws(StoreError) {
        try database.prepare("DELETE FROM intent WHERE request_id = ?").bind(requestID).run()
    }

    /// All of one channel, or of all channels, in the order they were written.
    public func intents(channelURL: String?) throws(StoreError) -> [Intent] {
        let columns = "id, channel_url, request_id, created_at, status, error_code, retry_count, is_host_sent, body"
        let statement: Statement
        if let channelURL {
            statement = try database.prepare("SELECT \(columns) FROM intent WHERE channel_url = ? ORDER BY id")
                .bind(channelURL)
        } else {
            statement = try database.prepare("SELECT \(columns) FROM intent ORDER BY id")
        }
        defer { statement.reset() }
        var result: [Intent] = []
        while try statement.next() {
            result.append(Intent(
                id: statement.int(0), channelURL: statement.text(1), requestID: statement.text(2),
                createdAt: statement.int(3), status: Intent.Status(rawValue: statement.int(4)) ?? .failed,
                errorCode: Int(clamping: statement.int(5)), retryCount: Int(clamping: statement.int(6)),
                body: statement.bytes(8), isHostSent: statement.bool(7)))
        }
        return result
    }
}
