import SyncModel

/// What was asked and is not answered: requests by REST, messages that wait for their acknowledgement, and those that
/// wait for a new session key, together with its renewal. In the order of asking.
struct Calls {
    struct Call {
        /// The engine's number.
        let id: UInt64
        let request: ServiceRequest
        /// By the monotonic clock; of the whole, also when it is asked twice.
        let deadline: Int64
        /// Asked a second time, since the session key had run out.
        var isRepeated = false
        /// The key it was asked with.
        fileprivate(set) var sessionKey = ""
        fileprivate(set) var place = Place.forKey

        init(id: UInt64, request: ServiceRequest, deadline: Int64) {
            self.id = id
            self.request = request
            self.deadline = deadline
        }

        /// Of the message whose acknowledgement it waits for.
        var requestID: String? {
            if case .acknowledgement(let requestID) = place { return requestID }
            return nil
        }
    }

    /// What a call waits for.
    enum Place: Equatable {
        /// An answer by REST, under the transport's number.
        case exchange(UInt64)
        case acknowledgement(requestID: String)
        case forKey
    }

    private struct Renewal {
        var exchange: UInt64
        var deadline: Int64
    }

    private var list: [Call] = []
    private var renewal: Renewal?
    /// Survives the session: an answer to an old request must not be taken for that to a new one.
    private var lastExchange: UInt64 = 0

    /// Gives the number for the transport.
    mutating func add(_ call: Call, sessionKey: String) -> UInt64 {
        lastExchange += 1
        put(call, .exchange(lastExchange), sessionKey)
        return lastExchange
    }

    mutating func add(_ call: Call, awaiting requestID: String, sessionKey: String) {
        put(call, .acknowledgement(requestID: requestID), sessionKey)
    }

    /// Keeps a call until the session key has been renewed.
    mutating func wait(_ call: Call) { put(call, .forKey, call.sessionKey) }

    private mutating func put(_ call: Call, _ place: Place, _ sessionKey: String) {
        var call = call
        call.place = place
        call.sessionKey = sessionKey
        list.append(call)
    }

    mutating func take(exchange: UInt64) -> Call? { take(.exchange(exchange)).first }

    /// Usually one; none when the acknowledgement came too late.
    mutating func take(requestID: String) -> [Call] { take(.acknowledgement(requestID: requestID)) }

    mutating func takeWaiting() -> [Call] { take(.forKey) }

    private mutating func take(_ place: Place) -> [Call] {
        let taken = list.filter { $0.place == place }
        if !taken.isEmpty { list.removeAll { $0.place == place } }
        return taken
    }

    /// Begins a renewal and gives its number for the transport; `nil` when one is under way.
    mutating func beginRenewal(deadline: Int64) -> UInt64? {
        guard renewal == nil else { return nil }
        lastExchange += 1
        renewal = Renewal(exchange: lastExchange, deadline: deadline)
        return lastExchange
    }

    /// Whether this is the renewal's exchange; then it is over.
    mutating func takeRenewal(exchange: UInt64) -> Bool {
        guard renewal?.exchange == exchange else { return false }
        renewal = nil
        return true
    }

    mutating func removeAll() {
        list = []
        renewal = nil
    }

    var nextDeadline: Int64? { (list.map(\.deadline) + (renewal.map { [$0.deadline] } ?? [])).min() }

    /// Those whose time is over; they are under way no longer.
    mutating func takeLate(now: Int64) -> (calls: [Call], renewal: Bool) {
        let late = list.filter { $0.deadline <= now }
        if !late.isEmpty { list.removeAll { $0.deadline <= now } }
        let isRenewalLate = renewal.map { $0.deadline <= now } ?? false
        if isRenewalLate { renewal = nil }
        return (late, isRenewalLate)
    }
}
