import SyncEngine
import SyncStore

/// The data of a client's user: the cache, the outbox, and the lock on their directory when they are files.
struct UserFiles {
    /// `nil` where nothing is on the disk.
    private let lock: DirectoryLock?
    let cache: CacheStore
    let intents: IntentStore

    /// `key`: of a directory that is encrypted, or is to be; in memory it has no effect.
    init(_ place: StorePlace, _ key: HostKey?, _ environment: any ClientEnvironment) throws(BorderError) {
        let keys: DirectoryKeys?
        // In virtual time programs are killed, but no power is cut, and to wait for the disk would take most of a test.
        let isDurable = environment.virtualTime == nil
        do throws(StoreError) {
            if case .directory(let directory) = place {
                lock = try DirectoryLock(directory: directory)
                keys = try DirectoryKeys.opened(directory, key)
            } else {
                (lock, keys) = (nil, nil)
            }
            cache = try CacheStore(place, now: environment.wall, keys, isDurable: isDurable)
        } catch {
            throw BorderError(error)
        }
        do throws(StoreError) {
            intents = try IntentStore(place, keys, isDurable: isDurable)
            try keys?.settle()
        } catch {
            if case .corrupt = error { throw BorderError(.corruptIntents, error.message) }
            throw BorderError(error)
        }
        // In virtual time nothing may depend on how far a thread has got.
        if environment.virtualTime == nil { cache.room.copyLog(by: LogCopier()) }
    }

    /// The events that tell the host what happened at the opening of the files.
    var notices: [HostOutput] {
        var notices: [HostOutput] = []
        if let file = cache.setAsideAs { notices.append(.event(.client(.cacheReset(file: file)))) }
        if intents.intentsLost {
            let message = "intents.db is gone: messages that were not sent yet are lost"
            notices.append(.event(.client(.storageError(message: message))))
        }
        return notices
    }

    func close() {
        cache.close()
        intents.close()
        lock?.release()
    }
}

extension BorderError {
    fileprivate init(_ error: StoreError) {
        switch error {
        case .locked: self.init(.locked, error.message)
        case .newerSchema: self.init(.newerSchema, error.message)
        case .wrongKey: self.init(.wrongKey, error.message)
        case .noEncryption: self.init(.noEncryption, error.message)
        default: self.init(.storage, error.message)
        }
    }
}
