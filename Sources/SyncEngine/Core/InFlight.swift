import SyncModel

/// What the service has been asked and has not answered, and what waits to be asked because the service wants a pause.
///
/// Every request passes here, so nothing can jump a pause that the service asked for.
struct InFlight {
    private var last: UInt64 = 0
    private var asks: [UInt64: Ask] = [:]
    private var held: [(id: UInt64, request: ServiceRequest)] = []
    /// By the monotonic clock.
    private(set) var pausedUntil: Int64?

    /// Notes what is asked. Gives the number to ask it under, `nil` when it is held back.
    mutating func add(_ ask: Ask, _ request: ServiceRequest, now: Int64) -> UInt64? {
        last += 1
        asks[last] = ask
        if let until = pausedUntil {
            guard until <= now, held.isEmpty else {
                held.append((last, request))
                return nil
            }
            pausedUntil = nil
        }
        return last
    }

    /// The service wants nothing to be asked for so long (milliseconds).
    mutating func pause(for duration: Int64, now: Int64) {
        let (until, isTooLong) = now.addingReportingOverflow(max(duration, 0))
        pausedUntil = max(pausedUntil ?? 0, isTooLong ? Int64.max : until)
    }

    /// What was held back, in order, once the pause is over.
    mutating func takeHeld(now: Int64) -> [(id: UInt64, request: ServiceRequest)] {
        guard let until = pausedUntil, until <= now else { return [] }
        pausedUntil = nil
        defer { held = [] }
        return held
    }

    /// What this is the answer to; `nil` when nobody waits for it any more.
    mutating func take(_ id: UInt64) -> Ask? { asks.removeValue(forKey: id) }

    /// All of it, oldest first; nothing is in flight afterwards. A pause outlasts the session.
    mutating func takeAll() -> [Ask] {
        defer {
            asks = [:]
            held = []
        }
        return asks.sorted { $0.key < $1.key }.map(\.value)
    }

    /// For the history of a failing seed.
    var description: String { asks.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ") }
}
