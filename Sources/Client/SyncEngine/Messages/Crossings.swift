import SyncModel

/// Facts that crossed answers under way (pages of a channel, or the answer to an action): an answer is old when it
/// arrives, and facts that came meanwhile are newer.
struct Crossings {
    private var pagesUnderWay = 0
    private var deleted: Set<MessageID> = []
    private var edited: [MessageID: MessageRecord] = [:]
    private var arrived: Set<MessageID> = []
    /// Moved to where this user does not see them, and not moved back.
    private var hidden: Set<MessageID> = []
    private var unrelated: Set<MessageID> = []
    private var patches: [(id: MessageID, patch: MessagePatch)] = []

    mutating func pageAsked() { pagesUnderWay += 1 }

    /// One page less is under way. When none is left, no answer can be older than the facts, so they are forgotten.
    mutating func pageEnded() {
        pagesUnderWay = max(0, pagesUnderWay - 1)
        if pagesUnderWay == 0 { self = Crossings() }
    }

    mutating func note(_ fact: MessageFact) {
        guard pagesUnderWay > 0 else { return }
        unrelated.formUnion(fact.relations.removed)
        for message in fact.messages { hidden.remove(message.id) }
        hidden.formUnion(fact.hidden)
        switch fact.kind {
        case .arrived(let message, _):
            edited[message.id] = message
            arrived.insert(message.id)
        case .patched(let id, let patch): patches.append((id, patch))
        case .patchLog(let log): patches += log
        case .edited(let messages): for message in messages { edited[message.id] = message }
        case .deleted(let ids): deleted.formUnion(ids)
        case .changelog(let updated, let ids):
            for message in updated { edited[message.id] = message }
            deleted.formUnion(ids)
        }
    }

    /// The relations of a page as if the page were made now: without those that were taken back since.
    func applied(to relations: RelationChanges) -> RelationChanges {
        RelationChanges(
            added: relations.added.filter { !unrelated.contains($0.id) && !deleted.contains($0.target) },
            removed: relations.removed)
    }

    /// Whether the absence of a message from a page says nothing: the message is newer than the page, or was moved
    /// since. Where the client places messages, an edit moves none, so a page decides about its range.
    func isNewer(_ id: MessageID, isBySequence: Bool) -> Bool {
        isBySequence ? arrived.contains(id) : edited[id] != nil
    }

    /// The patches of a message that came meanwhile, in order.
    func patches(of id: MessageID) -> [MessagePatch] { patches.filter { $0.id == id }.map(\.patch) }

    /// The messages of a page as if the page were made now: without those deleted since, and with later changes.
    func applied(to messages: [MessageRecord], _ rules: any ServiceRules) -> [MessageRecord] {
        if deleted.isEmpty, edited.isEmpty, hidden.isEmpty, patches.isEmpty { return messages }
        return messages.compactMap { message in
            if deleted.contains(message.id) || hidden.contains(message.id) { return nil }
            var result = message
            if let newer = edited[message.id], newer.updatedAt >= message.updatedAt {
                result = newer
                result.json = rules.edited(newer.json, from: message.json)
            }
            for patch in patches(of: message.id) {
                if let json = rules.apply(patch, to: result.json) { result.json = json }
            }
            return result
        }
    }
}
