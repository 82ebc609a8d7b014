/// The encryption of both stores of a user while they are open.
public enum StoreEncryption {
    /// How the files of a cache are.
    public enum State: Sendable { case inMemory, plain, encrypted }

    public static func state(of cache: CacheStore) -> State {
        if cache.place == .memory { return .inMemory }
        return cache.keys == nil ? .plain : .encrypted
    }

    /// From now on another key of the host opens the directory. `isFull`: both files get another data key too, and are
    /// written again; the log has all of each meanwhile.
    public static func change(
        to hostKey: HostKey, isFull: Bool, cache: CacheStore, intents: IntentStore
    ) throws(StoreError) {
        guard let keys = cache.keys else { return }
        try keys.change(to: hostKey, isFull: isFull)
        guard isFull else { return }
        for file in [cache.connection, intents.connection] {
            try file.setKey(keys.dataKey)
            // Until then the file itself has the older key, under the log.
            try file.emptyLog()
        }
        try keys.settle()
    }

    /// Encrypts a plain directory whose files are open, and goes on with them.
    public static func encrypt(_ hostKey: HostKey, cache: CacheStore, intents: IntentStore) throws(StoreError) {
        guard case .directory(let directory) = cache.place, cache.keys == nil else { return }
        let keys = try DirectoryKeys.prepared(directory, hostKey)
        // Copies have what the log has; afterwards nothing of it may be there, so nobody else may be reading it.
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
