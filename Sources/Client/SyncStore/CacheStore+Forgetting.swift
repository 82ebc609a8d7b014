import Glibc
import SyncModel
import SyncSQLite

extension CacheStore {
    /// Forgets everything. Channels that are open keep their key, and with it their URL. The forgotten data is still in
    /// the log and in files that were set aside, until `emptyLog`.
    public func forgetAll(open: [ChannelURL]) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try clearMessages(channel: nil)
            try channels.forget()
            try databaseValues.clear()
            var kept: [String] = []
            for url in open { if let key = try channels.keyIfKnown(url) { kept.append(String(key)) } }
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
