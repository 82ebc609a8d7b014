import SyncModel
import SyncStore

/// A page of results that is being looked for.
struct SearchFetch {
    /// By relevance that many of the newest messages that match are compared.
    private static let mostCompared = 1000

    /// `nil`: it fills a list that was emptied, and nobody is told.
    let call: CallID?
    /// Results that are still wanted.
    private(set) var wanted: Int
    private let scope: SearchScope
    /// Only what stands behind it is wanted.
    private let bound: SearchPlace?
    private var walk: SearchWalk
    /// By relevance: the best ones so far, the best one first.
    private var best: [FoundMessage] = []
    private var compared: Set<ResultID> = []
    /// There is more than `best` has room for.
    private var isCut = false

    init(_ scope: SearchScope, call: CallID?, wanted: Int, behind bound: SearchPlace?) {
        (self.scope, self.call, self.wanted, self.bound) = (scope, call, wanted, bound)
        walk = SearchWalk(scope, behind: scope.query.order == .newest ? bound : nil)
    }

    private var isByRelevance: Bool { scope.query.order == .relevance }

    /// Nothing more can come.
    private(set) var isDone = false
    /// There may be more behind what was found.
    var hasMore: Bool { isByRelevance ? isCut : !walk.isAtEnd || isCut }

    /// Looks at up to so many rows, and gives what the list shows from now on.
    mutating func step(rows: Int, _ index: SearchIndex) throws(StoreError) -> [FoundMessage] {
        let found = try walk.step(rows: rows, index)
        guard isByRelevance else {
            let shown = Array(found.prefix(wanted))
            wanted -= shown.count
            // Those that are left over are found again, from behind the last one shown.
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

    /// A message that the list does not show, since it stands behind what is shown, is a result now.
    mutating func take(_ found: FoundMessage) {
        if isByRelevance, compared.contains(found.place.id) { compare(found) } else { walk.take(found) }
    }

    /// A message is no result any more. What had no room before it may have now, so all are compared again.
    mutating func drop(_ id: ResultID) {
        walk.drop(id)
        guard best.contains(where: { $0.place.id == id }) else { return }
        best.removeAll { $0.place.id == id }
        if isCut { self = SearchFetch(scope, call: call, wanted: wanted, behind: bound) }
    }
}
