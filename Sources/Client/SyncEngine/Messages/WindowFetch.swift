import SyncModel

/// A page that a window waits for.
struct WindowFetch {
    /// `nil`: nobody waits for it. The view was emptied, not by its host, and fills itself again.
    let call: CallID?
    var wanted: Int
    /// One of the two pages of a start, which completes when both are there.
    var isOfStart = false
    /// Goes on, page by page, until the newest message is shown.
    var isOfAll = false
    /// It took the place of one that nobody waits for, and leaves it to that when it ends with nothing.
    var isAlsoRefill = false

    /// Whether what a fetch did not bring may come later, for what nobody waits for.
    static func mayComeLater(_ status: Status, _ short: Completion.ShortReason?) -> Bool {
        status == .storage || status == .canceled || short != nil && short != .reset
    }
}

/// The page around a window's viewpoint: from the cache at once, then as the service says it is.
struct WindowStart {
    let call: CallID
    /// Nothing was known about the viewpoint: what is shown until the service has told stands elsewhere.
    let isStandIn: Bool
    /// It took the place of fetches that fill an emptied view again, and leaves it to those when it ends with nothing.
    let isAlsoRefill: Bool
    /// The service has told the page.
    var isAnswered = false
    /// Why one of its pages is short.
    var short: Completion.ShortReason?
}
