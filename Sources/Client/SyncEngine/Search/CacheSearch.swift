import SyncModel
import SyncStore

/// Search in the cache: keeps its full-text index, and the lists that show results.
///
/// All of it is done in slices behind all that is due, so a page waits for one of them at most: what open searches have
/// to look at goes first, then what has come, what fetches look for, and what an older cache has. A message is a result
/// when it has been indexed.
final class CacheSearch: Machine {
    /// How long one slice takes, in microseconds.
    private static let longest: Int64 = 2000
    /// Rows that are looked at together: they may be of some hundred bytes or of a megabyte.
    private static func rowsAtOnce(_ turn: Turn) -> Int { min(20, turn.options.cacheSliceRows) }
    /// Queries that so many rows are compared with at once.
    private static let queriesAtOnce = 8
    /// Rows that are indexed between two merges.
    private static let rowsPerMerge = 200
    /// Pages that one merge writes, about.
    private static let mergedPages = 16
    /// Pages of an index that is removed that go at once.
    private static let removedPages = 20
    /// Milliseconds between two slices of indexing an older cache, for which nobody waits.
    private static let buildingPause: Int64 = 2
    /// How often progress is told, in milliseconds.
    private static let progressPause: Int64 = 100
    /// How often an index that seems damaged is made again; then there is none until the next start.
    private static let mostRemovals = 3

    private enum State {
        /// There is no index, and none is wanted.
        case off
        /// There is one that nobody can use.
        case removing
        case open(SearchIndex)
    }

    private var state = State.off
    private var gate = RetryGate()
    private var lists = SearchLists()
    private var isPlanned = false
    /// Rows of messages that had come when all was indexed.
    private var seen: Int64 = 0
    private var isBuilding = false
    private var toldAt = Int64.min
    private var rowsSinceMerge = 0
    private var mayMerge = false
    /// How often the index was removed since it seemed damaged.
    private var removals = 0

    var windows: [SearchWindow] { lists.all }

    /// Before anything else is written: what an index that is not open misses it does not learn later.
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
        // The border opens no search then.
        guard turn.options.searches else {
            return turn.complete(Completion(call: call, name: .fetch, status: .invalidArgument))
        }
        // Nobody waits for the end of a pause.
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

    /// The cache was emptied, or a part of it: nothing of that is shown any more.
    func cleared(_ turn: inout Turn) {
        guard case .open(let index) = state, index.touched.hasOverflown else { return }
        index.touched.clear()
        lists.startOver(&turn)
    }

    func end(_ turn: inout Turn) { lists.finishAll(.closed, &turn) }

    // MARK: Slices

    /// Behind every input: begins when there is something to do.
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
        // Fetches only read.
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

    /// A part of an index that nobody can use goes; behind the last one comes the new one.
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
        // Nobody has noted what went in between.
        lists.startOver(&turn)
        return true
    }

    /// Without its triggers nothing that is stored fails by it.
    private func removeDamaged(_ turn: inout Turn) {
        guard case .open = state else { return }
        removals += 1
        gate.succeed()
        state = .removing
        _ = remove(&turn)
        goOn(&turn)
    }

    /// One slice, of one kind of work. `false`: the cache could not be read or written.
    private func work(_ index: SearchIndex, _ turn: inout Turn) -> Bool {
        if !index.touched.isEmpty {
            return repeated(&turn) { turn in index.touched.isEmpty ? false : lookAtTouched(index, &turn) }
        }
        // The fewer parts there are, the sooner something is found.
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

    /// Takes a step again and again, until the slice is over or there is none (`false`) any more. `nil`: it failed.
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

    /// Indexes rows until the slice is over, in the transaction of who calls: each makes a part that is to be merged.
    /// Gives whether there are no more.
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

    /// Some of the messages that were touched are results now, or are none. `nil`: the cache could not be read.
    private func lookAtTouched(_ index: SearchIndex, _ turn: inout Turn) -> Bool? {
        if index.touched.hasOverflown {
            cleared(&turn)
            return true
        }
        // Each is compared with each query.
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
        // What is shown of a channel that is gone cannot be found by its URL.
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
