import ServerBase
import SyncBytes
import SyncSQLite

/// Everything the server remembers, in SQLite. Rules live in `Chat`; here is only what is written and read how.
public final class Storage {
    public let connection: Connection
    /// Of what keys, tokens and ids are made.
    public let random: RandomSource
    public let files: FileTable
    /// Members of recently used channels, for broadcasts. Dropped when a channel's members change.
    private var memberCache: [Int64: [String]] = [:]
    /// Told of every change of what counts as unread.
    public let totals: UnreadTotals
    private var sequence: Int64 = 0
    /// Change numbers up to this one are written down as given away.
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
        try connection.migrate(Schema.steps)
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
        // What ends with its server leaves its files to the next one.
        try files.open(for: path == Storage.inMemory ? "memory" : folderOwner())
    }

    /// The path of a database that ends with its server.
    public static let inMemory = ":memory:"

    /// The last number of a series, behind which others can come.
    public static func checked(_ number: Int64, _ series: String) throws -> Int64 {
        guard (0...(1 << 62)).contains(number) else {
            throw StoreError.corrupt(message: "the last \(series) has the number \(number)")
        }
        return number
    }

    /// The number of the last change; changelog tokens are such numbers.
    public var lastSequence: Int64 { sequence }

    /// A number that no change had before. The rows that have the highest numbers may go, or be none that are looked
    /// at when the server starts; tokens with these numbers are out all the same. So numbers are written down before
    /// they are given away, many at once, and a server that starts goes on behind them.
    public func nextSequence() throws -> Int64 {
        if sequence >= reserved {
            let end = sequence + 1000
            try connection.prepare("INSERT OR REPLACE INTO marks (name, value) VALUES ('change', ?)").bind(end).run()
            reserved = end
        }
        sequence += 1
        return sequence
    }

    /// Writes the last message id down: the messages that know it are about to go, and an id never comes again.
    public func markMessageID() throws {
        try connection.prepare("INSERT OR REPLACE INTO marks (name, value) VALUES ('message_id', ?)")
            .bind(messageID).run()
    }

    public func nextMessageID() -> Int64 {
        messageID += 1
        return messageID
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

    /// Does `body` as a whole or not at all; within another one it is part of that. What is remembered beside the file
    /// goes back with it.
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
