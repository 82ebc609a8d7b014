import SyncModel

/// Requests that the service has not answered, and requests that wait because the service asked for a pause.
///
/// Every request passes here, so nothing can jump a pause that the service asked for.
struct InFlight {
    /// A request that waits for the end of a pause; `since`: from when on, by the monotonic clock.
    struct Held {
        let id: UInt64
        let request: ServiceRequest
        let since: Int64
    }

    private var last: UInt64 = 0
    private var asks: [UInt64: Ask] = [:]
    private var held: [Held] = []
    /// The end of the pause, by the monotonic clock; `nil` without one.
    private(set) var pausedUntil: Int64?

    /// Notes a request. Returns the number to send it under, `nil` when it is held back.
    mutating func add(_ ask: Ask, _ request: ServiceRequest, now: Int64) -> UInt64? {
        last += 1
        asks[last] = ask
        if let until = pausedUntil {
            guard until <= now, held.isEmpty else {
                held.append(Held(id: last, request: request, since: now))
                return nil
            }
            pausedUntil = nil
        }
        return last
    }

    /// The service wants no requests for this time, in milliseconds.
    mutating func pause(for duration: Int64, now: Int64) {
        let (until, isTooLong) = now.addingReportingOverflow(max(duration, 0))
        pausedUntil = max(pausedUntil ?? 0, isTooLong ? Int64.max : until)
    }

    /// The requests that were held back, in order, once the pause is over.
    mutating func takeHeld(now: Int64) -> [Held] {
        guard let until = pausedUntil, until <= now else { return [] }
        pausedUntil = nil
        defer { held = [] }
        return held
    }

    /// What a request in flight was for; `nil` when nobody waits for its answer any more.
    func ask(_ id: UInt64) -> Ask? { asks[id] }

    /// As `ask`, and forgets the request, since its answer has come.
    mutating func take(_ id: UInt64) -> Ask? { asks.removeValue(forKey: id) }

    /// Forgets the request that transfers a file of a message or an action. Returns its number if the service was asked
    /// and has not answered, so that it can be canceled there.
    mutating func end(_ isWanted: (Ask) -> Bool) -> UInt64? {
        guard let id = asks.first(where: { isWanted($0.value) })?.key else { return nil }
        asks[id] = nil
        if let index = held.firstIndex(where: { $0.id == id }) {
            held.remove(at: index)
            return nil
        }
        return id
    }

    /// Takes back an action that waits for the end of a pause; `false` when it was sent already.
    mutating func withdraw(action call: CallID) -> Bool {
        let index = held.firstIndex { held in
            if case .action(call, _) = asks[held.id] { true } else { false }
        }
        guard let index else { return false }
        asks[held.remove(at: index).id] = nil
        return true
    }

    /// Forgets requests about channels: their answers are not wanted any more.
    mutating func dropChannelAsks() {
        drop { ask in
            switch ask {
            case .channelListing, .channelChanges, .channelPage, .channel: true
            default: false
            }
        }
    }

    /// Forgets requests for a channel or thread that nobody shows any more. A collection that opens it later asks by
    /// itself, and must not take these answers for its own.
    mutating func dropMessageAsks(of place: HistoryID) {
        drop { if case .messages(_, place) = $0 { true } else { false } }
    }

    private mutating func drop(where isDropped: (Ask) -> Bool) {
        let dropped = asks.filter { isDropped($0.value) }
        for id in dropped.keys { asks[id] = nil }
        held.removeAll { dropped[$0.id] != nil }
    }

    /// Takes all requests except those that are kept, oldest first. The pause stays: it outlasts the session.
    mutating func takeAll(but isKept: (Ask) -> Bool = { _ in false }) -> [Ask] {
        let taken = asks.filter { !isKept($0.value) }
        for id in taken.keys { asks[id] = nil }
        held.removeAll { taken[$0.id] != nil }
        return taken.sorted { $0.key < $1.key }.map(\.value)
    }

    /// For the history of a failing seed.
    var description: String { asks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ") }
}
