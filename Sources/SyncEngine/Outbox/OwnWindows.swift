import SyncModel
import SyncStore

/// The lists of pending and failed messages of every message collection.
///
/// All collections of a channel show the same own messages, so each list is kept once per channel.
struct OwnWindows {
    private struct Lists {
        var pending = Window<OwnRow>()
        var failed = Window<OwnRow>()
        /// In the order they were opened.
        var collections: [UInt64] = []
    }

    private var lists: [TextKey: Lists] = [:]

    /// What a channel's collections show, for the simulator's checks.
    func shown(_ url: String) -> (pending: [OwnRow], failed: [OwnRow]) {
        (lists[url]?.pending.rows ?? [], lists[url]?.failed.rows ?? [])
    }

    mutating func open(
        _ collection: UInt64, _ url: String, _ intents: [Intent], _ context: Context, _ effects: inout Effects
    ) {
        if lists[url] == nil {
            var new = Lists()
            _ = new.pending.insert(intents.filter { $0.status == .pending }.map { OwnRow($0, context) })
            _ = new.failed.insert(intents.filter { $0.status == .failed }.map { OwnRow($0, context) })
            lists[url] = new
        }
        lists[url]?.collections.append(collection)
        tellAll(collection, url, Cause(.cache), &effects)
    }

    mutating func close(_ collection: UInt64, _ url: String) {
        lists[url]?.collections.removeAll { $0 == collection }
        if lists[url]?.collections.isEmpty == true { lists[url] = nil }
    }

    /// Tells a collection that lost track both lists.
    func resync(_ collection: UInt64, _ url: String, _ effects: inout Effects) {
        tell(collection, .pending, WindowChange(.clear, []), Cause(.overflow), nil, &effects)
        tell(collection, .failed, WindowChange(.clear, []), Cause(.overflow), FailedReason.none, &effects)
        tellAll(collection, url, Cause(.overflow), &effects)
    }

    private func tellAll(_ collection: UInt64, _ url: String, _ cause: Cause, _ effects: inout Effects) {
        if let change = lists[url]?.pending.snapshot() { tell(collection, .pending, change, cause, nil, &effects) }
        if let change = lists[url]?.failed.snapshot() {
            tell(collection, .failed, change, cause, FailedReason.none, &effects)
        }
    }

    mutating func putPending(_ intent: Intent, _ cause: Cause, _ context: Context, _ effects: inout Effects) {
        let change = lists[intent.channelURL]?.pending.put(OwnRow(intent, context))
        tell(intent.channelURL, .pending, change, cause, nil, &effects)
    }

    mutating func removePending(_ intent: Intent, _ cause: Cause, _ effects: inout Effects) {
        let change = lists[intent.channelURL]?.pending.remove(ids: [TextKey(intent.requestID)])
        tell(intent.channelURL, .pending, change, cause, nil, &effects)
    }

    mutating func putFailed(_ intent: Intent, _ cause: Cause, _ context: Context, _ effects: inout Effects) {
        let change = lists[intent.channelURL]?.failed.put(OwnRow(intent, context))
        tell(intent.channelURL, .failed, change, cause, FailedReason.none, &effects)
    }

    mutating func removeFailed(
        _ intent: Intent, _ reason: FailedReason, _ cause: Cause, _ effects: inout Effects
    ) {
        let change = lists[intent.channelURL]?.failed.remove(ids: [TextKey(intent.requestID)])
        tell(intent.channelURL, .failed, change, cause, reason, &effects)
    }

    private func tell(
        _ url: String, _ list: CollectionChange.List, _ change: WindowChange?, _ cause: Cause,
        _ reason: FailedReason?, _ effects: inout Effects
    ) {
        guard let change else { return }
        for collection in lists[url]?.collections ?? [] { tell(collection, list, change, cause, reason, &effects) }
    }

    private func tell(
        _ collection: UInt64, _ list: CollectionChange.List, _ change: WindowChange, _ cause: Cause,
        _ reason: FailedReason?, _ effects: inout Effects
    ) {
        effects.add(.event(.change(CollectionChange(
            collection: collection, list: list, action: change.action, cause: cause, reason: reason,
            items: change.items, info: nil))))
    }
}
