import SyncModel
import SyncStore

/// The two stores, with the rule for their failures: the host is told once that something could not be stored, the sync
/// cursor stays where it was, and the work is done again later.
final class Storage {
    private let cache: CacheStore
    private let intents: IntentStore
    private var failure: StoreError?
    private var untold: StoreError?
    /// An error may come from damage of the full-text index alone. The index is then built again.
    private var isIndexDamaged = false

    init(cache: CacheStore, intents: IntentStore) {
        self.cache = cache
        self.intents = intents
    }

    /// Works on the cache; `nil` when it failed.
    func cached<T>(_ body: (CacheStore) throws(StoreError) -> T) -> T? {
        do throws(StoreError) {
            let result = try body(cache)
            failure = nil
            if let damage = cache.takeDamage() { note(damage) }
            return result
        } catch {
            note(error)
            return nil
        }
    }

    /// Works on the cache in one transaction: all of it is stored, or nothing, and then the result is `nil`.
    func committed<T>(_ body: (CacheStore) throws(StoreError) -> T) -> T? {
        cached { (cache) throws(StoreError) in try cache.transaction { () throws(StoreError) in try body(cache) } }
    }

    /// When to check again whether the log has been copied into the file, in monotonic milliseconds; `nil`: no copy is
    /// under way. Work that can be delayed is delayed until then, since otherwise the log would grow without limit.
    func logCopied(_ now: Moment) -> Int64? {
        cache.room.isCopyingLog ? now.monotonic.addingClamped(Storage.copyingPause) : nil
    }

    private static let copyingPause: Int64 = 3

    /// Bytes of the rows of all cached messages; `nil` until they have been counted.
    var cacheTotal: Int64? { cache.counts.total }

    /// Rows of messages that came to the cache since it was opened.
    var addedMessages: Int64 { cache.counts.added }

    /// A cached channel; `nil` also when it cannot be read.
    func channel(_ url: ChannelURL) -> ChannelRecord? {
        cached { (cache) throws(StoreError) in try cache.channels.channel(url) } ?? nil
    }

    /// The time before which this user may not see messages, as far as it was known of a channel that was forgotten; in
    /// milliseconds since the epoch.
    func formerMessageOffset(_ url: ChannelURL) -> Int64 {
        let former = cached { (cache) throws(StoreError) in try cache.channels.former(url) } ?? nil
        return former?.messageOffset ?? 0
    }

    /// A cached message of a channel or of one of its threads; `nil` also when it cannot be read.
    func message(_ id: MessageID, in channelURL: ChannelURL) -> MessageRecord? {
        cached { (cache) throws(StoreError) -> MessageRecord? in
            guard let key = try cache.channels.keyIfKnown(channelURL) else { return nil }
            return try cache.message(id: id, channel: key)
        } ?? nil
    }

    /// Forgets the cached messages of a channel and its threads. With `nil`: those of all channels, and also what
    /// databases have told. `false` when that could not be stored.
    func clearMessages(of channelURL: ChannelURL?) -> Bool {
        let done: Void? = committed { (cache) throws(StoreError) in
            guard let channelURL else {
                try cache.databaseValues.clear()
                return try cache.clearMessages(channel: nil, keepsEarly: true)
            }
            guard let key = try cache.channels.keyIfKnown(channelURL) else { return }
            try cache.clearMessages(channelAndThreads: key, keepsEarly: true)
        }
        return done != nil
    }

    /// Forgets all that is cached; the keys of channels with an open collection stay. `false` when that could not be
    /// stored.
    func forgetAll(open: [ChannelURL]) -> Bool {
        let done: Void? = cached { (cache) throws(StoreError) in try cache.forgetAll(open: open) }
        return done != nil
    }

    /// Removes deleted content from the logs of both files. Returns the failures, a line each.
    func emptyLogs() -> [String] {
        var failures: [String] = []
        func tried(_ body: () throws(StoreError) -> Void) {
            do throws(StoreError) {
                try body()
            } catch {
                note(error)
                failures.append(error.message)
            }
        }
        tried { () throws(StoreError) in try intents.emptyLog() }
        tried { () throws(StoreError) in try cache.emptyLog() }
        return failures
    }

    /// Called after the user has signed out and no collection is open any more: forgets the keys that were kept for
    /// open collections.
    func forgetEmptyKeys() {
        let done: Void? = cached { (cache) throws(StoreError) in try cache.forgetEmptyKeys() }
        if done != nil { _ = emptyLogs() }
    }

    /// Works on the intents; `nil` when it failed.
    func intended<T>(_ body: (IntentStore) throws(StoreError) -> T) -> T? {
        do throws(StoreError) {
            let result = try body(intents)
            failure = nil
            return result
        } catch {
            note(error)
            return nil
        }
    }

    /// Stores a value for the service's next session. Returns whether it is on the disk.
    func keep(_ value: String) -> Bool {
        let done: Void? = intended { (intents) throws(StoreError) in try intents.keep(value, as: Storage.service) }
        return done != nil
    }

    func kept() -> String? {
        intended { (intents) throws(StoreError) in try intents.kept(Storage.service) } ?? nil
    }

    private static let service = "service"

    /// Runs the body in one transaction over the intents and another one over the cache. The cache is committed first:
    /// a message has to be in the cache before its intent is removed. `false` when nothing of the intents is stored.
    func together(_ body: () -> Void) -> Bool {
        let done: Void? = intended { (intents) throws(StoreError) in
            try intents.transaction { () throws(StoreError) in
                var hasRun = false
                let cached: Void? = committed { (_) throws(StoreError) in
                    hasRun = true
                    body()
                }
                // A cache that cannot be written is no reason to lose intents.
                if cached == nil, !hasRun { body() }
            }
        }
        return done != nil
    }

    /// Removes damaged rows from the intents. Returns what was lost with them.
    func setAsideDamagedIntents() -> LostIntents {
        _ = intended { (intents) throws(StoreError) in try intents.setAsideDamaged() }
        return intents.takeLost()
    }

    /// Changes the encryption of both files. Returns the error if it failed.
    func encrypting(
        _ body: (CacheStore, IntentStore) throws(StoreError) -> Void
    ) -> (status: Status, message: String)? {
        do throws(StoreError) {
            try body(cache, intents)
            return nil
        } catch {
            let status: Status = if case .noEncryption = error { .noEncryption } else { .storage }
            return (status, error.message)
        }
    }

    /// Whether the files are encrypted.
    var encryption: StoreEncryption.State { StoreEncryption.state(of: cache) }

    /// The last failure of a file, in one line; for the result of a call that failed because of it.
    var failureMessage: String { failure?.message ?? "the data directory cannot be written" }

    /// A failure that the host has not been told of.
    func takeUntoldFailure() -> StoreError? {
        defer { untold = nil }
        return untold
    }

    /// Whether, since the last call, an operation failed in a way that a damaged full-text index explains.
    func takeIndexDamage() -> Bool {
        defer { isIndexDamaged = false }
        return isIndexDamaged
    }

    private func note(_ error: StoreError) {
        if SearchIndex.mayBeDamage(error) { isIndexDamaged = true }
        if failure == nil { untold = error }
        failure = error
    }
}
