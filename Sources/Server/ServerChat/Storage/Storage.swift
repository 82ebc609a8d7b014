import ServerBase
import SyncBytes
import SyncSQLite

/// Everything the server remembers, in SQLite. The rules are in `Chat`; this class and the tables that it hands out
/// (`channels`, `messages`, …) only read and write.
public final class Storage {
    public let connection: Connection
    /// The source of keys, tokens and ids.
    public let random: RandomSource
    public let files: FileTable
    /// Members of recently used channels, for broadcasts. Dropped when a channel's members change.
    private var memberCache: [Int64: [String]] = [:]
    /// Told of every change of what counts as unread.
    public let totals: UnreadTotals
    private var sequence: Int64 = 0
    /// Change numbers up to this one are stored as used.
    private var reserved: Int64 = 0
    private var messageID: Int64 = 0
    /// The users that are bots. Mostly none, and asked for with every channel.
    public var bots: TextSet = []
    /// Whether any user ever blocked another one; every message asks.
    public var hasBlocks = false

    public init(path: String, random: RandomSource = RandomSource(), folder: FileFolder? = nil) throws {
        self.random = random
        // A killed server loses nothing; only a power cut may cost the last moments, as a development server may.
        connection = try Connection(
            path: path,
            ConnectionSettings(safety: .normal, pageSize: 16 << 10, cacheSize: 64 << 10, logLimit: 64 << 20))
        totals = UnreadTotals(connection)
        files = FileTable(connection, random, folder)
        try connection.migrate(Schema.steps, whole: Schema.whole)
        sequence =
            try connection.prepare(
                """
                SELECT max(coalesce((SELECT max(seq) FROM changes), 0),
                    coalesce((SELECT max(change_seq) FROM channels), 0),
                    coalesce((SELECT max(change_seq) FROM members), 0),
                    coalesce((SELECT value FROM marks WHERE name = 'change'), 0))
                """
            ).first { try Storage.checked($0.int(0), "change") } ?? 0
        reserved = sequence
        messageID =
            try connection.prepare(
                """
                SELECT max(coalesce((SELECT max(message_id) FROM messages), 0),
                    coalesce((SELECT max(message_id) FROM changes), 0),
                    coalesce((SELECT max(message_id) FROM removed), 0),
                    coalesce((SELECT value FROM marks WHERE name = 'message_id'), 0))
                """
            ).first { try Storage.checked($0.int(0), "message") } ?? 0
        hasBlocks = try connection.prepare("SELECT 1 FROM blocks LIMIT 1").first { _ in true } ?? false
        bots = TextSet(try connection.prepare("SELECT id FROM documents WHERE kind = 'bot'").all { $0.text(0) })
        // All databases in memory have one owner name, so that the next one can use the folder.
        try files.open(for: path == Storage.inMemory ? "memory" : documents.folderOwner())
    }

    /// The path of a database that ends with its server.
    public static let inMemory = ":memory:"

    /// The last number of a series, checked so that others can follow it.
    public static func checked(_ number: Int64, _ series: String) throws -> Int64 {
        guard (0...(1 << 62)).contains(number) else {
            throw StoreError.corrupt(message: "the last \(series) has the number \(number)")
        }
        return number
    }

    /// The number of the last change; changelog tokens are such numbers.
    public var lastSequence: Int64 { sequence }

    /// A number that no change had before. Rows with the highest numbers may be deleted, or be of a table that is not
    /// read when the server starts, but clients may have tokens with these numbers. So many numbers at once are stored
    /// as used before the first one is given out, and a server that starts goes on behind them.
    public func nextSequence() throws -> Int64 {
        if sequence >= reserved {
            let end = sequence + 1000
            try connection.prepare("INSERT OR REPLACE INTO marks (name, value) VALUES ('change', ?)").bind(end).run()
            reserved = end
        }
        sequence += 1
        return sequence
    }

    /// Stores the last message id, since the messages that have it are about to go, and an id must never be given
    /// twice.
    public func markMessageID() throws {
        try connection.prepare("INSERT OR REPLACE INTO marks (name, value) VALUES ('message_id', ?)")
            .bind(messageID).run()
    }

    public func nextMessageID() -> Int64 {
        messageID += 1
        return messageID
    }

    /// The next number of a series of ids; one is never given twice.
    public func nextNumber(_ series: String) throws -> Int64 {
        let last =
            try connection.prepare("SELECT value FROM marks WHERE name = ?")
            .bind(series).first { $0.int(0) } ?? 0
        let next = try Storage.checked(last, series) + 1
        try connection.prepare("INSERT OR REPLACE INTO marks (name, value) VALUES (?, ?)").bind(series).bind(next).run()
        return next
    }

    /// The latest time of anything stored: the clock must not fall behind it.
    public func lastTime() throws -> Int64 {
        try connection.prepare(
            """
            SELECT max(coalesce((SELECT max(last_message_at) FROM channels), 0),
                coalesce((SELECT max(change_at) FROM channels), 0),
                coalesce((SELECT max(at) FROM changes), 0))
            """
        ).first { $0.int(0) } ?? 0
    }

    /// Does `body` as a whole or not at all; inside another transaction it is a part of that. When it fails, what is
    /// kept in memory beside the file is set back, too.
    public func transaction<T>(_ body: () throws -> T) throws -> T {
        if connection.isInTransaction { return try body() }
        let before = (bots: bots, hasBlocks: hasBlocks, reserved: reserved)
        do {
            return try connection.atomically(body)
        } catch {
            memberCache = [:]
            totals.forget()
            (bots, hasBlocks, reserved) = before
            throw error
        }
    }

    /// All that see and hear what happens in a channel: its members, joined and invited.
    public func audience(_ channelID: Int64) throws -> [String] {
        if let known = memberCache[channelID] { return known }
        let members = try connection.prepare("SELECT user_id FROM members WHERE channel_id = ? AND state > 0")
            .bind(channelID).all { $0.text(0) }
        if memberCache.count >= 1000 { memberCache = [:] }
        memberCache[channelID] = members
        return members
    }

    public func forgetMembers(_ channelID: Int64) { memberCache[channelID] = nil }
}
