import SyncModel
import SyncStore

/// Brings the newest messages of channels that no host looks at into the cache, after each login.
///
/// A channel is prefetched by a message window of its own, which shows nothing: so its changes and what was missed come
/// first, as for a collection, and then pages from the newest back until the cache has as many as are wanted.
///
/// The rules.
/// - It begins when it is known what happened to channels while away, and goes through the first channels of the usual
///   order (by last message), two at a time with one request each. No channel is begun while a host waits for a list,
///   while the service wants a pause, in the background, or when the cache is nearly full.
/// - A channel that a collection shows is left to that.
/// - A run that the end of a session interrupts goes on after the next login with the channels that it had not come to.
/// - A channel that makes no progress for a while is left out of the run.
final class Prefetch: Machine {
    /// Channels that are under way at the same time.
    private static let channelsAtOnce = 2
    /// Channels that are read in one step.
    private static let channelsPerStep = 200
    /// Without progress for so long (milliseconds) a channel is given up.
    private static let patience: Int64 = 60_000
    /// Of the bound of the cache: where making room stops. Going beyond would have what was brought evicted again.
    private static let mostPercent: Int64 = 90

    /// A channel under way.
    private struct Open {
        let id: CollectionID
        let url: ChannelURL
        /// Messages stored by its history, when that was last looked at, and since when it is so.
        var stored: Int64 = 0
        var since: Int64
    }

    private enum State {
        /// The session has not come so far.
        case due
        /// Channels in their order, as far as they have been read.
        case listing([ChannelURL], after: ChannelRecord?)
        case running
        case done
    }

    /// What the engine is to do with windows.
    enum Step {
        case open(CollectionID, ChannelURL)
        case close(CollectionID)
    }

    /// What a look depends on beside the turn.
    struct Surroundings {
        let timelines: Timelines
        /// What happened to channels while away is known.
        let isSettled: Bool
        let isInForeground: Bool
        /// A host waits for a list, or the service wants a pause.
        let isAwaited: Bool
    }

    private var state = State.due
    private var open: [Open] = []
    /// The next one stands last.
    private var waiting: [ChannelURL] = []
    private var finished: [ChannelURL] = []
    private var total = 0
    private var lastID: UInt64 = 0
    /// Sync could not go on at the last look: that time counts for no channel.
    private var isHeld = false
    private var gate = RetryGate()

    /// Whether there is anything to look at.
    func isWanted(_ options: EngineOptions) -> Bool {
        if case .done = state { return false }
        return options.prefetch != nil
    }

    /// The windows that are open, which are to be closed: those channels begin again.
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

    /// Behind every input: what to open and to close now.
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
            try cache.channels(query: ChannelQuery(), userID: userID, after: last, limit: count)
        }
        guard let more else {
            gate.fail(nil, at: turn.now.monotonic, turn.random)
            return turn.add(.timer(.prefetch, at: gate.pausedUntil))
        }
        gate.succeed()
        let all = found + more.map(\.url)
        if more.count == Prefetch.channelsPerStep, all.count < wanted.channels {
            state = .listing(all, after: more.last)
            // Other inputs have their turn between two steps.
            return turn.add(.timer(.prefetch, at: turn.now.monotonic))
        }
        begin(all)
    }

    /// Those that an interrupted run had not come to stand before those that it had.
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

    /// Whether more is to come of it.
    private func isUnderWay(_ index: Int, _ timeline: Timeline, _ turn: Turn) -> Bool {
        let now = turn.now.monotonic
        if timeline.history.stored != open[index].stored {
            open[index].stored = timeline.history.stored
            open[index].since = now
        }
        if now - open[index].since >= Prefetch.patience { return false }
        guard case .pages(let asked) = timeline.step, asked.isEmpty else { return true }
        // There is something to ask for: the newest, or older ones that are still wanted.
        let questions = MessageQuestions(
            id: timeline.id, history: timeline.history, windows: timeline.windows, context: turn.context)
        return questions.page(.previous, asked: []) != nil || questions.page(.next, asked: []) != nil
    }

    /// A channel of the run is done with.
    private func end(_ url: ChannelURL, _ timeline: Timeline?, _ turn: inout Turn) {
        finished.append(url)
        turn.tell(.syncProgress(SyncProgress(
            channelURL: url, done: timeline?.history.stored ?? 0, isComplete: timeline?.history.chunks.isWhole ?? false,
            prefetch: SyncProgress.Run(done: finished.count, total: total))))
    }

    /// When one of those under way is given up, unless it gets on.
    private func planLook(_ turn: inout Turn) {
        let due = open.map { $0.since.addingClamped(Prefetch.patience) }.min()
        turn.add(.timer(.prefetch, at: due))
    }
}
