import SyncModel
import SyncStore

/// A search collection: the results of a query, the best one first, as far as the host has fetched them.
///
/// The list always has the best of all results: a new result enters when it sorts before the end of the list, or when
/// nothing more is to come. Other results that were found are not kept: the next fetch searches behind the last one
/// shown.
struct SearchWindow {
    let id: CollectionID
    let scope: SearchScope
    /// How many results a fetch brings.
    var limit: Int
    private(set) var window = Window<SearchResult>(isReversed: true)
    private(set) var hasNext = true
    /// The host has fetched, so new results enter.
    private var isUsed = false
    /// How many results fetches brought. A list is cut only if it is longer than this and than its capacity.
    private var fetched = 0
    private var bytes = ByteBound()
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

    /// Whether a fetch has work to do. A list that fills itself again does so only once, when the index is complete,
    /// because no call waits for it.
    func isFetching(isComplete: Bool) -> Bool { fetch.map { $0.call != nil || isComplete } ?? false }

    /// The place of the last result shown.
    private var last: SearchPlace? { window.first?.place }

    func change(_ change: WindowChange, _ cause: Cause) -> CollectionChange {
        CollectionChange(
            collection: id, list: .results, action: change.action, cause: cause, items: change.items, info: info)
    }

    /// Begins the search for a page; for `call`, or (`nil`) to fill the list again.
    mutating func begin(call: CallID?, wanted: Int) {
        isUsed = true
        fetch = SearchFetch(scope, call: call, wanted: wanted, behind: last)
    }

    /// One step of the fetch. `isComplete`: all cached messages are indexed. Returns the changes.
    mutating func step(rows: Int, isComplete: Bool, _ index: SearchIndex) throws(StoreError) -> [WindowChange] {
        guard let found = try fetch?.step(rows: rows, index), let fetch else { return [] }
        if fetch.isDone { hasNext = fetch.hasMore || !isComplete }
        fetched += found.count
        return window.merge(found.map { taking($0) })
    }

    /// A changed message is a result, or (`nil`) it is none.
    mutating func take(_ found: FoundMessage?, _ id: ResultID) -> [WindowChange] {
        guard let found else {
            fetch?.drop(id)
            return [window.remove(ids: [id])].compactMap { $0 }
        }
        if isShown(found.place) {
            fetch?.drop(id)
            return [window.put(taking(found))].compactMap { $0 }
        }
        fetch?.take(found)
        return [window.remove(ids: [id])].compactMap { $0 }
    }

    /// Whether a result sorts before the end of the list. If it is itself the last one shown, other results that are
    /// not shown may come before its new place.
    private mutating func isShown(_ place: SearchPlace) -> Bool {
        guard hasNext else { return true }
        guard let last else { return false }
        guard last.id == place.id else { return last < place }
        return place == last || window.count > 1 && window.rows[1].place < place
    }

    /// A result that the window takes in, as hosts see it.
    private mutating func taking(_ found: FoundMessage) -> SearchResult {
        let result = SearchResult(found)
        bytes.add(result.json.count)
        return result
    }

    /// Removes results at the end when the list is too long, or holds too many bytes, because new results entered
    /// without a fetch.
    mutating func cut(capacity: Int) -> WindowChange? {
        let fitting = bytes.rows(ofCapacity: capacity, window.rows.lazy.map(\.json.count).reversed())
        let most = max(fetched, limit, min(capacity, fitting))
        guard window.count > most else { return nil }
        hasNext = true
        return window.removeFirst(window.count - most)
    }

    /// Empties the list and begins to fill it again, with as many results as before, or with all if it had all.
    mutating func startOver() -> WindowChange {
        let wanted = window.count + (fetch?.wanted ?? 0) + (hasNext ? 0 : limit)
        let change = window.clear()
        (hasNext, fetched) = (true, 0)
        if isUsed { begin(call: fetch?.call, wanted: max(wanted, 1)) }
        return change
    }

    /// The whole list again, for a host that lost events.
    mutating func resync() -> [WindowChange] {
        [WindowChange(.clear, [])] + [window.snapshot()].compactMap { $0 }
    }
}
