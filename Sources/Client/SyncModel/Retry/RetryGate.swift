import SyncBytes

/// Whether something may be asked now. After a failure it is paused for a time that grows with every further failure;
/// new work does not end the pause.
public struct RetryGate {
    private enum State: Equatable {
        case ready
        case paused(until: Int64)
    }

    private var state = State.ready
    private var backoff = Backoff()

    public init() {}

    /// When the pause ends, by the monotonic clock; `nil` when there is none.
    public var pausedUntil: Int64? {
        if case .paused(let until) = state { until } else { nil }
    }

    /// Ends a pause whose time is over, and tells whether asking is allowed.
    public mutating func isOpen(at now: Int64) -> Bool {
        if case .paused(let until) = state {
            guard until <= now else { return false }
            state = .ready
        }
        return true
    }

    /// The request succeeded: the next failure pauses for the shortest time again.
    public mutating func succeed() {
        state = .ready
        backoff.reset()
    }

    /// The request failed in a way that a later attempt may cure. Pauses at least as long as the service asked for.
    /// What fails in a pause had begun before it or fails with it, as many messages do on a full disk; that makes the
    /// pause no longer.
    public mutating func fail(_ failure: ServiceFailure?, at now: Int64, _ random: RandomSource) {
        var pause: Int64 = 0
        if case .rateLimited(let asked)? = failure?.kind { pause = asked }
        if isOpen(at: now) {
            pause = max(pause, backoff.next(base: 1000, factor: 2, limit: 60_000, random: random))
        }
        state = .paused(until: max(now + pause, pausedUntil ?? now))
    }
}
