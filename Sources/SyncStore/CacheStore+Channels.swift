import SyncModel

extension CacheStore {
    public func upsert(_ channels: [ChannelRecord]) throws(StoreError) {
        try transaction { () throws(StoreError) in
            for channel in channels {
                try database.prepare("""
                    INSERT INTO channel (url, name, has_last_message, latest_at, created_at, json) VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (url) DO UPDATE SET name = excluded.name, has_last_message = excluded.has_last_message,
                        latest_at = excluded.latest_at, created_at = excluded.created_at, json = excluded.json
                    """)
                    .bind(channel.url).bind(channel.name).bind(channel.lastMessage != nil)
                    .bind(channel.lastMessage?.createdAt ?? channel.createdAt).bind(channel.createdAt).bind(channel.json)
                    .run()
            }
        }
    }

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

    /// How many channels are cached.
    public func channelCount() throws(StoreError) -> Int {
        let statement = try database.prepare("SELECT count(*) FROM channel")
        defer { statement.reset() }
        return try statement.next() ? Int(clamping: statement.int(0)) : 0
    }

    /// Up to `limit` channels that match, in the order of a query, behind a channel or from the start. The two orders by
    /// time walk an index; the two by text look at every channel and sort here, where the order of texts is defined.
    public func channels(
        query: ChannelQuery, userID: String, after: ChannelRecord?, limit: Int
    ) throws(StoreError) -> [ChannelRecord] {
        guard limit > 0 else { return [] }
        switch query.order {
        case .latestLastMessage, .chronological:
            let statement = try walk(query.order, after: after)
            defer { statement.reset() }
            var result: [ChannelRecord] = []
            while result.count < limit, try statement.next() {
                guard let channel = ChannelRecord(json: statement.bytes(0)) else { continue }
                if query.matches(channel, userID: userID) { result.append(channel) }
            }
            return result
        case .channelNameAlphabetical, .metadataValueAlphabetical:
            let statement = try database.prepare("SELECT json FROM channel")
            defer { statement.reset() }
            var result: [ChannelRecord] = []
            while try statement.next() {
                guard let channel = ChannelRecord(json: statement.bytes(0)) else { continue }
                if let after, !query.areInIncreasingOrder(after, channel) { continue }
                if query.matches(channel, userID: userID) { result.append(channel) }
            }
            result.sort { query.areInIncreasingOrder($0, $1) }
            return Array(result.prefix(limit))
        }
    }

    private func walk(_ order: ChannelQuery.Order, after: ChannelRecord?) throws(StoreError) -> Statement {
        if order == .chronological {
            guard let after else {
                return try database.prepare("SELECT json FROM channel ORDER BY created_at DESC, url")
            }
            return try database.prepare("""
                SELECT json FROM channel WHERE created_at <= ?1 AND (created_at < ?1 OR url > ?2)
                ORDER BY created_at DESC, url
                """).bind(after.createdAt).bind(after.url)
        }
        guard let after else {
            return try database.prepare("SELECT json FROM channel ORDER BY has_last_message DESC, latest_at DESC, url")
        }
        return try database.prepare("""
            SELECT json FROM channel WHERE has_last_message <= ?1 AND (has_last_message < ?1 OR latest_at < ?2
                OR (latest_at = ?2 AND url > ?3))
            ORDER BY has_last_message DESC, latest_at DESC, url
            """)
            .bind(after.lastMessage != nil).bind(after.lastMessage?.createdAt ?? after.createdAt).bind(after.url)
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
