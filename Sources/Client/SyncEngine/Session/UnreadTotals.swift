import SyncModel

/// The unread counts over all channels as the service said them last; the host is told when they change.
struct UnreadTotals {
    private var held: UnreadCounts?

    mutating func take(_ counts: UnreadCounts, _ turn: inout Turn) {
        if let held {
            guard counts.time >= held.time else { return }
            let isSame = counts.all == held.all && counts.byCustomType == held.byCustomType
            self.held = counts
            if isSame { return }
        }
        held = counts
        turn.tell(.unreadCounts(counts))
    }
}
