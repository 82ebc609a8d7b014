import SyncModel
import SyncStore

/// What a fact did to one history in the cache; valid when its transaction is committed.
struct RecordedFact {
    private(set) var history: History
    private(set) var arrival: History.Arrival?
    /// The message that arrived, at its place.
    private(set) var arrived: MessageRecord?
    private(set) var changed: [MessageRecord] = []
    private(set) var deleted: Set<MessageID> = []

    /// Writes the fact; called inside the caller's transaction.
    init(
        _ fact: MessageFact, of history: History, _ rules: any ServiceRules, _ cache: CacheStore
    ) throws(StoreError) {
        self.history = history
        switch fact.kind {
        case .arrived(let told, let isInOrder):
            var message = try RelatedMessages.folded([told], into: history, rules, cache).last ?? told
            arrival = try self.history.arrive(&message, isInOrder: isInOrder, cache)
            arrived = message
        case .edited(let messages):
            let messages = try RelatedMessages.folded(messages, into: history, rules, cache)
            changed = try self.history.edit(messages, isInOrder: !fact.mayOvertake, rules, cache)
        case .patched(let id, let patch):
            if let message = try self.history.patch(id, patch, rules, cache) { changed = [message] }
        case .patchLog(let log):
            for (id, patch) in log {
                // The log is an answer, too: facts that came after it was made are newer.
                for patch in [patch] + self.history.crossings.patches(of: id) {
                    guard let message = try self.history.patch(id, patch, rules, cache) else { continue }
                    changed.removeAll { $0.id == id }
                    changed.append(message)
                }
            }
        case .deleted(let ids):
            // An answer that the message is not found may say that it is before this user's history.
            try self.history.remove(ids, isForGood: fact.answerTo == nil, cache)
            deleted = Set(ids)
        case .changelog(let updated, let ids):
            try self.history.remove(ids, isForGood: true, cache)
            // The log is an answer, too: facts that came after it was made are newer.
            let newest = self.history.crossings.applied(to: updated, rules)
            changed = try self.history.edit(newest, isInOrder: false, rules, cache)
            deleted = Set(ids)
        }
        deleted.formUnion(try self.history.remove(fact.hidden, isForGood: false, cache))
    }
}
