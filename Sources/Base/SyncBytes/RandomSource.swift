/// Random numbers: the kernel's random bytes, or those of one seed, for a run that can be repeated byte by byte.
///
/// Numbers made from a seed can be guessed: they are good for the jitter of pauses and for tests, not for keys and
/// tokens that protect something.
public final class RandomSource {
    private var seeded: SeededRandom?

    public init(seed: UInt64? = nil) { seeded = seed.map { SeededRandom(seed: $0) } }

    /// A number from 0 up to, not including, `bound`; 0 for a bound below 1.
    public func below(_ bound: Int64) -> Int64 {
        bound < 1 ? 0 : Int64(truncatingIfNeeded: next() % UInt64(bound))
    }

    private func next() -> UInt64 { seeded?.next() ?? bytes(8).reduce(0) { $0 << 8 | UInt64($1) } }

    /// `count` random bytes as hexadecimal digits, two for each byte.
    public func hex(_ count: Int) -> String { seeded?.hex(count * 2) ?? Hex.text(bytes(count)) }

    /// `count` random bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        if seeded != nil { return (0..<count).map { _ in UInt8(truncatingIfNeeded: seeded?.next() ?? 0) } }
        var bytes = [UInt8](repeating: 0, count: count)
        if !SystemRandom.fill(&bytes) { for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255) } }
        return bytes
    }
}
