import Glibc
import SyncModel
import SyncSQLite

extension CacheStore {
    /// Forgets every channel, but not the messages. Each key stays, and `formerChannel` says to which channel the
    /// messages belonged.
    public func forgetChannels() throws(StoreError) {
        try transaction { () throws(StoreError) in
            storedChannels = [:]
            for channel in try channelsWithMessages() {
                try setValue(CacheStore.formerKey(channel.url), FormerChannel(channel).storedText)
            }
            try connection.prepare("""
                UPDATE channel SET is_cached = 0, name = '', has_last_message = 0, latest_at = 0, created_at = 0,
                    checksum = 0, json = ''
                WHERE is_cached = 1
                """).run()
        }
    }

    private func channelsWithMessages() throws(StoreError) -> [ChannelRecord] {
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
    public func formerChannel(_ url: ChannelURL) throws(StoreError) -> FormerChannel? {
        try value(CacheStore.formerKey(url)).flatMap(FormerChannel.init(storedText:))
    }

    /// Stores what `formerChannel` gives; `nil` removes it, when the channel is cached again.
    public func setFormerChannel(_ url: ChannelURL, _ channel: FormerChannel?) throws(StoreError) {
        try setValue(CacheStore.formerKey(url), channel?.storedText)
    }

    /// Forgets everything. Channels that are open keep their key, and with it their URL. The forgotten data is still in
    /// the log and in files that were set aside, until `emptyLog`.
    public func forgetAll(open: [ChannelURL]) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try clearMessages(channel: nil)
            try forgetChannels()
            try clearDatabaseValues()
            var kept: [String] = []
            for url in open { if let key = try channelKeyIfKnown(url) { kept.append(String(key)) } }
            let list = kept.joined(separator: ",")
            try connection.execute("DELETE FROM thread WHERE channel NOT IN (\(list))")
            try connection.execute("DELETE FROM channel WHERE key NOT IN (\(list))")
            try notices.clear()
            // No number of an event is given twice, not even to the next host of this user.
            try connection.prepare("DELETE FROM meta WHERE key <> '\(NoticeStore.lastKey)'").run()
        }
    }

    /// Removes forgotten data from the log, and files that were set aside. `inUse` when another process reads the file.
    public func emptyLog() throws(StoreError) {
        try removeSetAside()
        try connection.emptyLog()
    }

    /// Forgets the keys of channels and threads under which nothing is stored. No collection may be using one.
    public func forgetEmptyKeys() throws(StoreError) {
        try transaction { () throws(StoreError) in
            // Messages of a thread are stored under its negative key.
            try connection.prepare("""
                DELETE FROM thread WHERE NOT EXISTS (SELECT 1 FROM message WHERE message.channel = -thread.key)
                    AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.channel = -thread.key)
                """).run()
            try connection.prepare("""
                DELETE FROM channel WHERE is_cached = 0
                    AND NOT EXISTS (SELECT 1 FROM message WHERE message.channel = channel.key)
                    AND NOT EXISTS (SELECT 1 FROM chunk WHERE chunk.channel = channel.key)
                    AND NOT EXISTS (SELECT 1 FROM relation WHERE relation.channel = channel.key)
                    AND NOT EXISTS (SELECT 1 FROM thread WHERE thread.channel = channel.key)
                """).run()
        }
    }

    /// Removes damaged files that were set aside, since they still hold what the cache held.
    private func removeSetAside() throws(StoreError) {
        guard case .directory(let directory) = place else { return }
        guard let folder = opendir(directory) else {
            throw .cannotOpen(path: directory, message: String(cString: strerror(errno)))
        }
        defer { closedir(folder) }
        while let entry = readdir(folder) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { field in
                field.withMemoryRebound(to: CChar.self, capacity: MemoryLayout.size(ofValue: field.pointee)) {
                    String(cString: $0)
                }
            }
            guard name.hasPrefix("cache.db.corrupt-") else { continue }
            let path = directory + "/" + name
            guard unlink(path) == 0 || errno == ENOENT else {
                throw .cannotOpen(path: path, message: String(cString: strerror(errno)))
            }
        }
    }
}
