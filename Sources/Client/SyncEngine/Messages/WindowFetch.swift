import SyncModel

/// A page that a window waits for.
struct WindowFetch {
    /// `nil`: no call waits. The view was emptied, but not by its host, and fills itself again.
    let call: CallID?
    var wanted: Int
    /// One of the two pages of a start, which completes when both have come.
    var isOfStart = false
    /// The fetch continues, page by page, until the newest message is shown.
    var isOfAll = false
    /// The fetch took the place of one without a call; if it ends without rows, that one continues.
    var isAlsoRefill = false

    /// Whether a fetch without a call goes on waiting after a fetch that ended in this way.
    static func mayComeLater(_ status: Status, _ short: Completion.ShortReason?) -> Bool {
        status == .storage || status == .canceled || short != nil && short != .reset
    }
}

/// The page around a window's viewpoint: first from the cache, then as the service tells it.
struct WindowStart {
    let call: CallID
    /// No chunk covers the viewpoint: until the service answers, messages of another place are shown.
    let isStandIn: Bool
    /// The start took the place of fetches that refill an emptied view; if it ends without rows, these continue.
    let isAlsoRefill: Bool
    /// The service has told the page.
    var isAnswered = false
    /// Why one of its pages is short.
    var short: Completion.ShortReason?
}
