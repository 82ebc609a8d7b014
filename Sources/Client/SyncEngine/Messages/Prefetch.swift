import SyncModel
import SyncStore

/// Brings the newest messages of channels that no host looks at into the cache, after each login.
///
/// A channel is prefetched by a message window of its own, which shows nothing. So, as for a collection, changes and
/// missed messages are asked for first, and then pages from the newest backwards until the cache has as many as wanted.
///
/// The rules.
/// - A run begins when it is known what happened to channels while the client was offline. It goes through the first
///   channels in the usual order (by last message), two at a time with one request each. No channel is begun while a
///   host waits for a list, while the service wants a pause, in the background, or when the cache is nearly full.
/// - A channel that a collection shows is not prefetched, since the collection loads it.
/// - When the end of a session interrupts a run, the next session begins with the channels that the run had not
///   finished.
/// - A channel that makes no progress for a while is left out of the run.
final class Prefetch: Machine {
    /// Channels that are under way at the same time.
    private static let channelsAtOnce = 2
    /// Channels that are read from the cache in one step.
    private static let channelsPerStep = 200
    /// A channel without progress for this time (milliseconds) is given up.
    private static let patience: Int64 = 60_000
    /// In percent of the cache limit: up to here, eviction makes room. Beyond it, prefetched messages would be evicted
    /// again.
    private static let mostPercent: Int64 = 90

    /// A channel under way.
    private struct Open {
        let id: CollectionID
        let url: ChannelURL
        /// How many messages its history had stored at the last look; `since`: from when on this number has been the
        /// same.
        var stored: Int64 = 0
        var since: Int64
    }

    private enum State {
        /// The run has not begun in this session.
        case due
        /// Reads the channels in their order; those read so far.
        case listing([ChannelURL], after: ChannelRecord?)
        case running
        case done
    }

    /// A window that the engine has to open or close.
    enum Step {
        case open(CollectionID, ChannelURL)
        case close(CollectionID)
    }

    /// What `look` needs to know beside the turn.
    struct Surroundings {
        let timelines: Timelines
        /// It is known what happened to channels while the client was offline.
        let isSettled: Bool
        let isInForeground: Bool
        /// A host waits for a list, or the service wants a pause.
        let isAwaited: Bool
    }

    private var state = State.due
    private var open: [Open] = []
    /// In reverse order: the next one is the last.
    private var waiting: [ChannelURL] = []
    private var finished: [ChannelURL] = []
    private var total = 0
    private var lastID: UInt64 = 0
    /// Sync could not go on at the last look; this time does not count as time without progress.
    private var isHeld = false
    private var gate = RetryGate()

    /// Whether a run is configured and not done.
    func isWanted(_ options: EngineOptions) -> Bool {
        if case .done = state { return false }
        return options.prefetch != nil
    }

    /// Takes the open windows, which the caller closes; their channels begin again.
    func takeOpen() -> [CollectionID] {
        defer { open = [] }
        waiting += open.map(\.url)
        return open.map(\.id)
    }

    func sessionEnded(_ turn: inout Turn) {
        if case .done = state { finished = [] }
        waiting = []
        state = .due
        gate = RetryGate()
        turn.add(.timer(.prefetch, at: nil))
    }

    /// Called after every input. Returns the windows to open and to close now.
    func look(_ around: Surroundings, _ turn: inout Turn) -> [Step] {
        guard let wanted = turn.options.prefetch else { return [] }
        guard around.isInForeground else { return takeOpen().map { .close($0) } }
        guard turn.canSync, around.isSettled, turn.context.stream == .goesOn else {
            isHeld = true
            return []
        }
        guard gate.isOpen(at: turn.now.monotonic) else { return [] }
        if isHeld { for index in open.indices { open[index].since = turn.now.monotonic } }
        isHeld = false
        var steps = closeFinished(around, &turn)
        guard !around.isAwaited, hasRoom(turn) else { return steps }
        switch state {
        case .due: list([], after: nil, wanted, &turn)
        case .listing(let found, let last): list(found, after: last, wanted, &turn)
        case .running, .done: break
        }
        guard case .running = state else { return steps }
        while open.count < Prefetch.channelsAtOnce, let url = waiting.popLast() {
            guard turn.storage.channel(url) != nil, around.timelines[HistoryID(url)] == nil else {
                end(url, nil, &turn)
                continue
            }
            lastID += 1
            let id = CollectionID.prefetch(lastID)
            open.append(Open(id: id, url: url, since: turn.now.monotonic))
            steps.append(.open(id, url))
        }
        if open.isEmpty, waiting.isEmpty { state = .done }
        planLook(&turn)
        return steps
    }

    private func hasRoom(_ turn: Turn) -> Bool {
        guard let limit = turn.options.cacheLimit else { return true }
        return turn.storage.cacheTotal.map { $0 < limit / 100 * Prefetch.mostPercent } ?? false
    }

    // MARK: The channels

    private func list(
        _ found: [ChannelURL], after last: ChannelRecord?, _ wanted: EngineOptions.Prefetching, _ turn: inout Turn
    ) {
        let userID = turn.options.userID
        let count = min(Prefetch.channelsPerStep, wanted.channels - found.count)
        let more = turn.storage.cached { (cache) throws(StoreError) in
            try cache.channels.matching(query: ChannelQuery(), userID: userID, after: last, limit: count)
        }
        guard let more else {
            gate.fail(nil, at: turn.now.monotonic, turn.random)
            return turn.add(.timer(.prefetch, at: gate.pausedUntil))
        }
        gate.succeed()
        let all = found + more.map(\.url)
        if more.count == Prefetch.channelsPerStep, all.count < wanted.channels {
            state = .listing(all, after: more.last)
            // Between two steps, other inputs have their turn.
            return turn.add(.timer(.prefetch, at: turn.now.monotonic))
        }
        begin(all)
    }

    /// Channels that an interrupted run had not finished come before those that it had.
    private func begin(_ all: [ChannelURL]) {
        let before = Set(finished)
        waiting = (all.filter { !before.contains($0) } + all.filter { before.contains($0) }).reversed()
        finished = []
        total = all.count
        state = .running
    }

    // MARK: Those under way

    private func closeFinished(_ around: Surroundings, _ turn: inout Turn) -> [Step] {
        var steps: [Step] = []
        for index in open.indices.reversed() {
            let timeline = around.timelines[HistoryID(open[index].url)]
            if let timeline, timeline.windows.isPrefetched, isUnderWay(index, timeline, turn) { continue }
            let ended = open.remove(at: index)
            steps.append(.close(ended.id))
            end(ended.url, timeline, &turn)
        }
        return steps
    }

    /// Whether the channel is still being prefetched.
    private func isUnderWay(_ index: Int, _ timeline: Timeline, _ turn: Turn) -> Bool {
        let now = turn.now.monotonic
        if timeline.history.stored != open[index].stored {
            open[index].stored = timeline.history.stored
            open[index].since = now
        }
        if now - open[index].since >= Prefetch.patience { return false }
        guard case .pages(let asked) = timeline.step, asked.isEmpty else { return true }
        // There is something to ask for: the newest messages, or older ones that are still wanted.
        let questions = MessageQuestions(
            id: timeline.id, history: timeline.history, windows: timeline.windows, context: turn.context)
        return questions.page(.previous, asked: []) != nil || questions.page(.next, asked: []) != nil
    }

    /// The run has finished a channel, or given it up.
    private func end(_ url: ChannelURL, _ timeline: Timeline?, _ turn: inout Turn) {
        finished.append(url)
        turn.tell(.syncProgress(SyncProgress(
            channelURL: url, done: timeline?.history.stored ?? 0, isComplete: timeline?.history.chunks.isWhole ?? false,
            prefetch: SyncProgress.Run(done: finished.count, total: total))))
    }

    /// Sets the timer to the time when the next channel is given up, if it makes no progress.
    private func planLook(_ turn: inout Turn) {
        let due = open.map { $0.since.addingClamped(Prefetch.patience) }.min()
        turn.add(.timer(.prefetch, at: due))
    }
}
