/// Random numbers that one seed repeats exactly (SplitMix64).
struct SeededRandom {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    /// A number from 0 to `bound` - 1; 0 for a bound below 1.
    mutating func below(_ bound: Int64) -> Int64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return bound < 1 ? 0 : Int64((mixed ^ (mixed >> 31)) % UInt64(bound))
    }

    mutating func chance(_ percent: Int64) -> Bool { below(100) < percent }

    mutating func pick<T>(_ list: [T]) -> T? { list.isEmpty ? nil : list[Int(below(Int64(list.count)))] }
}
