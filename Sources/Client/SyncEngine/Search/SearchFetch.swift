import SyncModel
import SyncStore

/// A page of results that is being searched for.
struct SearchFetch {
    /// With the order by relevance, this many of the newest matching messages are compared.
    private static let mostCompared = 1000

    /// `nil`: the fetch fills a list that was emptied, and no call waits.
    let call: CallID?
    /// Results that are still wanted.
    private(set) var wanted: Int
    private let scope: SearchScope
    /// Only results behind this place are wanted.
    private let bound: SearchPlace?
    private var walk: SearchWalk
    /// With the order by relevance: the best results so far, the best one first.
    private var best: [FoundMessage] = []
    private var compared: Set<ResultID> = []
    /// There are more results than `best` has room for.
    private var isCut = false

    init(_ scope: SearchScope, call: CallID?, wanted: Int, behind bound: SearchPlace?) {
        (self.scope, self.call, self.wanted, self.bound) = (scope, call, wanted, bound)
        walk = SearchWalk(scope, behind: scope.query.order == .newest ? bound : nil)
    }

    private var isByRelevance: Bool { scope.query.order == .relevance }

    /// Nothing more can come.
    private(set) var isDone = false
    /// There may be more results behind those found.
    var hasMore: Bool { isByRelevance ? isCut : !walk.isAtEnd || isCut }

    /// Reads up to `rows` rows. Returns the results that the list shows from now on.
    mutating func step(rows: Int, _ index: SearchIndex) throws(StoreError) -> [FoundMessage] {
        let found = try walk.step(rows: rows, index)
        guard isByRelevance else {
            let shown = Array(found.prefix(wanted))
            wanted -= shown.count
            // The remaining results are found again by the next fetch, which begins behind the last one shown.
            isCut = shown.count < found.count
            isDone = wanted == 0 || walk.isAtEnd
            return shown
        }
        for message in found { compare(message) }
        isDone = walk.isAtEnd || compared.count >= SearchFetch.mostCompared
        guard isDone else { return [] }
        defer { best = [] }
        return best
    }

    private mutating func compare(_ found: FoundMessage) {
        compared.insert(found.place.id)
        best.removeAll { $0.place.id == found.place.id }
        if let bound, bound <= found.place { return }
        best.append(found)
        best.sort { $1.place < $0.place }
        guard best.count > wanted else { return }
        best.removeLast()
        isCut = true
    }

    /// A message has become a result behind the end of the list.
    mutating func take(_ found: FoundMessage) {
        if isByRelevance, compared.contains(found.place.id) { compare(found) } else { walk.take(found) }
    }

    /// A message is no result any more. A result that had no room before may have room now, so all are compared again.
    mutating func drop(_ id: ResultID) {
        walk.drop(id)
        guard best.contains(where: { $0.place.id == id }) else { return }
        best.removeAll { $0.place.id == id }
        if isCut { self = SearchFetch(scope, call: call, wanted: wanted, behind: bound) }
    }
}
