import SyncModel
import SyncStore

/// A fact about messages going into the cache: into every history that it concerns, and into its channel.
struct MessageCommit {
    /// What a fact is to a channel or a thread that is shown.
    typealias Part = (timeline: Timeline, fact: MessageFact)

    /// What it did to each of those that are shown.
    let recorded: [RecordedFact]
    /// What it did to the channel, where that changed.
    let channels: ChannelCommit?

    /// Stores it, as a part of the transaction of who calls. `cached` is its channel before.
    init(
        _ fact: MessageFact, _ shown: [Part], _ outcome: ChannelFacts.Outcome, replacing cached: ChannelRecord?,
        _ timelines: Timelines, _ context: Context, _ cache: CacheStore
    ) throws(StoreError) {
        var recorded: [RecordedFact] = []
        for part in shown { recorded.append(try part.timeline.record(part.fact, context, cache)) }
        self.recorded = recorded
        try MessageCommit.storeUnshown(fact, timelines, context, cache)
        if let (key, value) = fact.progress { try cache.setValue(key, value) }
        guard case .changed(let channel) = outcome else {
            channels = nil
            return
        }
        channels = try ChannelCommit([channel], replacing: cached, cache) { timelines.of($0).map(\.history) }
    }

    /// What an own message is to the channel and the thread that nobody shows.
    private static func storeUnshown(
        _ fact: MessageFact, _ timelines: Timelines, _ context: Context, _ cache: CacheStore
    ) throws(StoreError) {
        guard case .arrived(let message, _) = fact.kind else { return }
        let ids = [HistoryID(fact.channelURL), HistoryID(fact.channelURL, parentID: message.parentID)]
        for id in Set(ids).sorted() where timelines[id] == nil {
            try History.storeIfCovered(fact, of: id, userID: context.options.userID, cache)
        }
    }
}
