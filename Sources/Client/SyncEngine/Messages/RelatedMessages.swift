import SyncModel
import SyncStore

/// What relations make of the messages that they are about.
///
/// A relation may come before its message, and be taken back. So both are stored, and whichever comes last, the message
/// is stored with all relations that are held in it: what is shown never folds anything.
enum RelatedMessages {
    /// Messages that go into a history, with all relations that are held.
    static func folded(
        _ messages: [MessageRecord], into history: History, _ rules: any ServiceRules, _ cache: CacheStore
    ) throws(StoreError) -> [MessageRecord] {
        guard history.hasRelations, let channel = try cache.counts.channel(ofKey: history.channelKey) else {
            return messages
        }
        var result = messages
        for index in result.indices {
            let relations = try cache.relations.relations(of: result[index].id, channel: channel)
            result[index].json = rules.folded(result[index].json, with: relations)
        }
        return result
    }

    /// The messages that are held and that changes are about, as they will be; each once, of the channel or of a
    /// thread that alone holds it.
    static func folded(
        _ changes: RelationChanges, in url: ChannelURL, _ rules: any ServiceRules, _ cache: CacheStore
    ) throws(StoreError) -> [MessageRecord] {
        guard let channel = try cache.channelKeyIfKnown(url) else { return [] }
        var targets = changes.added.map(\.target)
        for id in changes.removed + changes.added.map(\.id) {
            if let held = try cache.relations.relation(id: id, channel: channel) { targets.append(held.target) }
        }
        let gone = Set(changes.removed + changes.added.map(\.id))
        var seen: Set<MessageID> = []
        var messages: [MessageRecord] = []
        for target in targets where seen.insert(target).inserted {
            guard var message = try held(target, channel, cache) else { continue }
            var relations = try cache.relations.relations(of: target, channel: channel).filter { !gone.contains($0.id) }
            relations += changes.added.filter { $0.target == target }
            relations.sort { ($0.order, $0.id) < ($1.order, $1.id) }
            let json = rules.folded(message.json, with: relations.suffix(Relation.limit))
            guard json != message.json else { continue }
            message.json = json
            messages.append(message)
        }
        return messages
    }

    private static func held(
        _ id: MessageID, _ channel: Int64, _ cache: CacheStore
    ) throws(StoreError) -> MessageRecord? {
        if let message = try cache.message(id: id, channel: channel) { return message }
        for thread in try cache.soundThreads(channel: channel) {
            if let message = try cache.message(id: id, channel: thread.key) { return message }
        }
        return nil
    }

    /// Stores them, and removes those of messages that are gone, as a part of the transaction of who calls.
    static func store(_ fact: MessageFact, _ cache: CacheStore) throws(StoreError) {
        // A channel of which nothing is known yet gets a key: its messages may follow.
        if !fact.relations.added.isEmpty {
            let channel = try cache.channelKey(fact.channelURL)
            try cache.relations.upsert(fact.relations.added, channel: channel)
        }
        guard let channel = try cache.channelKeyIfKnown(fact.channelURL) else { return }
        for id in fact.relations.removed { _ = try cache.relations.delete(id: id, channel: channel) }
        guard case .deleted(let ids) = fact.kind else { return }
        for id in ids { try cache.relations.delete(of: id, channel: channel) }
    }
}
