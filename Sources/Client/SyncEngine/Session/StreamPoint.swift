import SyncModel
import SyncStore

/// How far the stream of a service has been stored, where changes are in the stream: from there it goes on.
///
/// - What a batch tells and its point are stored together. So whenever the process ends, what the point leaves out is
///   told again, and nothing is missing before it.
/// - When something of the stream could not be stored, no later point is: after a pause the service is told to go on
///   from the last one stored. Until then batches are not looked at, and pages wait: they would be ahead of what is
///   stored, and the repeat would be taken for newer than they are.
/// - When the stream does not go on from the point, messages may have come, gone or changed of which nobody told. What
///   the file calls complete is forgotten together with the first batch, since until then a restart goes on from the
///   old point. Pages are asked for when that batch is stored: nobody would tell what was deleted, edited or taken back
///   between an earlier page and the point that the batch ends at.
///
/// An object, since what a batch tells may fail to be stored while the batch is taken in.
final class StreamPoint {
    private static let key = "service.resume"

    private(set) var state = StreamState.goesOn
    /// Something could not be stored, and the service does not know it yet.
    private var isTorn = false
    private var gate = RetryGate()

    static func forget(_ cache: CacheStore) throws(StoreError) { try cache.setValue(key, nil) }

    /// `nil`: there is none, or it cannot be read, and then nobody knows what came since.
    private static func stored(_ storage: Storage) -> String? {
        storage.cached { (cache) throws(StoreError) in try cache.value(key) } ?? nil
    }

    // MARK: Session

    /// What a session begins with.
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

    /// From where the service has to go on now, if something is lost; `.some(nil)`: as at a first login.
    func resume(_ storage: Storage) -> String?? {
        guard isTorn else { return nil }
        isTorn = false
        return .some(StreamPoint.stored(storage))
    }

    // MARK: The stream

    /// Stores what a batch tells, each event by `enter`, and its point. Whether it was stored; else it comes once more,
    /// and collections show what they showed: a repeat may leave out messages that this one had, or have others.
    func take(
        _ events: [ServiceEvent], _ point: String, _ timelines: Timelines, _ turn: inout Turn,
        _ enter: (ServiceEvent, inout Turn) -> Void
    ) -> Bool {
        if isTorn { return false }
        let stateBefore = state
        let before = timelines.sorted.map { (timeline: $0, history: $0.history, windows: $0.windows) }
        let done: Void? = turn.storage.committed { (cache) throws(StoreError) in
            if state == .broken {
                try cache.forgetChunks()
                // Which of them were taken back meanwhile nobody tells. Pages bring those that are left.
                try cache.relations.clear()
            }
            for event in events { enter(event, &turn) }
            try cache.setValue(StreamPoint.key, point)
        }
        guard done != nil else {
            // What is in memory knows no more than the file.
            for (timeline, history, windows) in before { timeline.restore(history, windows) }
            lost(&turn)
            // Who waits for pages waits for this batch.
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
