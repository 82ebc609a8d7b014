import SyncModel
import SyncStore

/// Search in the cache: maintains the full-text index, and the lists that show results.
///
/// All work is done in slices after everything else that is due, so that a page waits for at most one slice. First come
/// changed messages that open searches have to check, then new messages, then fetches, then the index of an older
/// cache. A message can be a result only when it has been indexed.
final class CacheSearch: Machine {
    /// The maximum duration of a slice, in microseconds.
    private static let longest: Int64 = 2000
    /// Rows that are read together: a row may have some hundred bytes or a megabyte.
    private static func rowsAtOnce(_ turn: Turn) -> Int { min(20, turn.options.cacheSliceRows) }
    /// The number of queries with which `rowsAtOnce` rows are compared at once.
    private static let queriesAtOnce = 8
    /// Rows that are indexed between two merges.
    private static let rowsPerMerge = 200
    /// Pages that one merge writes, approximately.
    private static let mergedPages = 16
    /// Pages that are removed at once, of an index that is dropped.
    private static let removedPages = 20
    /// The pause between two slices that index an older cache, in milliseconds, since nobody waits for them.
    private static let buildingPause: Int64 = 2
    /// The time between two progress events, in milliseconds.
    private static let progressPause: Int64 = 100
    /// How often an index that seems damaged is built again; after that, there is no index until the next start.
    private static let mostRemovals = 3

    private enum State {
        /// There is no index, and none is wanted.
        case off
        /// There is an unusable index, which is being removed.
        case removing
        case open(SearchIndex)
    }

    private var state = State.off
    private var gate = RetryGate()
    private var lists = SearchLists()
    private var isPlanned = false
    /// How many rows of messages had come when all of them were indexed.
    private var seen: Int64 = 0
    private var isBuilding = false
    private var toldAt = Int64.min
    private var rowsSinceMerge = 0
    private var mayMerge = false
    /// How often the index was removed because it seemed damaged.
    private var removals = 0

    var windows: [SearchWindow] { lists.all }

    /// Called before anything else is written, because an index that is not open misses what is written, and does not
    /// catch up later.
    func load(_ turn: inout Turn) {
        let isWanted = turn.options.searches
        let isUsable = turn.storage.cached { (cache) throws(StoreError) in
            let isOutdated = try SearchIndex.isOutdated(cache)
            if isWanted, !isOutdated { return true }
            let isMore = try SearchIndex.drop(cache, pages: CacheSearch.removedPages)
            return !isMore
        }
        if isUsable == true, !isWanted { return }
        if isUsable == true, open(turn) { return }
        state = .removing
    }

    private func open(_ turn: Turn) -> Bool {
        let rules = turn.rules
        let opened = turn.storage.cached { (cache) throws(StoreError) in
            let index = try SearchIndex(cache, read: rules.searched)
            return (index: index, isBuilding: try index.progress().remaining > 0)
        }
        guard let opened else { return false }
        opened.index.touched.isIdle = lists.isEmpty
        (state, isBuilding, seen, mayMerge) = (.open(opened.index), opened.isBuilding, -1, true)
        return true
    }

    // MARK: Collections

    func contains(_ id: CollectionID) -> Bool { lists.contains(id) }

    func open(_ id: CollectionID, _ query: SearchQuery) {
        lists.open(id, query)
        if case .open(let index) = state { index.touched.isIdle = false }
    }

    func close(_ id: CollectionID, _ turn: inout Turn) {
        guard lists.contains(id) else { return }
        lists.close(id, &turn)
        if lists.isEmpty, case .open(let index) = state { index.touched.isIdle = true }
    }

    func fetch(_ id: CollectionID, call: CallID, _ turn: inout Turn) {
        // Without the index in the configuration, no search collection can be opened.
        guard turn.options.searches else {
            return turn.complete(Completion(call: call, name: .fetch, status: .invalidArgument))
        }
        // A fetch does not wait for the end of a pause.
        let isPaused = gate.pausedUntil.map { $0 > turn.now.monotonic } ?? false
        let isOff = if case .off = state { true } else { false }
        if isPaused || isOff { return turn.complete(Completion(call: call, name: .fetch, status: .storage)) }
        lists.fetch(id, call: call, &turn)
    }

    func setLimit(_ id: CollectionID, _ limit: Int) -> CollectionInfo? { lists.setLimit(id, limit) }

    func resync(_ id: CollectionID, dropped: Int, _ turn: inout Turn) { lists.resync(id, dropped: dropped, &turn) }

    func cancel(_ call: CallID, _ status: Status, _ turn: inout Turn) -> Bool {
        guard let id = lists.collection(of: call) else { return false }
        lists.finish(id, status, &turn)
        return true
    }

    /// The cache was emptied, or a part of it: the lists begin again.
    func cleared(_ turn: inout Turn) {
        guard case .open(let index) = state, index.touched.hasOverflown else { return }
        index.touched.clear()
        lists.startOver(&turn)
    }

    func end(_ turn: inout Turn) { lists.finishAll(.closed, &turn) }

    // MARK: Slices

    /// Called after every input: begins when there is something to do.
    func look(_ turn: inout Turn) {
        if turn.storage.takeIndexDamage() { removeDamaged(&turn) }
        guard !isPlanned, hasWork(turn) else { return }
        goOn(&turn)
    }

    private func hasWork(_ turn: Turn) -> Bool {
        switch state {
        case .off: false
        case .removing: true
        case .open(let index):
            isBuilding || mayMerge || lists.isFetching(isComplete: !isBuilding) || !index.touched.isEmpty
                || index.touched.hasAny || seen != turn.storage.addedMessages
        }
    }

    private func goOn(after pause: Int64 = 0, _ turn: inout Turn) {
        isPlanned = true
        let next = turn.now.monotonic.addingClamped(pause)
        turn.add(.timer(.search, at: max(next, gate.pausedUntil ?? next)))
    }

    /// One slice.
    func work(_ turn: inout Turn) {
        isPlanned = false
        guard gate.isOpen(at: turn.now.monotonic) else { return goOn(&turn) }
        // Fetches only read, so they need not wait for the copying of the log.
        if !lists.isFetching(isComplete: !isBuilding), let later = turn.storage.logCopied(turn.now) {
            return goOn(after: later - turn.now.monotonic, &turn)
        }
        let isDone: Bool
        switch state {
        case .off: return
        case .removing: isDone = remove(&turn)
        case .open(let index):
            isDone = work(index, &turn)
        }
        if isDone { gate.succeed() } else { fail(&turn) }
        let isWaitedFor = lists.isFetching(isComplete: !isBuilding)
        if hasWork(turn) { goOn(after: isBuilding && !isWaitedFor ? CacheSearch.buildingPause : 0, &turn) }
    }

    /// The cache could not be read or written.
    private func fail(_ turn: inout Turn) {
        gate.fail(nil, at: turn.now.monotonic, turn.random)
        lists.finishAll(.storage, &turn)
    }

    /// Removes a part of an unusable index; after the last part, a new index is opened.
    private func remove(_ turn: inout Turn) -> Bool {
        let isMore = turn.storage.cached { (cache) throws(StoreError) in
            try SearchIndex.drop(cache, pages: CacheSearch.removedPages)
        }
        guard let isMore else { return false }
        if isMore { return true }
        state = .off
        guard turn.options.searches, removals < CacheSearch.mostRemovals else {
            lists.finishAll(.storage, &turn)
            return true
        }
        guard open(turn) else {
            state = .removing
            return false
        }
        // Messages that were removed while there was no index were not noted.
        lists.startOver(&turn)
        return true
    }

    /// Removes a damaged index. Without its triggers, it cannot make other writes fail.
    private func removeDamaged(_ turn: inout Turn) {
        guard case .open = state else { return }
        removals += 1
        gate.succeed()
        state = .removing
        _ = remove(&turn)
        goOn(&turn)
    }

    /// One slice, for one kind of work. `false`: the cache could not be read or written.
    private func work(_ index: SearchIndex, _ turn: inout Turn) -> Bool {
        if !index.touched.isEmpty {
            return repeated(&turn) { turn in index.touched.isEmpty ? false : lookAtTouched(index, &turn) }
        }
        // The fewer parts the index has, the faster a search is.
        if rowsSinceMerge >= CacheSearch.rowsPerMerge { return merge(index, turn) }
        let storage = turn.storage
        let added = storage.addedMessages
        if seen != added || index.touched.hasAny {
            let isDone = storage.committed { (_) throws(StoreError) in
                try indexed(turn) { (rows) throws(StoreError) in try index.indexNew(rows: rows) }
            }
            seen = isDone == nil ? -1 : isDone == true ? added : seen
            return isDone != nil
        }
        let isComplete = !isBuilding
        if lists.isFetching(isComplete: isComplete) {
            return repeated(&turn) { turn in
                guard lists.isFetching(isComplete: isComplete) else { return false }
                let rows = CacheSearch.rowsAtOnce(turn)
                let done: Void? = storage.cached { (_) throws(StoreError) in
                    try lists.step(rows: rows, isComplete: isComplete, index, &turn)
                }
                return done.map { true }
            }
        }
        if isBuilding {
            let isDone = storage.committed { (_) throws(StoreError) in
                try indexed(turn) { (rows) throws(StoreError) in try index.indexOld(rows: rows) }
            }
            return isDone != nil && tellProgress(index, &turn)
        }
        return !mayMerge || merge(index, turn)
    }

    /// Repeats a step until the slice is over, or until the step returns `false` because nothing is left. A step that
    /// returns `nil` has failed; then the result is `false`.
    private func repeated(_ turn: inout Turn, _ step: (inout Turn) -> Bool?) -> Bool {
        let began = turn.options.stopwatch()
        var rows = 0
        repeat {
            guard let isMore = step(&turn) else { return false }
            if !isMore { return true }
            rows += CacheSearch.rowsAtOnce(turn)
        } while rows < turn.options.cacheSliceRows && turn.options.stopwatch() &- began < CacheSearch.longest
        return true
    }

    /// Indexes rows until the slice is over; called inside the caller's transaction. Each step adds a part to the
    /// index, to be merged later. Returns whether no rows are left.
    private func indexed(_ turn: Turn, _ step: (_ rows: Int) throws(StoreError) -> Bool) throws(StoreError) -> Bool {
        let began = turn.options.stopwatch()
        let count = CacheSearch.rowsAtOnce(turn)
        var rows = 0
        while rows < turn.options.cacheSliceRows, turn.options.stopwatch() &- began < CacheSearch.longest {
            let isMore = try step(count)
            if !isMore { return true }
            rows += count
            rowsSinceMerge += count
            mayMerge = true
        }
        return false
    }

    private func merge(_ index: SearchIndex, _ turn: Turn) -> Bool {
        let hasMerged = turn.storage.cached { (_) throws(StoreError) in
            try index.merge(pages: CacheSearch.mergedPages)
        }
        guard let hasMerged else { return false }
        rowsSinceMerge = 0
        mayMerge = hasMerged
        return true
    }

    /// Checks changed messages: some may have become results, others may be none any more. `nil`: the cache could not
    /// be read.
    private func lookAtTouched(_ index: SearchIndex, _ turn: inout Turn) -> Bool? {
        if index.touched.hasOverflown {
            cleared(&turn)
            return true
        }
        // Each message is compared with each query.
        let most = max(1, CacheSearch.rowsAtOnce(turn) * CacheSearch.queriesAtOnce / max(lists.count, 1))
        let touched = index.touched.take(min(most, CacheSearch.rowsAtOnce(turn)))
        let found = turn.storage.cached { (_) throws(StoreError) in
            var found: [LookedUp?] = []
            for message in touched { found.append(try index.lookUp(message)) }
            return found
        }
        guard let found else {
            index.touched.giveBack(touched)
            return nil
        }
        // Results of a channel that is gone cannot be found by its URL, so the lists begin again.
        if found.contains(where: { $0 == nil }) {
            index.touched.clear()
            lists.startOver(&turn)
        } else {
            for message in found.compactMap({ $0 }) { lists.take(message, &turn) }
        }
        return true
    }

    private func tellProgress(_ index: SearchIndex, _ turn: inout Turn) -> Bool {
        let progress = turn.storage.cached { (_) throws(StoreError) in try index.progress() }
        guard let progress else { return false }
        isBuilding = progress.remaining > 0
        let now = turn.now.monotonic
        guard !isBuilding || now >= toldAt.addingClamped(CacheSearch.progressPause) else { return true }
        toldAt = now
        let done = progress.total &- progress.remaining
        turn.tell(.searchProgress(done: done, total: progress.total))
        return true
    }
}
