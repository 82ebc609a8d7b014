import SyncModel

/// The state of the background sync of the user's channels.
struct ChannelSync {
    /// Every channel of the user has been cached once; the change log keeps it true from then on.
    var isComplete = false
    /// A page of the background sync is being asked for.
    var isListing = false
    /// The change log is being read.
    var isReadingChanges = false
    /// The change log has been read to its end in this session.
    var hasChanges = false
    var backoff = Backoff()
    /// Channels being asked for one by one, with why.
    var refreshing: [String: EventSource] = [:]
    /// Channels that were asked for again while an answer was under way.
    var refreshAgain: Set<String> = []
    /// Channels gone while requests were under way: a page that is older than the event must not bring them back.
    var gone: Set<String> = []
    /// Channels that events touched while requests were under way: they are newer than what a page says.
    var touched: Set<String> = []
    var inFlight = 0
    /// Channels that are asked for once more, because what a page said of them crossed an event: which of the two is
    /// newer cannot be told.
    var unsettled: Set<String> = []
    /// How far the change log has been read while some are unsettled. Stored when none is: whatever ends before that
    /// reads the log again.
    var readTo: ChangePoint?
    /// What the listing under way has named so far.
    var listed: Set<String>?
    /// Unsettled channels that a complete listing did not name.
    var unlisted: Set<String> = []

    var isBusy: Bool { isListing || isReadingChanges || !refreshing.isEmpty }

    mutating func leaveSession() {
        isListing = false
        isReadingChanges = false
        hasChanges = false
        refreshing = [:]
        refreshAgain = []
        gone = []
        touched = []
        inFlight = 0
        unsettled = []
        readTo = nil
        listed = nil
        unlisted = []
        backoff.reset()
    }
}
