import SyncBytes

/// Random choices that one seed repeats exactly.
public struct SeededGenerator: RandomNumberGenerator {
    private var numbers: SeededRandom

    public init(seed: UInt64) { numbers = SeededRandom(seed: seed) }

    public mutating func next() -> UInt64 { numbers.next() }

    /// A number from 0 to `bound` - 1.
    public mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }

    /// A number from 0 to `bound` - 1; 0 for a bound below 1.
    public mutating func below(_ bound: Int64) -> Int64 { bound < 1 ? 0 : Int64(next() % UInt64(bound)) }

    public mutating func chance(_ percent: Int64) -> Bool { below(Int64(100)) < percent }

    public mutating func pick<T>(_ list: [T]) -> T? { list.isEmpty ? nil : list[below(list.count)] }
}
