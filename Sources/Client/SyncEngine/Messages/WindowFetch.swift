import SyncModel

/// A page that a window waits for.
struct WindowFetch {
    /// `nil`: no call waits. The view shows nothing and fills itself: it was emptied, but not by its host, or the fetch
    /// of its host ended before the service could be asked.
    let call: CallID?
    var wanted: Int
    /// One of the two pages of a start, which completes when both have come.
    var isOfStart = false
    /// The fetch continues, page by page, until the newest message is shown.
    var isOfAll = false
    /// The fetch took the place of one without a call; if its host cancels it, that one continues.
    var isAlsoRefill = false

    /// Whether a view that still shows nothing fills itself after a fetch that ended in this way. A host that cancels
    /// its fetch does not want the page, unless the view was filling itself before.
    static func isStillWanted(after status: Status, _ short: Completion.ShortReason?, isAlsoRefill: Bool) -> Bool {
        switch status {
        case .canceled: isAlsoRefill
        case .storage: true
        default: short != nil && short != .reset
        }
    }
}

/// The page around a window's viewpoint: first from the cache, then as the service tells it.
struct WindowStart {
    let call: CallID
    /// No chunk covers the viewpoint: until the service answers, messages of another place are shown.
    let isStandIn: Bool
    /// The start took the place of fetches without a call; if its host cancels it, these continue.
    let isAlsoRefill: Bool
    /// The service has told the page.
    var isAnswered = false
    /// Why one of its pages is short.
    var short: Completion.ShortReason?
}
