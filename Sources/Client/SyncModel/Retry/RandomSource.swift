/// SplitMix64: small, fast, good enough for the jitter of pauses, which need not be secret. One seed gives one run.
///
/// The server has one of its own: the two share no room that knows of randomness.
public final class RandomSource {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    private func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, `bound`; 0 for a bound below 1.
    public func below(_ bound: Int64) -> Int64 {
        bound < 1 ? 0 : Int64(truncatingIfNeeded: next() % UInt64(bound))
    }
}
