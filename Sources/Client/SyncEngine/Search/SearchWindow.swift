import SyncModel
import SyncStore

/// A search collection: the results of a query, the best one first, as far as the host has fetched them.
///
/// The list is always the best of all results: one that becomes known enters when it stands within what is shown, or
/// when nothing more is to come. What was found and had no room is not kept: a fetch looks for what stands behind the
/// last one shown.
struct SearchWindow {
    let id: CollectionID
    let scope: SearchScope
    /// Results that a fetch brings.
    var limit: Int
    private(set) var window = Window<SearchResult>(isReversed: true)
    private(set) var hasNext = true
    /// A fetch has begun: results enter.
    private var isUsed = false
    /// Results that fetches brought; a list with more loses as many, once it is beyond its capacity.
    private var fetched = 0
    var fetch: SearchFetch?

    init(id: CollectionID, query: SearchQuery) {
        self.id = id
        scope = SearchScope(query)
        limit = query.limit
    }

    var info: CollectionInfo {
        var info = CollectionInfo(list: id, limit: limit)
        info.hasNext = hasNext
        return info
    }

    /// Whether there is something to look for. Nobody waits for a list that is filled again: that is done once.
    func isFetching(isComplete: Bool) -> Bool { fetch.map { $0.call != nil || isComplete } ?? false }

    /// The last one shown.
    private var last: SearchPlace? { window.first?.place }

    func change(_ change: WindowChange, _ cause: Cause) -> CollectionChange {
        CollectionChange(
            collection: id, list: .results, action: change.action, cause: cause, items: change.items, info: info)
    }

    /// Begins to look for a page; for `call`, or to fill the list again.
    mutating func begin(call: CallID?, wanted: Int) {
        isUsed = true
        fetch = SearchFetch(scope, call: call, wanted: wanted, behind: last)
    }

    /// One step of it. `isComplete`: all that is cached is indexed. Gives what changes.
    mutating func step(rows: Int, isComplete: Bool, _ index: SearchIndex) throws(StoreError) -> [WindowChange] {
        guard let found = try fetch?.step(rows: rows, index), let fetch else { return [] }
        if fetch.isDone { hasNext = fetch.hasMore || !isComplete }
        fetched += found.count
        return window.merge(found.map { SearchResult($0) })
    }

    /// A message that was touched is a result, or (`nil`) it is none.
    mutating func take(_ found: FoundMessage?, _ id: ResultID) -> [WindowChange] {
        guard let found else {
            fetch?.drop(id)
            return [window.remove(ids: [id])].compactMap { $0 }
        }
        if isShown(found.place) {
            fetch?.drop(id)
            return [window.put(SearchResult(found))].compactMap { $0 }
        }
        fetch?.take(found)
        return [window.remove(ids: [id])].compactMap { $0 }
    }

    /// Whether a result stands within what is shown. One that would be the last itself may have others before it that
    /// are not shown.
    private mutating func isShown(_ place: SearchPlace) -> Bool {
        guard hasNext else { return true }
        guard let last else { return false }
        guard last.id == place.id else { return last < place }
        return place == last || window.count > 1 && window.rows[1].place < place
    }

    /// What leaves at the end, since results came that were not fetched.
    mutating func cut(capacity: Int) -> WindowChange? {
        let most = max(fetched, capacity)
        guard window.count > most else { return nil }
        hasNext = true
        return window.removeFirst(window.count - most)
    }

    /// Empties the list, to be filled again with as many, or with all, as it was.
    mutating func startOver() -> WindowChange {
        let wanted = window.count + (fetch?.wanted ?? 0) + (hasNext ? 0 : limit)
        let change = window.clear()
        (hasNext, fetched) = (true, 0)
        if isUsed { begin(call: fetch?.call, wanted: max(wanted, 1)) }
        return change
    }

    /// The list for a host that lost track of it.
    mutating func resync() -> [WindowChange] {
        [WindowChange(.clear, [])] + [window.snapshot()].compactMap { $0 }
    }
}
