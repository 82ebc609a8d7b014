import Glibc

extension CacheStore {
    /// Forgets every channel, but not their messages: each keeps its key.
    public func forgetChannels() throws(StoreError) {
        try transaction { () throws(StoreError) in
            storedChannels = [:]
            try database.prepare("""
                UPDATE channel SET is_cached = 0, name = '', has_last_message = 0, latest_at = 0, created_at = 0,
                    checksum = 0, json = ''
                WHERE is_cached = 1
                """).run()
        }
    }

    /// Forgets everything. Channels that are open keep their key, and with it their URL.
    public func forgetAll(open: [String]) throws(StoreError) {
        try transaction { () throws(StoreError) in
            try clearMessages(channel: nil)
            try forgetChannels()
            var kept: [String] = []
            for url in open { if let key = try channelKeyIfKnown(url) { kept.append(String(key)) } }
            let list = kept.joined(separator: ",")
            try database.execute("DELETE FROM thread WHERE channel NOT IN (\(list))")
            try database.execute("DELETE FROM channel WHERE key NOT IN (\(list))")
            try database.prepare("DELETE FROM meta").run()
        }
        // The log still has what was deleted.
        try database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        try removeSetAside()
    }

    /// Damaged files that were set aside hold what the cache held.
    private func removeSetAside() throws(StoreError) {
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
