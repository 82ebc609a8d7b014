import TestSupport

extension SeededGenerator {
    /// A number from 0 to `bound` - 1; 0 for a bound below 1.
    mutating func below(_ bound: Int64) -> Int64 { bound < 1 ? 0 : Int64(next() % UInt64(bound)) }

    mutating func chance(_ percent: Int64) -> Bool { below(Int64(100)) < percent }

    mutating func pick<T>(_ list: [T]) -> T? { list.isEmpty ? nil : list[below(list.count)] }
}
