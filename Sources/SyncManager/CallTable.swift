import SyncModel

/// The calls whose results the host has not drained yet.
///
/// A call takes a slot when it is accepted and frees it when its result is drained, so a host that does not drain meets
/// a refusal instead of memory that grows without bound.
struct CallTable {
    /// A direction of a collection in which one fetch at a time may be in flight.
    struct FetchKey: Hashable {
        var collection: UInt64
        var direction: PageDirection
    }

    private struct Call {
        var listener: Listener
        var fetch: FetchKey?
    }

    /// As many as events may wait, but never fewer than this: `queue_limit` says how closely the host means to follow
    /// its lists, and a small one is no reason to refuse a burst of sends.
    static let leastLimit = 1000

    let limit: Int
    private var calls: [UInt64: Call] = [:]
    private var fetching: Set<FetchKey> = []
    private var last: UInt64 = 0

    init(queueLimit: Int) { limit = max(queueLimit, CallTable.leastLimit) }

    var count: Int { calls.count }

    /// Accepts a call and gives its number. `others`: what takes slots beside the calls.
    mutating func add(_ listener: Listener, fetch: FetchKey?, others: Int) throws(BorderError) -> UInt64 {
        if let fetch, fetching.contains(fetch) {
            throw BorderError(.duplicatedFetch, "a fetch in that direction is in flight")
        }
        try checkRoom(others: others)
        if let fetch { fetching.insert(fetch) }
        last += 1
        calls[last] = Call(listener: listener, fetch: fetch)
        return last
    }

    func checkRoom(others: Int) throws(BorderError) {
        guard calls.count + others < limit else {
            throw BorderError(
                .tooManyCalls, "\(limit) calls wait: drain their results with sm_next_event() or sm_dispatch()")
        }
    }

    /// The result of a call is drained. Gives its listener, once.
    mutating func remove(_ call: UInt64) -> Listener? {
        guard let call = calls.removeValue(forKey: call) else { return nil }
        if let fetch = call.fetch { fetching.remove(fetch) }
        return call.listener
    }

    mutating func removeAll() -> [Listener] {
        defer {
            calls = [:]
            fetching = []
        }
        return calls.values.map(\.listener)
    }
}
