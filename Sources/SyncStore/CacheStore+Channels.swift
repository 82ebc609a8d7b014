import SyncModel

extension CacheStore {
    /// Stores channels by their URL; what was stored under it before is replaced.
    public func upsert(_ channels: [ChannelRecord]) throws(StoreError) {
        try transaction { () throws(StoreError) in
            let statement = try database.prepare("""
                INSERT INTO channel (url, name, has_last_message, latest_at, created_at, json)
                VALUES (?, ?, ?, ?, ?, ?)
                ON CONFLICT (url) DO UPDATE SET name = excluded.name, has_last_message = excluded.has_last_message,
                    latest_at = excluded.latest_at, created_at = excluded.created_at, json = excluded.json
                """)
            for channel in channels {
                try statement.bind(channel.url).bind(channel.name).bind(channel.lastMessage != nil)
                    .bind(channel.lastMessage?.createdAt ?? channel.createdAt).bind(channel.createdAt)
                    .bind(channel.json).run()
            }
        }
    }

    /// The channel at a URL as it was stored last; `nil` when it is not cached.
    public func channel(_ url: String) throws(StoreError) -> ChannelRecord? {
        let statement = try database.prepare("SELECT json FROM channel WHERE url = ?").bind(url)
        defer { statement.reset() }
        return try statement.next() ? ChannelRecord(json: statement.bytes(0)) : nil
    }

    /// Removes a channel with its messages and everything known about them.
    public func deleteChannel(_ url: String) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try database.prepare("DELETE FROM channel WHERE url = ?").bind(url).run()
            if let key = try existingChannelKey(url) { try clearMessages(channel: key) }
        }
    }

    /// The URLs of all cached channels.
    public func channelURLs() throws(StoreError) -> [String] {
        let statement = try database.prepare("SELECT url FROM channel")
        defer { statement.reset() }
        var urls: [String] = []
        while try statement.next() { urls.append(statement.text(0)) }
        return urls
    }

    /// How many channels are cached.
    public func channelCount() throws(StoreError) -> Int {
        let statement = try database.prepare("SELECT count(*) FROM channel")
        defer { statement.reset() }
        return try statement.next() ? Int(clamping: statement.int(0)) : 0
    }

    /// Up to `limit` channels that match, in the order of a query, behind a channel or from the start. Walks an index
    /// from there; only the order by metadata, of which there is no index, looks at every channel.
    public func channels(
        query: ChannelQuery, userID: String, after: ChannelRecord?, limit: Int
    ) throws(StoreError) -> [ChannelRecord] {
        guard limit > 0 else { return [] }
        guard let walk = ChannelWalk(query.order, after: after) else {
            return try channelsByMetadata(query, userID: userID, after: after, limit: limit)
        }
        var result: [ChannelRecord] = []
        for sql in walk.statements {
            let statement = try database.prepare(sql)
            if let after { walk.bind(after, to: statement) }
            defer { statement.reset() }
            while result.count < limit, try statement.next() {
                guard let channel = ChannelRecord(json: statement.bytes(0)) else { continue }
                if query.matches(channel, userID: userID) { result.append(channel) }
            }
            if result.count == limit { break }
        }
        return result
    }

    private func channelsByMetadata(
        _ query: ChannelQuery, userID: String, after: ChannelRecord?, limit: Int
    ) throws(StoreError) -> [ChannelRecord] {
        let start = after.map { ChannelSortKey(query, $0) }
        let statement = try database.prepare("SELECT json FROM channel")
        defer { statement.reset() }
        var best: [(key: ChannelSortKey, channel: ChannelRecord)] = []
        func cut() {
            best.sort { $0.key < $1.key }
            if best.count > limit { best.removeLast(best.count - limit) }
        }
        while try statement.next() {
            guard let channel = ChannelRecord(json: statement.bytes(0)) else { continue }
            let key = ChannelSortKey(query, channel)
            if let start, !(start < key) { continue }
            guard query.matches(channel, userID: userID) else { continue }
            best.append((key, channel))
            // Holds no more than it needs of a long list, and sorts rarely.
            if best.count / 2 > limit &+ 50 { cut() }
        }
        cut()
        return best.map(\.channel)
    }

    // MARK: Keys

    /// The short number under which a channel's messages are filed; made when there is none.
    public func channelKey(_ url: String) throws(StoreError) -> Int64 {
        if let key = try existingChannelKey(url) { return key }
        try database.prepare("INSERT INTO channel_key (url) VALUES (?)").bind(url).run()
        let key = database.lastInsertID
        channelKeys[url] = key
        return key
    }

    private func existingChannelKey(_ url: String) throws(StoreError) -> Int64? {
        if let key = channelKeys[url] { return key }
        let statement = try database.prepare("SELECT key FROM channel_key WHERE url = ?").bind(url)
        defer { statement.reset() }
        guard try statement.next() else { return nil }
        let key = statement.int(0)
        channelKeys[url] = key
        return key
    }
}
