import SyncModel
import SyncSQLite

/// The cached channels, and the numbers (keys) under which the messages of channels are stored.
public struct ChannelStore {
    private let cache: CacheStore
    private var connection: Connection { cache.connection }

    /// How many channels are kept in memory; others are read from the file. Few are enough: only channels in which
    /// something happens are looked up one by one, and one with a hundred members has 50 kB of JSON.
    private static let memoryLimit = 16

    init(_ cache: CacheStore) { self.cache = cache }

    private func remember(_ channel: ChannelRecord) {
        if cache.storedChannels.count >= ChannelStore.memoryLimit { cache.storedChannels = [:] }
        cache.storedChannels[channel.url] = channel
    }

    /// Stores channels by their URL; what was stored under it before is replaced.
    ///
    /// A received message changes its channel's JSON and its place in one order. SQLite writes every index whose
    /// columns a statement names, changed or not. So the statement names only the columns that changed: each page that
    /// is not written saves 4 kB for every message.
    public func upsert(_ channels: [ChannelRecord]) throws(StoreError) {
        guard !channels.isEmpty else { return }
        try cache.transaction { () throws(StoreError) in
            for channel in channels {
                try upsert(channel)
                // The channels of a long list are not looked up soon, so they are not kept in memory.
                if channels.count == 1 { remember(channel) } else { cache.storedChannels[channel.url] = nil }
            }
        }
    }

    private func upsert(_ channel: ChannelRecord) throws(StoreError) {
        let row = try connection.prepare("""
            SELECT key, name, created_at, has_last_message, latest_at, checksum, json FROM channel
            WHERE url = ? AND is_cached = 1
            """).bind(channel.url)
        defer { row.reset() }
        guard try row.next() else {
            let isNew = try keyIfKnown(channel.url) == nil
            try connection.prepare("""
                INSERT INTO channel (url, is_cached, name, created_at, has_last_message, latest_at, checksum, json)
                VALUES (?, 1, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (url) DO UPDATE SET is_cached = 1, name = excluded.name, created_at = excluded.created_at,
                    has_last_message = excluded.has_last_message, latest_at = excluded.latest_at,
                    checksum = excluded.checksum, json = excluded.json
                """)
                .bind(channel.url).bind(channel.name).bind(channel.createdAt).bind(channel.lastMessage != nil)
                .bind(channel.latestAt).run(withChecksum: channel.rowChecksum, text: channel.json)
            if isNew { _ = try newKey() }
            return
        }
        let key = row.int(0)
        let isNamedAlike = row.text(1).utf8.elementsEqual(channel.name.utf8) && row.int(2) == channel.createdAt
        let isLatestAlike = row.bool(3) == (channel.lastMessage != nil) && row.int(4) == channel.latestAt
        let checksum = channel.rowChecksum
        if isNamedAlike, isLatestAlike, row.int(5) == checksum, row.holds(channel.json, at: 6) { return }
        row.reset()
        let statement: Statement
        if !isNamedAlike {
            statement = try connection.prepare("""
                UPDATE channel SET name = ?, created_at = ?, has_last_message = ?, latest_at = ?, checksum = ?, json = ?
                WHERE key = ?
                """)
                .bind(channel.name).bind(channel.createdAt).bind(channel.lastMessage != nil).bind(channel.latestAt)
        } else if !isLatestAlike {
            statement = try connection.prepare("""
                UPDATE channel SET has_last_message = ?, latest_at = ?, checksum = ?, json = ? WHERE key = ?
                """).bind(channel.lastMessage != nil).bind(channel.latestAt)
        } else {
            statement = try connection.prepare("UPDATE channel SET checksum = ?, json = ? WHERE key = ?")
        }
        try statement.run(withChecksum: checksum, text: channel.json, key)
    }

    /// The channel at a URL as it was stored last; `nil` when it is not cached.
    public func channel(_ url: ChannelURL) throws(StoreError) -> ChannelRecord? {
        if let stored = cache.storedChannels[url] { return stored }
        let row = try connection.prepare("\(ChannelStore.select) WHERE url = ? AND is_cached = 1").bind(url)
        defer { row.reset() }
        guard try row.next() else { return nil }
        let channel = try channel(row)
        remember(channel)
        return channel
    }

    /// Removes a channel with its messages and all that is known of them. The key stays reserved for this channel.
    public func delete(_ url: ChannelURL) throws(StoreError) {
        try cache.transaction { () throws(StoreError) in
            cache.storedChannels[url] = nil
            guard let key = try keyIfKnown(url) else { return }
            try connection.prepare("""
                UPDATE channel SET is_cached = 0, name = '', has_last_message = 0, latest_at = 0, created_at = 0,
                    checksum = 0, json = ''
                WHERE key = ?
                """).bind(key).run()
            try cache.clearMessages(channelAndThreads: key)
        }
    }

    /// The URLs of all cached channels.
    public func urls() throws(StoreError) -> [ChannelURL] {
        let row = try connection.prepare("SELECT url FROM channel WHERE is_cached = 1 ORDER BY created_at DESC, url")
        defer { row.reset() }
        var urls: [ChannelURL] = []
        while try row.next() { urls.append(ChannelURL(row.text(0))) }
        return urls
    }

    /// Up to `limit` channels that match, in the order of a query, behind a channel or from the start. Walks an index
    /// from there; only the order by metadata, of which there is no index, looks at every channel.
    public func matching(
        query: ChannelQuery, userID: UserID, after: ChannelRecord?, limit: Int
    ) throws(StoreError) -> [ChannelRecord] {
        guard limit > 0 else { return [] }
        guard let walk = ChannelWalk(query.order, after: after) else {
            return try channelsByMetadata(query, userID: userID, after: after, limit: limit)
        }
        var result: [ChannelRecord] = []
        for sql in walk.statements {
            let statement = try connection.prepare(sql)
            if let after { walk.bind(after, to: statement) }
            defer { statement.reset() }
            while result.count < limit, try statement.next() {
                let channel = try channel(statement)
                if query.matches(channel, userID: userID) { result.append(channel) }
            }
            if result.count == limit { break }
        }
        return result
    }

    /// Whether the record of some cached channel is not enough to decide whether the channel matches a query. Reads
    /// every channel.
    public func holdsUnknown(_ query: ChannelQuery, userID: UserID) throws(StoreError) -> Bool {
        let row = try connection.prepare("\(ChannelStore.select) WHERE is_cached = 1")
        defer { row.reset() }
        while try row.next() {
            if query.membership(of: try channel(row), userID: userID) == .isUnknown { return true }
        }
        return false
    }

    private func channelsByMetadata(
        _ query: ChannelQuery, userID: UserID, after: ChannelRecord?, limit: Int
    ) throws(StoreError) -> [ChannelRecord] {
        let start = after.map { ChannelSortKey(query, $0) }
        let statement = try connection.prepare("\(ChannelStore.select) WHERE is_cached = 1")
        defer { statement.reset() }
        var best: [(key: ChannelSortKey, channel: ChannelRecord)] = []
        func cut() {
            best.sort { $0.key < $1.key }
            if best.count > limit { best.removeLast(best.count - limit) }
        }
        while try statement.next() {
            let channel = try channel(statement)
            let key = ChannelSortKey(query, channel)
            if let start, !(start < key) { continue }
            guard query.matches(channel, userID: userID) else { continue }
            best.append((key, channel))
            // Keeps few channels of a long list in memory, and sorts rarely.
            if best.count / 2 > limit &+ 50 { cut() }
        }
        cut()
        return best.map(\.channel)
    }

    static let select = """
        SELECT url, name, has_last_message, latest_at, created_at, json, checksum FROM channel
        """

    /// The channel of a row of `select`.
    private func channel(_ row: Statement) throws(StoreError) -> ChannelRecord {
        try row.check(0...5, checksum: 6)
        let json = row.bytes(5)
        guard let channel = ChannelRecord(json: json) else { throw connection.damage("a channel's row is no channel") }
        return channel
    }

    // MARK: Forgotten channels

    /// Forgets every channel, but not the messages. Each key stays, and `former` says to which channel the
    /// messages belonged.
    public func forget() throws(StoreError) {
        try cache.transaction { () throws(StoreError) in
            cache.storedChannels = [:]
            for channel in try withMessages() {
                try cache.setValue(ChannelStore.formerKey(channel.url), FormerChannel(channel).storedText)
            }
            try connection.prepare("""
                UPDATE channel SET is_cached = 0, name = '', has_last_message = 0, latest_at = 0, created_at = 0,
                    checksum = 0, json = ''
                WHERE is_cached = 1
                """).run()
        }
    }

    private func withMessages() throws(StoreError) -> [ChannelRecord] {
        let row = try connection.prepare("""
            SELECT json FROM channel WHERE is_cached = 1 AND (
                EXISTS (SELECT 1 FROM message WHERE message.channel = channel.key)
                OR EXISTS (SELECT 1 FROM chunk WHERE chunk.channel = channel.key)
                OR EXISTS (SELECT 1 FROM thread WHERE thread.channel = channel.key))
            """)
        defer { row.reset() }
        var channels: [ChannelRecord] = []
        // A damaged row has nothing to keep.
        while try row.next() {
            if let channel = ChannelRecord(json: Array(row.text(0).utf8)) { channels.append(channel) }
        }
        return channels
    }

    private static func formerKey(_ url: ChannelURL) -> String { "channel.former." + url.text }

    /// What is known of a channel whose messages may be cached under a URL, although the channel was forgotten or was
    /// not told yet; `nil`: nothing.
    public func former(_ url: ChannelURL) throws(StoreError) -> FormerChannel? {
        try cache.value(ChannelStore.formerKey(url)).flatMap(FormerChannel.init(storedText:))
    }

    /// Stores what `former` gives; `nil` removes it, when the channel is cached again.
    public func setFormer(_ url: ChannelURL, _ channel: FormerChannel?) throws(StoreError) {
        try cache.setValue(ChannelStore.formerKey(url), channel?.storedText)
    }

    // MARK: Keys

    /// The number under which a channel's messages are stored; made when there is none.
    public func key(_ url: ChannelURL) throws(StoreError) -> Int64 {
        if let key = try keyIfKnown(url) { return key }
        return try cache.transaction { () throws(StoreError) in
            try connection.prepare("INSERT INTO channel (url) VALUES (?)").bind(url).run()
            return try newKey()
        }
    }

    /// The key of the channel that was inserted last, with nothing stored under it.
    private func newKey() throws(StoreError) -> Int64 {
        let key = try cache.newKey()
        try connection.prepare("""
            UPDATE channel SET key_checksum = checksum_of_row(key, url),
                usage_checksum = checksum_of_row(key, messages, bytes, used_at)
            WHERE key = ?
            """).bind(key).run()
        try cache.clearRemains(key)
        let threads = try cache.threads.of(channel: key)
        guard !threads.isEmpty else { return key }
        for thread in threads { try cache.clearMessages(channel: thread.key) }
        try connection.prepare("DELETE FROM thread WHERE channel = ?").bind(key).run()
        return key
    }

    /// The number under which a channel's messages are stored; `nil` when none ever was.
    public func keyIfKnown(_ url: ChannelURL) throws(StoreError) -> Int64? {
        let row = try connection.prepare("SELECT key, url, key_checksum FROM channel WHERE url = ?").bind(url)
        defer { row.reset() }
        guard try row.next() else { return nil }
        try row.check(0...1, checksum: 2)
        return try row.int(0, in: CacheStore.keys)
    }
}

extension ChannelRecord {
    /// The time by which lists by latest message are sorted: that of the last message, or of the creation of an empty
    /// channel.
    var latestAt: Int64 { lastMessage?.position.order ?? createdAt }

    /// The checksum of all columns of the row except the key. The key has a checksum of its own, since it is looked up
    /// without the JSON.
    fileprivate var rowChecksum: Int64 {
        var checksum = RowChecksum()
        checksum.add(url)
        checksum.add(name)
        for number in [lastMessage == nil ? 0 : 1, latestAt, createdAt] { checksum.add(number) }
        checksum.add(json)
        return checksum.value
    }
}

extension CacheStore {
    public var channels: ChannelStore { ChannelStore(self) }
}
