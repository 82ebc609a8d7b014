import SyncModel
import SyncStore

/// The lists of pending and failed messages of every message collection, filtered by the collection's filter.
///
/// A message that has failed once stays in the list of failed ones until it is sent or given up: while it is sent again
/// it has the status `pending` there, and another failure is an update. So no message is shown twice.
struct OwnWindows {
    private struct Own {
        let id: CollectionID
        let filter: MessageFilter
        var pending = Window<OwnRow>()
        var failed = Window<OwnRow>()
    }

    /// By channel, in the order in which they were opened.
    private var all: [ChannelURL: [Own]] = [:]

    /// What a collection shows.
    func shown(_ collection: CollectionID, _ url: ChannelURL) -> (pending: [OwnRow], failed: [OwnRow]) {
        let own = all[url]?.first { $0.id == collection }
        return (own?.pending.rows ?? [], own?.failed.rows ?? [])
    }

    mutating func open(
        _ collection: CollectionID, _ url: ChannelURL, _ filter: MessageFilter, _ intents: [Intent], _ turn: inout Turn
    ) {
        var own = Own(id: collection, filter: filter)
        let shown = intents.filter { OwnWindows.matches($0, filter, turn.context) }
        if !filter.ownMessagesOnFetch {
            _ = own.pending.insert(shown.filter { !$0.hasFailed }.map { OwnRow($0, turn.context) })
            _ = own.failed.insert(shown.filter(\.hasFailed).map { OwnRow($0, turn.context) })
        }
        all[url, default: []].append(own)
        tellAll(own, Cause(.cache), &turn)
    }

    mutating func close(_ collection: CollectionID, _ url: ChannelURL) {
        all[url]?.removeAll { $0.id == collection }
        if all[url]?.isEmpty == true { all[url] = nil }
    }

    /// Shows messages of a channel that belong to a list and are not in it yet. Returns how many.
    mutating func fetch(
        failed isOfFailed: Bool, _ collection: CollectionID, _ url: ChannelURL, _ intents: [Intent], _ turn: inout Turn
    ) -> Int {
        var count = 0
        forEach(url) { own in
            guard own.id == collection else { return }
            let list = isOfFailed ? \Own.failed : \Own.pending
            var rows: [OwnRow] = []
            for intent in intents where intent.hasFailed == isOfFailed
                && own[keyPath: list].index(ofID: intent.requestID) == nil
                && OwnWindows.matches(intent, own.filter, turn.context)
            {
                rows.append(OwnRow(intent, turn.context))
            }
            guard let change = own[keyPath: list].insert(rows) else { return }
            count = rows.count
            OwnWindows.tell(
                own, isOfFailed ? .failed : .pending, change, Cause(.cache), isOfFailed ? FailedReason.none : nil,
                &turn)
        }
        return count
    }

    /// Tells both lists again to a collection whose host lost events.
    func resync(_ collection: CollectionID, _ url: ChannelURL, _ turn: inout Turn) {
        guard let own = all[url]?.first(where: { $0.id == collection }) else { return }
        OwnWindows.tell(own, .pending, WindowChange(.clear, []), Cause(.overflow), nil, &turn)
        OwnWindows.tell(own, .failed, WindowChange(.clear, []), Cause(.overflow), FailedReason.none, &turn)
        tellAll(own, Cause(.overflow), &turn)
    }

    private func tellAll(_ own: Own, _ cause: Cause, _ turn: inout Turn) {
        if let change = own.pending.snapshot() { OwnWindows.tell(own, .pending, change, cause, nil, &turn) }
        if let change = own.failed.snapshot() {
            OwnWindows.tell(own, .failed, change, cause, FailedReason.none, &turn)
        }
    }

    /// A message is new or has changed. `reason`: why a message in the list of failed ones changed.
    mutating func put(
        _ intent: Intent, _ cause: Cause, reason: FailedReason = .none, _ turn: inout Turn
    ) {
        var made: OwnRow?
        forEach(intent.channelURL) { own in
            let row = made ?? OwnRow(intent, turn.context)
            made = row
            guard OwnWindows.matches(intent, own.filter, turn.context) else {
                OwnWindows.remove(intent, from: &own, .removeUnknown, cause, &turn)
                return
            }
            if intent.hasFailed {
                if let change = own.pending.remove(ids: [intent.requestID]) {
                    OwnWindows.tell(own, .pending, change, cause, nil, &turn)
                }
                if let change = own.failed.put(row) {
                    let told = change.action == .update ? reason : FailedReason.none
                    OwnWindows.tell(own, .failed, change, cause, told, &turn)
                }
            } else if let change = own.pending.put(row) {
                OwnWindows.tell(own, .pending, change, cause, nil, &turn)
            }
        }
    }

    /// `reason`: why the message leaves the list of failed ones, if it is there.
    mutating func remove(
        _ intent: Intent, _ reason: FailedReason, _ cause: Cause, _ turn: inout Turn
    ) {
        forEach(intent.channelURL) { OwnWindows.remove(intent, from: &$0, reason, cause, &turn) }
    }

    private static func remove(
        _ intent: Intent, from own: inout Own, _ reason: FailedReason, _ cause: Cause, _ turn: inout Turn
    ) {
        let ids: Set<RequestID> = [intent.requestID]
        if let change = own.pending.remove(ids: ids) { OwnWindows.tell(own, .pending, change, cause, nil, &turn) }
        if let change = own.failed.remove(ids: ids) { OwnWindows.tell(own, .failed, change, cause, reason, &turn) }
    }

    private mutating func forEach(_ url: ChannelURL, _ body: (inout Own) -> Void) {
        guard var owns = all.removeValue(forKey: url) else { return }
        for index in owns.indices { body(&owns[index]) }
        all[url] = owns
    }

    private static func matches(_ intent: Intent, _ filter: MessageFilter, _ context: Context) -> Bool {
        filter.matches(context.rules.record(of: OwnMessageContent(intent), userID: context.options.userID))
    }

    private static func tell(
        _ own: Own, _ list: CollectionChange.List, _ change: WindowChange, _ cause: Cause,
        _ reason: FailedReason?, _ turn: inout Turn
    ) {
        turn.tell(CollectionChange(
            collection: own.id, list: list, action: change.action, cause: cause, reason: reason,
            items: change.items, info: nil))
    }
}
