import SyncModel
import SyncStore

/// The search collections: fetches, and the changes that changed messages make to the lists.
struct SearchLists {
    private var windows: [CollectionID: SearchWindow] = [:]

    /// In a fixed order, so that a run repeats.
    private var numbers: [CollectionID] { windows.keys.sorted() }
    var all: [SearchWindow] { numbers.compactMap { windows[$0] } }

    var isEmpty: Bool { windows.isEmpty }
    var count: Int { windows.count }

    /// Whether a fetch has work to do. A list that fills itself again waits until the index is complete.
    func isFetching(isComplete: Bool) -> Bool { windows.values.contains { $0.isFetching(isComplete: isComplete) } }

    func contains(_ id: CollectionID) -> Bool { windows[id] != nil }

    mutating func open(_ id: CollectionID, _ query: SearchQuery) { windows[id] = SearchWindow(id: id, query: query) }

    mutating func close(_ id: CollectionID, _ turn: inout Turn) {
        finish(id, .removed, &turn)
        windows[id] = nil
    }

    /// Sets how many results a fetch brings from now on. Returns the collection's new state.
    mutating func setLimit(_ id: CollectionID, _ limit: Int) -> CollectionInfo? {
        windows[id]?.limit = limit
        return windows[id]?.info
    }

    mutating func resync(_ id: CollectionID, dropped: Int, _ turn: inout Turn) {
        guard var window = windows[id] else { return }
        turn.tell(id, .overflow(dropped: dropped))
        for change in window.resync() { turn.tell(window.change(change, Cause(.overflow))) }
    }

    // MARK: Fetching

    mutating func fetch(_ id: CollectionID, call: CallID, _ turn: inout Turn) {
        guard var window = windows[id] else { return }
        // A fetch that fills the list again is replaced: this one brings the missing results, too.
        var wanted = window.limit
        if let fetch = window.fetch {
            guard fetch.call == nil else {
                return turn.complete(
                    Completion(call: call, name: .fetch, status: .duplicatedFetch, info: window.info))
            }
            wanted += fetch.wanted
        }
        guard window.hasNext else {
            return turn.complete(
                Completion(call: call, name: .fetch, status: .ok, hasMore: false, info: window.info))
        }
        window.begin(call: call, wanted: wanted)
        windows[id] = window
    }

    /// One step of the first fetch that has work to do.
    mutating func step(rows: Int, isComplete: Bool, _ index: SearchIndex, _ turn: inout Turn) throws(StoreError) {
        let next = numbers.first { windows[$0]?.isFetching(isComplete: isComplete) == true }
        // Changed in place: otherwise all results that the fetch has found would be copied.
        guard let id = next, let changes = try windows[id]?.step(rows: rows, isComplete: isComplete, index),
            let window = windows[id]
        else { return }
        for change in changes { turn.tell(window.change(change, Cause(.cache))) }
        guard let fetch = window.fetch, fetch.isDone else { return }
        finish(id, .ok, short: fetch.hasMore || isComplete ? nil : .indexing, &turn)
    }

    func collection(of call: CallID) -> CollectionID? { numbers.first { windows[$0]?.fetch?.call == call } }

    mutating func finish(
        _ id: CollectionID, _ status: Status, short: Completion.ShortReason? = nil, _ turn: inout Turn
    ) {
        guard let window = windows[id], let fetch = window.fetch else { return }
        windows[id]?.fetch = nil
        guard let call = fetch.call else { return }
        turn.complete(Completion(
            call: call, name: .fetch, status: status, hasMore: status == .ok ? window.hasNext : nil, short: short,
            info: window.info))
    }

    mutating func finishAll(_ status: Status, _ turn: inout Turn) {
        for id in numbers { finish(id, status, &turn) }
    }

    // MARK: Changes

    /// A message changed that may be a result, or may have been one.
    mutating func take(_ message: LookedUp, _ turn: inout Turn) {
        let capacity = turn.options.messageCollectionCapacity
        for id in numbers {
            guard let scope = windows[id]?.scope else { continue }
            let changes = windows[id]?.take(message.result(of: scope), message.id) ?? []
            let cut = windows[id]?.cut(capacity: capacity)
            guard let window = windows[id] else { continue }
            for change in changes { turn.tell(window.change(change, Cause(.sync))) }
            if let cut { turn.tell(window.change(cut, Cause(.capacity))) }
        }
    }

    /// More messages changed than can be checked one by one.
    mutating func startOver(_ turn: inout Turn) {
        for id in numbers {
            guard var window = windows[id] else { continue }
            let isEmpty = window.window.isEmpty
            let change = window.startOver()
            windows[id] = window
            if !isEmpty { turn.tell(window.change(change, Cause(.cacheCleared))) }
        }
    }
}
