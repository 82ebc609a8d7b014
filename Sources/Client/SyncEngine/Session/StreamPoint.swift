import SyncModel
import SyncStore

/// How far the stream of a service has been stored, for a service whose changes are in the stream: the stream goes on
/// from this point.
///
/// - What a batch tells and its point are stored together. So whenever the process ends, everything behind the stored
///   point is told again, and nothing before it is missing.
/// - When something of the stream could not be stored, no later point is stored either: after a pause the service is
///   told to go on from the last stored point. Until then batches are ignored, and pages wait: they would be ahead of
///   what is stored, and the repeated events would be taken for newer than the pages.
/// - When the stream does not go on from the point, messages may have come, gone or changed without an event. The
///   chunks in the file are forgotten together with the first batch, since until then a restart goes on from the old
///   point. Pages are asked for only when that batch is stored: no event would tell what was deleted, edited or taken
///   back between an earlier page and the point at the end of the batch.
///
/// A class, since an event of a batch may fail to be stored while the batch is being taken in, and says so by `lost`.
final class StreamPoint {
    private static let key = "service.resume"

    private(set) var state = StreamState.goesOn
    /// Something could not be stored, and the service was not yet told to go on from the stored point.
    private var isTorn = false
    private var gate = RetryGate()

    static func forget(_ cache: CacheStore) throws(StoreError) { try cache.setValue(key, nil) }

    /// `nil`: there is no point, or it cannot be read, so that nobody knows what happened since.
    private static func stored(_ storage: Storage) -> String? {
        storage.cached { (cache) throws(StoreError) in try cache.value(key) } ?? nil
    }

    // MARK: Session

    /// What the service gets at the start of a session.
    func begin(_ token: String, _ storage: Storage) -> SessionStart {
        isTorn = false
        return SessionStart(
            token: token, retentionTime: Retention.knownTime(storage), resume: StreamPoint.stored(storage),
            kept: storage.kept())
    }

    /// The stream does not go on from the point.
    func broke(_ timelines: Timelines, _ turn: inout Turn) {
        guard turn.capabilities.messageChanges == .inStream else { return }
        change(to: .broken, &turn)
        for timeline in timelines.sorted { timeline.streamBroke() }
    }

    private func change(to state: StreamState, _ turn: inout Turn) {
        self.state = state
        turn.context.stream = state
    }

    /// From where the service has to go on now; `nil`: nothing was lost, `.some(nil)`: go on as at a first login.
    func resume(_ storage: Storage) -> String?? {
        guard isTorn else { return nil }
        isTorn = false
        return .some(StreamPoint.stored(storage))
    }

    // MARK: The stream

    /// Stores what a batch tells, each event by `enter`, and its point. Returns whether both were stored. If not, the
    /// batch comes once more, and collections show what they showed before: the repeat may leave out messages that this
    /// batch had, or have others.
    func take(
        _ events: [ServiceEvent], _ point: String, _ timelines: Timelines, _ turn: inout Turn,
        _ enter: (ServiceEvent, inout Turn) -> Void
    ) -> Bool {
        if isTorn { return false }
        let stateBefore = state
        let before = timelines.sorted.map { (timeline: $0, history: $0.history, windows: $0.windows) }
        let done: Void? = turn.storage.committed { (cache) throws(StoreError) in
            if state == .broken {
                try cache.chunks.clear()
                // Nobody tells which of these relations were taken back meanwhile. Pages bring those that are left.
                try cache.relations.clear()
            }
            for event in events { enter(event, &turn) }
            try cache.setValue(StreamPoint.key, point)
        }
        guard done != nil else {
            // Memory goes back to what the file has.
            for (timeline, history, windows) in before { timeline.restore(history, windows) }
            lost(&turn)
            // Whoever waits for pages waits for this batch, and it failed.
            if stateBefore != .goesOn { for timeline in timelines.sorted { timeline.storeFailed(&turn) } }
            return false
        }
        gate.succeed()
        guard state != .goesOn else { return true }
        change(to: .goesOn, &turn)
        for timeline in timelines.sorted { timeline.resume(&turn) }
        return true
    }

    /// Something of the stream could not be stored.
    func lost(_ turn: inout Turn) {
        guard turn.capabilities.messageChanges == .inStream, !isTorn else { return }
        isTorn = true
        if state == .goesOn { change(to: .awaitsRepeat, &turn) }
        gate.fail(nil, at: turn.now.monotonic, turn.random)
        turn.add(.timer(.resume, at: gate.pausedUntil))
    }
}
