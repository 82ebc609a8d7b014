/// Makes unique keys that are ordered by the time when they were made: eight characters of time, twelve random ones.
/// Within one millisecond, or when the clock runs back, each key is the successor of the one before.
public struct PushIDs: Sendable {
    /// How many random bytes an id needs.
    public static let randomCount = 12

    private static let alphabet = Array("-0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ_abcdefghijklmnopqrstuvwxyz".utf8)

    private var lastTime: Int64 = -1
    private var digits: [UInt8] = []

    public init() {}

    /// The next id.
    ///
    /// - Parameters:
    ///   - time: in milliseconds since the epoch; its lower 48 bits are what an id holds.
    ///   - random: gives `randomCount` random bytes; six bits of each are used. Missing ones count as zero.
    public mutating func next(at time: Int64, random: () -> [UInt8]) -> String {
        if time > lastTime || digits.isEmpty {
            lastTime = max(time, 0)
            digits = Array(random().prefix(PushIDs.randomCount).map { $0 & 63 })
            digits += [UInt8](repeating: 0, count: PushIDs.randomCount - digits.count)
        } else {
            increment()
        }
        return PushIDs.text(lastTime, digits)
    }

    private mutating func increment() {
        for index in digits.indices.reversed() {
            if digits[index] < 63 {
                digits[index] += 1
                return
            }
            digits[index] = 0
        }
        // All the ids of this millisecond are used up.
        lastTime &+= 1
    }

    private static func text(_ time: Int64, _ digits: [UInt8]) -> String {
        let bits = UInt64(bitPattern: time)
        let front: [UInt8] = (0..<8).map { index in
            let shift = UInt64(42 - 6 * index)
            return alphabet[Int(bits >> shift & 63)]
        }
        let back: [UInt8] = digits.map { alphabet[Int($0 & 63)] }
        return String(decoding: front + back, as: UTF8.self)
    }
}
