import SyncModel
import SyncStore

/// Writes a fact about messages to the cache: to every history that it concerns, and to its channel.
struct MessageCommit {
    /// The part of a fact that concerns a channel or a thread that is shown.
    typealias Part = (timeline: Timeline, fact: MessageFact)

    /// What the fact did to each history that is shown.
    let recorded: [RecordedFact]
    /// What the fact did to the channel, if that changed.
    let channels: ChannelCommit?

    /// Stores the fact; called inside the caller's transaction. `cached` is its channel before.
    init(
        _ fact: MessageFact, _ shown: [Part], _ outcome: ChannelFacts.Outcome, replacing cached: ChannelRecord?,
        _ timelines: Timelines, _ context: Context, _ cache: CacheStore
    ) throws(StoreError) {
        if context.capabilities.hasRelations { try RelatedMessages.store(fact, cache) }
        var recorded: [RecordedFact] = []
        for part in shown { recorded.append(try part.timeline.record(part.fact, context, cache)) }
        self.recorded = recorded
        try MessageCommit.storeUnshown(fact, timelines, context, cache)
        if let (key, value) = fact.progress { try cache.setValue(key, value) }
        guard case .changed(let channel) = outcome else {
            channels = nil
            return
        }
        channels = try ChannelCommit([channel], replacing: cached, context.capabilities, cache) {
            timelines.of($0).map(\.history)
        }
    }

    /// Stores the fact for a cached channel and its cached threads that nobody shows. Edits and deletions are applied
    /// there too, and an own message is stored if its place is in a chunk. Messages of others that arrive are stored
    /// only where the stream goes on over sessions: elsewhere the file does not know which message is the newest.
    private static func storeUnshown(
        _ fact: MessageFact, _ timelines: Timelines, _ context: Context, _ cache: CacheStore
    ) throws(StoreError) {
        switch fact.kind {
        case .arrived(let message, _):
            let isStored = context.capabilities.messageChanges == .inStream
            if !isStored, message.senderID != context.options.userID { return }
        // A log is the answer to a request of a single history.
        case .changelog, .patchLog: return
        case .edited, .patched, .deleted: break
        }
        guard let channel = try cache.channels.keyIfKnown(fact.channelURL) else { return }
        for (key, parentID) in try [(channel, "")] + cache.threads.sound(channel: channel) {
            let id = HistoryID(fact.channelURL, parentID: parentID)
            if timelines[id] != nil { continue }
            guard let whole = fact.concerning(id), let part = try held(whole, key, cache) else { continue }
            let history = History(
                channelKey: key, parentID: parentID, stored: try cache.chunks.of(channel: key), context.capabilities)
            let recorded = try RecordedFact(part, of: history, context.rules, cache)
            try PollCursor.note(recorded, part, of: history, context, cache)
        }
    }

    /// The part of a fact about messages that are cached; `nil`: none. A message that is not cached may be hidden from
    /// this user, which the channel did not tell yet. A row that is damaged in another history is no reason to fail
    /// here.
    private static func held(
        _ fact: MessageFact, _ key: Int64, _ cache: CacheStore
    ) throws(StoreError) -> MessageFact? {
        func held(_ ids: [MessageID]) throws(StoreError) -> [MessageID] {
            var held: [MessageID] = []
            for id in ids where try cache.message(id: id, channel: key) != nil { held.append(id) }
            return held
        }
        var result = fact
        switch fact.kind {
        case .arrived, .changelog, .patchLog: break
        case .edited(let messages):
            let ids = Set(try held(messages.map(\.id)))
            if ids.isEmpty, fact.hidden.isEmpty { return nil }
            result.kind = .edited(messages.filter { ids.contains($0.id) })
        case .patched(let id, _): if try held([id]).isEmpty { return nil }
        case .deleted(let ids):
            let ids = try held(ids)
            if ids.isEmpty { return nil }
            result.kind = .deleted(ids: ids)
        }
        return result
    }

    /// The stream skips messages of a channel: stores this for the channel and its threads that nobody shows. The
    /// missing replies may belong to any thread.
    static func storeHole(
        _ url: ChannelURL, older: String, _ page: MessagePage, _ timelines: Timelines, _ context: Context,
        _ cache: CacheStore
    ) throws(StoreError) {
        let channel = try cache.channels.key(url)
        if timelines[HistoryID(url)] == nil {
            var history = try CachedHistory.read(HistoryID(url), context.capabilities, cache)
            _ = try history.take(hole: older, page, context.rules, cache)
        }
        for thread in try cache.threads.sound(channel: channel) { try cache.chunks.closeOpenEnd(thread.key) }
    }
}
