import SyncModel

/// The calls whose results the host has not drained yet.
///
/// A call takes a slot, and counts the bytes of its texts, when it is accepted; both are freed when its result is
/// drained. So a host that does not drain gets refusals, and memory does not grow without bound.
struct CallTable {
    /// A collection and a direction: one fetch at a time may be in flight for it, and none during a start.
    struct FetchKey: Hashable {
        var collection: CollectionID
        /// `nil`: a start, which the engine refuses while anything else is in flight.
        var direction: PageDirection?
    }

    private struct Call {
        var listener: Listener
        var fetch: FetchKey?
        var bytes: Int
    }

    /// There are as many slots as events that may wait, but never fewer than this: `queue_limit` says how closely the
    /// host wants to follow its lists, and a small one is no reason to refuse a burst of sends.
    static let leastLimit = 1000

    /// How many bytes of texts the calls may hold: four texts of the greatest length.
    static let byteLimit = 4 * CText.limit

    let limit: Int
    private var calls: [CallID: Call] = [:]
    private var bytes = 0
    private var fetching: Set<FetchKey> = []
    /// How many starts of a collection are in flight; all but one of them will be refused.
    private var starting: [CollectionID: Int] = [:]
    private var last: UInt64 = 0

    init(queueLimit: Int) { limit = max(queueLimit, CallTable.leastLimit) }

    var count: Int { calls.count }

    /// Accepts a call whose texts have so many bytes, and gives its number. `others`: the load of commands without a
    /// result. `isSignOut`: there is one slot more, since a host that is full must still be able to sign out.
    mutating func add(
        _ listener: Listener, fetch: FetchKey?, bytes added: Int = 0, others: WaitingLoad = WaitingLoad(),
        isSignOut: Bool = false
    ) throws(BorderError) -> CallID {
        if let fetch, fetch.direction != nil {
            guard !fetching.contains(fetch) else {
                throw BorderError(.duplicatedFetch, "a fetch in that direction is in flight")
            }
            guard starting[fetch.collection] == nil else {
                throw BorderError(.duplicatedFetch, "a start of the collection is in flight")
            }
        }
        try checkRoom(bytes: added, others: others, isSignOut: isSignOut)
        if let fetch { begin(fetch) }
        last += 1
        calls[.host(last)] = Call(listener: listener, fetch: fetch, bytes: added)
        bytes += added
        return .host(last)
    }

    func checkRoom(bytes added: Int, others: WaitingLoad, isSignOut: Bool = false) throws(BorderError) {
        let advice = "drain their results with sm_next_event() or sm_dispatch()"
        guard calls.count + others.slots < (isSignOut ? limit + 1 : limit) else {
            throw BorderError(.tooManyCalls, "\(limit) calls wait: \(advice)")
        }
        guard bytes + others.bytes + added <= CallTable.byteLimit else {
            throw BorderError(
                .tooManyCalls, "the texts of calls that wait would exceed \(CallTable.byteLimit >> 20) MiB: \(advice)")
        }
    }

    /// Frees a call whose result was drained, and gives its listener, once.
    mutating func remove(_ call: CallID) -> Listener? {
        guard let call = calls.removeValue(forKey: call) else { return nil }
        bytes -= call.bytes
        if let fetch = call.fetch { end(fetch) }
        return call.listener
    }

    private mutating func begin(_ fetch: FetchKey) {
        if fetch.direction == nil { starting[fetch.collection, default: 0] += 1 } else { fetching.insert(fetch) }
    }

    private mutating func end(_ fetch: FetchKey) {
        guard fetch.direction == nil else { return _ = fetching.remove(fetch) }
        let left = starting[fetch.collection, default: 1] - 1
        starting[fetch.collection] = left > 0 ? left : nil
    }

    mutating func removeAll() -> [Listener] {
        defer {
            calls = [:]
            bytes = 0
            fetching = []
            starting = [:]
        }
        return calls.values.map(\.listener)
    }
}
