/// The encryption of both stores of a user while they are open.
public enum StoreEncryption {
    /// How a cache is stored.
    public enum State: Sendable { case inMemory, plain, encrypted }

    public static func state(of cache: CacheStore) -> State {
        if cache.place == .memory { return .inMemory }
        return cache.keys == nil ? .plain : .encrypted
    }

    /// From now on another key of the host opens the directory. `isFull`: both files get another data key too, and are
    /// written again; meanwhile the log of each holds the whole file.
    public static func change(
        to hostKey: HostKey, isFull: Bool, cache: CacheStore, intents: IntentStore
    ) throws(StoreError) {
        guard let keys = cache.keys else { return }
        try keys.change(to: hostKey, isFull: isFull)
        guard isFull else { return }
        for file in [cache.connection, intents.connection] {
            try file.setKey(keys.dataKey)
            // The new pages are in the log; until it is emptied into the file, the file itself has the older key.
            try file.emptyLog()
        }
        try keys.settle()
    }

    /// Encrypts a plain directory whose files are open, and goes on with them.
    public static func encrypt(_ hostKey: HostKey, cache: CacheStore, intents: IntentStore) throws(StoreError) {
        guard case .directory(let directory) = cache.place, cache.keys == nil else { return }
        let keys = try DirectoryKeys.prepared(directory, hostKey)
        // The logs are emptied into the files before these are copied. No plain log may stay behind, so no other
        // process may be reading.
        try cache.emptyLog()
        try intents.emptyLog()
        try cache.connection.whileShut { () throws(StoreError) in
            try intents.connection.whileShut { () throws(StoreError) in
                try keys.encryptPlain()
                return keys.dataKey
            }
            return keys.dataKey
        }
        cache.keys = keys
    }
}
