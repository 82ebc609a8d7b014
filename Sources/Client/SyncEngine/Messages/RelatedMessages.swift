import SyncModel
import SyncStore

/// Folds relations into the messages that they are about.
///
/// A relation may come before its message, and may be taken back. So both are stored, and whichever comes last, the
/// message is stored with all known relations folded in: nothing needs to be folded when it is shown.
enum RelatedMessages {
    /// Messages to be stored in a history, with all known relations folded in.
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

    /// The cached messages that these changes are about, with the changes folded in; each once, from the channel's
    /// history, or from a thread's if only that has it.
    static func folded(
        _ changes: RelationChanges, in url: ChannelURL, _ rules: any ServiceRules, _ cache: CacheStore
    ) throws(StoreError) -> [MessageRecord] {
        guard let channel = try cache.channels.keyIfKnown(url) else { return [] }
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
        for thread in try cache.threads.sound(channel: channel) {
            if let message = try cache.message(id: id, channel: thread.key) { return message }
        }
        return nil
    }

    /// Stores the fact's relations, and removes those of deleted messages; called inside the caller's transaction.
    static func store(_ fact: MessageFact, _ cache: CacheStore) throws(StoreError) {
        // A channel without a key gets one, because messages may follow.
        if !fact.relations.added.isEmpty {
            let channel = try cache.channels.key(fact.channelURL)
            try cache.relations.upsert(fact.relations.added, channel: channel)
        }
        guard let channel = try cache.channels.keyIfKnown(fact.channelURL) else { return }
        for id in fact.relations.removed { _ = try cache.relations.delete(id: id, channel: channel) }
        guard case .deleted(let ids) = fact.kind else { return }
        for id in ids { try cache.relations.delete(of: id, channel: channel) }
    }
}
