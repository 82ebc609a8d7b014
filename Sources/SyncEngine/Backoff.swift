/// Growing pauses with jitter, from a seeded generator so that a run can be replayed.
struct Backoff {
    private(set) var attempts: Int64 = 0

    mutating func reset() { attempts = 0 }

    /// The next pause in milliseconds: `base * factor^(attempts-1)`, at most `limit`, of which the upper half is
    /// random.
    mutating func next(base: Int64, factor: Int64, limit: Int64, random: inout SeededGenerator) -> Int64 {
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

/// SplitMix64: small, fast, good enough for jitter and ids that need not be secret.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, `bound`; 0 for a bound below 1.
    mutating func below(_ bound: Int64) -> Int64 {
        bound < 1 ? 0 : Int64(truncatingIfNeeded: next() % UInt64(bound))
    }
}
