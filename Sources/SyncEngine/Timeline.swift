import SyncModel

/// What the engine knows of one channel's messages while a collection shows them.
///
/// The problem. Messages reach us by four roads: pages asked in two directions from the viewpoint, the socket, the
/// change log after a reconnect, and the answer to an own send. Pages are old the moment they arrive; the socket only
/// tells what happens now. The view must show each message once, in order, without holes.
///
/// The rules.
/// - Pages extend a chunk (see `ChunkList`); rows, deletions inside the range, and the range commit together.
/// - A socket message extends the chunk that has reached the newest. If none has, it waits in `strays`: when a page
///   reaches the newest in the same session, everything since that page was made has come by socket, so page and strays
///   together are complete.
/// - The answer to an own send comes by the socket, in order. What a host sent by its own means may be told before what
///   the socket still holds: such a message is shown, but the chunk is complete only up to `sureEnd`, and from there
///   the gap is asked for after a loss of the connection.
/// - What the socket deleted or changed while a page was under way is newer than the page: `deletedMeanwhile` keeps
///   such messages out, `editedMeanwhile` keeps the newer version, `patchesMeanwhile` are applied once more.
/// - A loss of the connection makes "newest" unknown. After the next login the change log brings edits and deletions,
///   the gap check brings what was missed, and only then do the background runs go on.
final class Timeline {
    enum Run { case idle, asking, waiting, done }
    /// The steps after a login, in their order.
    enum Step { case changes, gap, sync }

    let number: UInt64
    let channelURL: String
    let channelKey: Int64
    var views: [MessageView] = []
    var chunks = ChunkList()
    var step = Step.changes
    var isStepRunning = false
    var previousRun = Run.idle
    var nextRun = Run.idle
    var backoff = Backoff()
    var cached: Int64 = 0

    var strays: [MessageRecord] = []
    /// So many strays came that some were let go: newest must be asked for again.
    var hasLostStrays = false
    /// Messages that a host's own connection told of, and ours has not yet: older ones may still be on their way.
    var outOfOrder: Set<Int64> = []
    /// How far the chunk that has reached the newest is complete whatever happens to the connection: its end, but for
    /// messages out of order.
    var sureEnd: MessagePosition?

    var inFlight = 0
    var deletedMeanwhile: Set<Int64> = []
    var editedMeanwhile: [Int64: MessageRecord] = [:]
    var patchesMeanwhile: [(id: Int64, edit: ([UInt8]) -> [UInt8]?)] = []
    /// Raised when everything starts over, so that answers to older questions are dropped.
    var generation: UInt64 = 0

    init(number: UInt64, channelURL: String, channelKey: Int64) {
        self.number = number
        self.channelURL = channelURL
        self.channelKey = channelKey
    }

    var isBusy: Bool { isStepRunning || previousRun == .asking || nextRun == .asking }

    func beginRequest() { inFlight += 1 }

    /// One request less; when none is left, nothing can be older than what the socket said.
    func endRequest() {
        inFlight = max(0, inFlight - 1)
        if inFlight == 0 {
            deletedMeanwhile = []
            editedMeanwhile = [:]
            patchesMeanwhile = []
        }
    }

    /// What is under way is given up: its answers will be dropped, and every step may begin anew.
    func abandonRequests() {
        generation += 1
        isStepRunning = false
        previousRun = .idle
        nextRun = .idle
        inFlight = 0
        endRequest()
    }

    /// The chunk a view stands in: the one that covers its window, or its viewpoint, or else the nearest below.
    func home(of view: MessageView) -> Int? {
        guard let last = view.shown.last else {
            return chunks.index(covering: view.stand) ?? chunks.index(covering: view.anchor)
        }
        if let home = chunks.index(covering: last.position) { return home }
        // The last ones may be out of order, and outside since the connection was lost.
        for message in view.shown.reversed() {
            if let home = chunks.index(covering: message.position) { return home }
        }
        return nil
    }

    /// The session is over: nobody knows what is newest now, and nothing on its way arrives any more.
    func forgetNewest() {
        chunks.forgetNewest(sureEnd: sureEnd)
        sureEnd = nil
        outOfOrder = []
    }
}
