import SyncModel

/// The message collections of one channel or of one thread: passes inputs to all of them, or to the one that is meant.
struct MessageWindows {
    /// In the order they were opened.
    private(set) var all: [MessageWindow] = []

    var isEmpty: Bool { all.isEmpty }
    var wantsNewest: Bool { all.contains { $0.wantsNewest } }
    var isFollowing: Bool { all.contains { $0.isFollowing } }
    /// The channel is prefetched, and no collection of a host shows it.
    var isPrefetched: Bool { !all.isEmpty && all.allSatisfy { $0.most != nil && !$0.isChannelGone } }
    /// A host waits for a fetch or for a start.
    var isAwaited: Bool { starting != nil || all.contains { !$0.fetches.isEmpty } }

    /// A window that starts and waits for the service's page around its viewpoint.
    var starting: MessageWindow? { all.first { $0.start?.isAnswered == false } }

    subscript(id: CollectionID) -> MessageWindow? { all.first { $0.id == id } }

    private func place(_ id: CollectionID) -> Int? { all.firstIndex { $0.id == id } }

    // MARK: Opening and closing

    mutating func open(_ window: MessageWindow) { all.append(window) }

    mutating func close(_ id: CollectionID, _ turn: inout Turn) {
        guard let index = place(id) else { return }
        all[index].finishFetches(.removed, &turn)
        all.remove(at: index)
    }

    mutating func resetViewpoint(_ id: CollectionID, _ viewpoint: Int64, _ turn: inout Turn) {
        guard let index = place(id) else { return }
        all[index].clear(to: viewpoint, Cause(.viewpointReset), refills: false, &turn)
    }

    /// The cached messages are gone: every window is emptied. `refills`: windows that showed messages load a page again
    /// by themselves, because no host asked for this.
    mutating func clear(_ cause: Cause, refills: Bool, _ turn: inout Turn) {
        for index in all.indices { all[index].clear(to: all[index].viewpoint, cause, refills: refills, &turn) }
    }

    /// This user is not in the channel any more.
    mutating func channelGone(_ url: ChannelURL, _ cause: Cause, _ turn: inout Turn) {
        for index in all.indices { all[index].channelGone(url, cause, &turn) }
    }

    /// Sets the channel as hosts see it, for later events of the collections. Returns whether the channel is back.
    @discardableResult
    mutating func setChannel(_ json: [UInt8]?) -> Bool {
        var isBack = false
        for index in all.indices where all[index].setChannel(json) { isBack = true }
        return isBack
    }

    /// Sets how many messages a fetch brings from now on. Returns the collection's new state.
    mutating func setLimit(_ id: CollectionID, _ limit: Int) -> CollectionInfo? {
        guard let index = place(id) else { return nil }
        all[index].setLimit(limit)
        return all[index].info
    }

    func resync(_ id: CollectionID, dropped: Int, _ turn: inout Turn) { self[id]?.resync(dropped: dropped, &turn) }

    // MARK: Fetching and starting

    /// Begins a fetch; `isOfAll`: of everything newer. Returns whether it still waits for sync.
    mutating func fetch(
        _ id: CollectionID, _ direction: PageDirection, isOfAll: Bool = false, call: CallID, _ coverage: Coverage,
        _ turn: inout Turn
    ) -> Bool {
        guard let index = place(id) else { return false }
        return all[index].fetch(direction, isOfAll: isOfAll, call: call, coverage, &turn)
    }

    /// Shows the next part of everything newer, if the call still waits.
    mutating func continueFetch(_ call: CallID, _ coverage: Coverage, _ turn: inout Turn) {
        for index in all.indices { all[index].continueFetch(call, coverage, &turn) }
    }

    /// Shows the cached page around the viewpoint. Returns whether it waits for the service's page.
    mutating func start(_ id: CollectionID, call: CallID, _ coverage: Coverage, _ turn: inout Turn) -> Bool {
        guard let index = place(id) else { return false }
        return all[index].begin(call: call, coverage, &turn)
    }

    /// The service's page around a place is in the cache.
    mutating func answered(_ place: MessagePosition, _ coverage: Coverage, _ turn: inout Turn) {
        for index in all.indices { all[index].answered(place, coverage, &turn) }
    }

    /// Ends a fetch or a start with what has been shown. `false` when no such call waits.
    mutating func end(
        _ call: CallID, _ status: Status, short: Completion.ShortReason? = nil, _ turn: inout Turn
    ) -> Bool {
        for index in all.indices {
            if all[index].end(call, status, short: short, &turn) { return true }
        }
        return false
    }

    /// Nothing will come for now: waiting fetches end with what has been shown.
    mutating func finishFetches(_ short: Completion.ShortReason, _ turn: inout Turn) {
        for index in all.indices { all[index].finishFetches(.ok, short: short, &turn) }
    }

    mutating func finishFetches(_ status: Status, _ turn: inout Turn) {
        for index in all.indices { all[index].finishFetches(status, &turn) }
    }

    /// Gives waiting fetches what the cache has now, and updates every window's ends.
    mutating func serveAll(_ coverage: Coverage, _ turn: inout Turn) {
        for index in all.indices { all[index].serve(coverage, &turn) }
    }

    /// Gives windows that fill themselves what the cache has; needed where nothing is asked for, so no answer comes.
    mutating func serveRefills(_ coverage: Coverage, _ turn: inout Turn) {
        for index in all.indices where all[index].isRefilling { all[index].serve(coverage, &turn) }
    }

    // MARK: Stored messages

    /// A page was stored.
    mutating func show(_ outcome: History.PageOutcome, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn) {
        remove(Set(outcome.gone), cause, &turn)
        for index in all.indices { all[index].show(outcome.rows, cause, coverage, &turn) }
        serveAll(coverage, &turn)
    }

    /// A message was stored in a chunk or at its end. First the windows that show its place add it; then the others are
    /// told `new_message`.
    mutating func showArrival(_ message: MessageRecord, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn) {
        let chunk = coverage.chunks.index(covering: message.position)
        var aside: [Int] = []
        for index in all.indices {
            if all[index].spans(message, in: chunk, coverage.chunks) {
                all[index].merge([message], cause, coverage, &turn)
            } else {
                aside.append(index)
            }
        }
        for index in aside { all[index].standAside(message, cause, coverage, &turn) }
    }

    /// A message that is not contiguous with any chunk.
    func tellNewMessage(_ message: MessageRecord, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn) {
        for window in all { window.tellNewMessage(message, cause, coverage, &turn) }
    }

    /// The content of stored messages changed.
    mutating func showChanged(
        _ messages: [MessageRecord], _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn
    ) {
        guard !messages.isEmpty else { return }
        for index in all.indices { all[index].merge(messages, cause, coverage, &turn) }
    }

    /// Changes shown since then could not be stored, and the host was not told of them: the windows show what they
    /// showed before. Fetches stay as they are.
    mutating func showAgain(asIn before: MessageWindows) {
        for window in before.all { if let index = place(window.id) { all[index].showAgain(asIn: window) } }
    }

    /// An overlay on a stored message came or went.
    mutating func showAgain(_ message: MessageRecord, _ cause: Cause, _ coverage: Coverage, _ turn: inout Turn) {
        let shown = turn.context.shown(message, in: coverage.channelURL)
        for index in all.indices { all[index].showAgain(message, as: shown, cause, coverage, &turn) }
    }

    mutating func remove(_ ids: Set<MessageID>, _ cause: Cause, _ turn: inout Turn) {
        for index in all.indices { all[index].remove(ids, cause, &turn) }
    }

    /// The history was cut: older messages are gone.
    mutating func cut(before order: Int64, _ coverage: Coverage, _ turn: inout Turn) {
        for index in all.indices { all[index].cut(before: order, coverage, &turn) }
    }

    // MARK: Gaps

    /// The filters of windows that a huge gap may concern, each once.
    var gapFilters: [MessageFilter] {
        var filters: [MessageFilter] = []
        for window in all where window.canHaveGap {
            let filter = window.filter.selection
            if !filter.isOfAll, !filters.contains(filter) { filters.append(filter) }
        }
        return filters
    }

    /// Behind the shown messages, more are missing than the service sends to fill the gap: messages that match this
    /// filter; `nil`: of all messages.
    mutating func hugeGap(of filter: MessageFilter?, _ coverage: Coverage, _ turn: inout Turn) {
        for index in all.indices where all[index].canHaveGap {
            let selection = all[index].filter.selection
            if filter.map({ $0 == selection }) ?? selection.isOfAll { all[index].showHugeGap(coverage, &turn) }
        }
    }
}
