/// SplitMix64: small and fast, and the same numbers for the same seed on every machine. They can be guessed.
public struct SeededRandom {
    private var state: UInt64

    public init(seed: UInt64) { state = seed }

    public mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }

    /// A number from 0 up to, not including, `count`.
    public mutating func below(_ count: Int) -> Int { count <= 1 ? 0 : Int(next() % UInt64(count)) }

    /// A number within a range, its ends included.
    public mutating func within(_ range: ClosedRange<Int>) -> Int { range.lowerBound + below(range.count) }

    /// True with a probability of `perMille` in a thousand.
    public mutating func chance(_ perMille: Int) -> Bool { below(1000) < perMille }

    /// One of the choices, at random; there must be at least one.
    public mutating func pick<T>(_ choices: [T]) -> T { choices[below(choices.count)] }

    /// `count` random hexadecimal digits.
    public mutating func hex(_ count: Int) -> String {
        String(decoding: (0..<count).map { _ in Hex.digit(UInt8(below(16))) }, as: UTF8.self)
    }
}
