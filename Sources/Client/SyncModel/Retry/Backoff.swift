import SyncBytes

/// Growing pauses with jitter, from a seeded generator so that a run can be replayed.
public struct Backoff {
    public private(set) var attempts: Int64 = 0

    public init() {}

    public mutating func reset() { attempts = 0 }

    /// The next pause in milliseconds: `base * factor^(attempts-1)`, at most `limit`, of which the upper half is
    /// random.
    public mutating func next(base: Int64, factor: Int64, limit: Int64, random: RandomSource) -> Int64 {
        attempts = attempts < 1000 ? attempts + 1 : attempts
        var pause = max(base, 1)
        var round: Int64 = 1
        while round < attempts, pause < limit {
            let (product, overflow) = pause.multipliedReportingOverflow(by: max(factor, 1))
            pause = overflow ? limit : product
            if factor <= 1 { break }
            round += 1
        }
        pause = min(pause, max(limit, 1))
        return pause / 2 + random.below(pause / 2 + 1)
    }
}
