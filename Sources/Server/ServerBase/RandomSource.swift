import SyncWebSocket

/// What session keys, tokens and ids are made of: the kernel's random bytes, or one seed for a run that can be
/// repeated byte by byte. Never serve anybody from a seed: its keys can be guessed.
public final class RandomSource {
    private var seeded: SeededRandom?

    public init(seed: UInt64? = nil) { seeded = seed.map { SeededRandom(seed: $0) } }

    /// So many random bytes in hexadecimal digits.
    public func hex(_ count: Int) -> String {
        if let text = seeded?.hex(count * 2) { return text }
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes(count).flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    /// So many random bytes.
    public func bytes(_ count: Int) -> [UInt8] {
        if seeded != nil { return (0..<count).map { _ in UInt8(truncatingIfNeeded: seeded?.next() ?? 0) } }
        var bytes = [UInt8](repeating: 0, count: count)
        if !SystemRandom.fill(&bytes) { for index in bytes.indices { bytes[index] = UInt8.random(in: 0...255) } }
        return bytes
    }
}
