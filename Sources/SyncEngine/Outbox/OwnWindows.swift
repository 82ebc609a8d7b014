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

    private var lists: [String: Lists] = [:]

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
        tellAll(collection, url, .cache, &effects)
    }

    mutating func close(_ collection: UInt64, _ url: String) {
        lists[url]?.collections.removeAll { $0 == collection }
        if lists[url]?.collections.isEmpty == true { lists[url] = nil }
    }

    /// Tells a collection that lost track both lists.
    func resync(_ collection: UInt64, _ url: String, _ effects: inout Effects) {
        tell(collection, .pending, WindowChange(.clear, []), .overflow, nil, &effects)
        tell(collection, .failed, WindowChange(.clear, []), .overflow, FailedReason.none, &effects)
        tellAll(collection, url, .overflow, &effects)
    }

    private func tellAll(_ collection: UInt64, _ url: String, _ source: EventSource, _ effects: inout Effects) {
        if let change = lists[url]?.pending.snapshot() { tell(collection, .pending, change, source, nil, &effects) }
        if let change = lists[url]?.failed.snapshot() {
            tell(collection, .failed, change, source, FailedReason.none, &effects)
        }
    }

    mutating func putPending(_ intent: Intent, _ source: EventSource, _ context: Context, _ effects: inout Effects) {
        let change = lists[intent.channelURL]?.pending.put(OwnRow(intent, context))
        tell(intent.channelURL, .pending, change, source, nil, &effects)
    }

    mutating func removePending(_ intent: Intent, _ source: EventSource, _ effects: inout Effects) {
        let change = lists[intent.channelURL]?.pending.remove(ids: [intent.requestID])
        tell(intent.channelURL, .pending, change, source, nil, &effects)
    }

    mutating func putFailed(_ intent: Intent, _ source: EventSource, _ context: Context, _ effects: inout Effects) {
        let change = lists[intent.channelURL]?.failed.put(OwnRow(intent, context))
        tell(intent.channelURL, .failed, change, source, FailedReason.none, &effects)
    }

    mutating func removeFailed(
        _ intent: Intent, _ reason: FailedReason, _ source: EventSource, _ effects: inout Effects
    ) {
        let change = lists[intent.channelURL]?.failed.remove(ids: [intent.requestID])
        tell(intent.channelURL, .failed, change, source, reason, &effects)
    }

    private func tell(
        _ url: String, _ list: CollectionChange.List, _ change: WindowChange?, _ source: EventSource,
        _ reason: FailedReason?, _ effects: inout Effects
    ) {
        guard let change else { return }
        for collection in lists[url]?.collections ?? [] { tell(collection, list, change, source, reason, &effects) }
    }

    private func tell(
        _ collection: UInt64, _ list: CollectionChange.List, _ change: WindowChange, _ source: EventSource,
        _ reason: FailedReason?, _ effects: inout Effects
    ) {
        effects.add(.event(.change(CollectionChange(
            collection: collection, list: list, action: change.action, source: source, reason: reason,
            items: change.items, info: nil))))
    }
}
