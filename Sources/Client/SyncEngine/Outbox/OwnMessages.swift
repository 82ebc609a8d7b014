import SyncModel
import SyncStore

/// The own messages that the service does not have yet, by channel; in memory and on disk.
///
/// A settled message is removed from memory at once, and from the disk at the next occasion: before that, the sent
/// message has to be in the cache.
struct OwnMessages {
    private var channels: [ChannelURL: OutboxChannel] = [:]
    /// The channel and the number of every message, by request id.
    private var places: [RequestID: (channelURL: ChannelURL, number: Int64)] = [:]
    /// Only for messages with files that the library sends.
    private(set) var files: [RequestID: FileState] = [:]
    /// Channels in which a message with files changed or was removed, so that the next messages may be sent.
    private(set) var changed: Set<ChannelURL> = []
    /// Messages that are settled and may still be on disk.
    private(set) var settled: [Intent] = []

    /// A channel that has own messages here, or of which one is being sent.
    subscript(url: ChannelURL) -> OutboxChannel? {
        get { channels[url] }
        set { channels[url] = newValue }
    }

    /// In a fixed order, so that a run repeats.
    var channelURLs: [ChannelURL] { channels.keys.sorted() }

    var all: [Intent] { channelURLs.flatMap { channels[$0]?.intents ?? [] } }

    var isSending: Bool { channels.values.contains { $0.isSending } }

    var hasSettled: Bool { !settled.isEmpty }

    func channelURL(of requestID: RequestID) -> ChannelURL? { places[requestID]?.channelURL }

    func intent(_ requestID: RequestID) -> Intent? {
        places[requestID].flatMap { channels[$0.channelURL]?.intent($0.number) }
    }

    /// The failed messages of a channel or of all channels, or a single one.
    func failed(in url: ChannelURL?, _ requestID: RequestID?) -> [Intent] {
        all.filter { intent in
            intent.status == .failed && (url.map { intent.channelURL == $0 } ?? true)
                && (requestID.map { intent.requestID == $0 } ?? true)
        }
    }

    /// The oldest failed messages of a channel, as many as exceed the limit.
    func tooMany(_ url: ChannelURL, _ context: Context) -> [Intent] {
        let failed = (channels[url]?.intents ?? []).filter { $0.status == .failed }
        return Array(failed.prefix(max(0, failed.count - context.options.maxFailedPerChannel)))
    }

    // MARK: Memory

    mutating func put(_ intent: Intent) {
        places[intent.requestID] = (intent.channelURL, intent.id)
        set(FileState(intent), of: intent)
        channels[intent.channelURL, default: OutboxChannel()].put(intent)
    }

    mutating func remove(_ intent: Intent) {
        places[intent.requestID] = nil
        set(nil, of: intent)
        channels[intent.channelURL]?.remove(intent.id)
        dropIfEmpty(intent.channelURL)
    }

    private mutating func set(_ state: FileState?, of intent: Intent) {
        let before = files[intent.requestID]
        guard before != nil || state != nil else { return }
        files[intent.requestID] = state
        changed.insert(intent.channelURL)
    }

    mutating func takeChanged() -> [ChannelURL] {
        defer { changed = [] }
        return changed.sorted()
    }

    /// The message is settled: it is removed from the disk at the next occasion.
    mutating func settle(_ intent: Intent) {
        remove(intent)
        settled.append(intent)
    }

    mutating func dropIfEmpty(_ url: ChannelURL) {
        if let channel = channels[url], channel.intents.isEmpty, !channel.isSending { channels[url] = nil }
    }

    // MARK: Disk

    func persist(_ intent: Intent, _ context: Context) -> Bool {
        context.storage.intended { (intents) throws(StoreError) in
            try intents.update(intent)
            return true
        } ?? false
    }

    /// Removes a message from the disk, and then from memory; `false` when it stays on disk, from where it would be
    /// sent after the next start.
    mutating func forget(_ intent: Intent, _ context: Context) -> Bool {
        let done: Void? = context.storage.intended { (intents) throws(StoreError) in
            try intents.remove(requestID: intent.requestID)
        }
        guard done != nil else { return false }
        remove(intent)
        return true
    }

    /// Removes all messages, including settled ones. Returns those that were in memory; `nil` when they stay on disk.
    mutating func forgetAll(_ context: Context) -> [Intent]? {
        let done: Void? = context.storage.intended { (intents) throws(StoreError) in try intents.removeAll() }
        guard done != nil else { return nil }
        let intents = all
        places = [:]
        files = [:]
        changed = []
        for url in channels.keys { channels[url]?.removeAll() }
        channels = channels.filter { $0.value.isSending }
        settled = []
        return intents
    }

    /// The message was settled before it was loaded: it is only on disk.
    mutating func settle(stored intent: Intent) { settled.append(intent) }

    /// Removes settled intents from the disk: after their message is in the cache, at the next input, and at closing.
    mutating func clearSettled(_ context: Context) {
        guard hasSettled else { return }
        settled.removeAll { intent in
            context.storage.intended { (intents) throws(StoreError) in
                try intents.remove(requestID: intent.requestID)
                return true
            } ?? false
        }
    }
}
