import SyncModel

/// Requests that have no reply yet: those by REST, messages that wait for their acknowledgement, and those that wait
/// for a new session key; and the renewal of that key.
struct PendingRequests {
    struct Entry {
        /// The engine's number.
        let id: UInt64
        let request: ServiceRequest
        /// By the monotonic clock; for both attempts together when it is sent twice.
        fileprivate(set) var deadline: Int64
        /// How many milliseconds without progress are allowed, for a request that sends or receives a file.
        let patience: Int64
        /// Sent a second time, since the session key had expired.
        var isRepeated = false
        /// The key it was sent with.
        fileprivate(set) var sessionKey = ""
        fileprivate(set) var wait = Wait.sessionKey
        /// Whether the exchange changes nothing at the service.
        fileprivate(set) var isReading = false

        init(id: UInt64, request: ServiceRequest, timeout: Int64, now: Int64) {
            self.id = id
            patience = timeout
            self.request = request
            deadline = now.addingClamped(timeout)
        }

        var awaitsAcknowledgement: Bool {
            if case .acknowledgement = wait { return true }
            return false
        }

        /// The exchange that is under way, if one is.
        var exchange: UInt64? { if case .exchange(let exchange) = wait { exchange } else { nil } }
    }

    /// What a request waits for.
    enum Wait: Equatable {
        /// The answer to the HTTP exchange with this id.
        case exchange(UInt64)
        case acknowledgement(requestID: RequestID)
        case sessionKey
    }

    private struct Renewal {
        var exchange: UInt64
        var deadline: Int64
    }

    private var entries: [Entry] = []
    private var renewal: Renewal?
    /// Never reset, also not between sessions: an answer to an old request must not be taken for that to a new one.
    private var lastExchange: UInt64 = 0

    /// Adds a request that goes by HTTP and gives the id of its exchange.
    mutating func add(_ entry: Entry, isReading: Bool, sessionKey: String) -> UInt64 {
        lastExchange += 1
        var entry = entry
        entry.isReading = isReading
        append(entry, .exchange(lastExchange), sessionKey)
        return lastExchange
    }

    /// Adds a request that went over the socket and is acknowledged by its request id.
    mutating func add(_ entry: Entry, awaiting requestID: RequestID, sessionKey: String) {
        append(entry, .acknowledgement(requestID: requestID), sessionKey)
    }

    /// Holds a request back until the session key has been renewed.
    mutating func hold(_ entry: Entry) { append(entry, .sessionKey, entry.sessionKey) }

    private mutating func append(_ entry: Entry, _ wait: Wait, _ sessionKey: String) {
        var entry = entry
        entry.wait = wait
        entry.sessionKey = sessionKey
        entries.append(entry)
    }

    /// The exchange has made progress, so its time begins again. Gives the engine's number.
    mutating func extend(exchange: UInt64, now: Int64) -> UInt64? {
        guard let index = entries.firstIndex(where: { $0.wait == .exchange(exchange) }) else { return nil }
        entries[index].deadline = max(entries[index].deadline, now.addingClamped(entries[index].patience))
        return entries[index].id
    }

    /// Removes the request that the engine knows by this number.
    mutating func remove(id: UInt64) -> Entry? {
        guard let index = entries.firstIndex(where: { $0.id == id }) else { return nil }
        return entries.remove(at: index)
    }

    mutating func remove(exchange: UInt64) -> Entry? { remove(.exchange(exchange)).first }

    /// Removes the requests that wait for this acknowledgement: usually one, and none when it came too late.
    mutating func remove(requestID: RequestID) -> [Entry] { remove(.acknowledgement(requestID: requestID)) }

    /// Removes the largest message that waits for its acknowledgement.
    mutating func removeLargestSend() -> Entry? {
        let sends = entries.indices.filter { entries[$0].awaitsAcknowledgement && entries[$0].request.isSend }
        guard let largest = sends.max(by: { entries[$0].request.bodySize < entries[$1].request.bodySize }) else {
            return nil
        }
        return entries.remove(at: largest)
    }

    /// Removes the requests that wait for a new session key.
    mutating func removeHeld() -> [Entry] { remove(.sessionKey) }

    private mutating func remove(_ wait: Wait) -> [Entry] {
        let removed = entries.filter { $0.wait == wait }
        if !removed.isEmpty { entries.removeAll { $0.wait == wait } }
        return removed
    }

    /// Begins a renewal of the session key and gives the id of its exchange; `nil` when one is under way.
    mutating func beginRenewal(deadline: Int64) -> UInt64? {
        guard renewal == nil else { return nil }
        lastExchange += 1
        renewal = Renewal(exchange: lastExchange, deadline: deadline)
        return lastExchange
    }

    /// Ends the renewal if this is its exchange; gives whether it is.
    mutating func endRenewal(exchange: UInt64) -> Bool {
        guard renewal?.exchange == exchange else { return false }
        renewal = nil
        return true
    }

    /// Removes all requests except those that are kept, since nobody waits for them any more. Gives the exchanges that
    /// can be canceled: those that change nothing at the service.
    mutating func removeAll(but isKept: (ServiceRequest) -> Bool) -> [UInt64] {
        let removed = entries.filter { !isKept($0.request) }
        defer { renewal = nil }
        entries.removeAll { !isKept($0.request) }
        return removed.filter(\.isReading).compactMap(\.exchange) + (renewal.map { [$0.exchange] } ?? [])
    }

    var nextDeadline: Int64? { (entries.map(\.deadline) + (renewal.map { [$0.deadline] } ?? [])).min() }

    /// Removes the requests, and the renewal, whose deadline has passed.
    mutating func removeExpired(now: Int64) -> (entries: [Entry], renewal: UInt64?) {
        let expired = entries.filter { $0.deadline <= now }
        if !expired.isEmpty { entries.removeAll { $0.deadline <= now } }
        let late = renewal.flatMap { $0.deadline <= now ? $0.exchange : nil }
        if late != nil { renewal = nil }
        return (expired, late)
    }
}
