import SyncModel

/// Where a row stands in a stream: by the value the stream is ordered by, then by its key.
///
/// Keys that are whole numbers of 32 bits come first, by their value; `1` comes before `01`. All others follow by their
/// bytes. A descending stream has everything the other way round, keys included.
public final class StreamPlace: Comparable, Sendable {
    let key: String
    let value: StreamValue
    private let number: Int32?
    private let isDescending: Bool

    init(_ value: StreamValue, key: String, isDescending: Bool) {
        self.key = key
        self.value = value
        self.isDescending = isDescending
        number = StreamPlace.number(of: key)
    }

    public static func == (left: StreamPlace, right: StreamPlace) -> Bool {
        left === right || left.value == right.value && left.key.isByteEqual(to: right.key)
    }

    public static func < (left: StreamPlace, right: StreamPlace) -> Bool {
        left.isDescending ? right.isBefore(left) : left.isBefore(right)
    }

    private func isBefore(_ other: StreamPlace) -> Bool {
        // Most streams are ordered by numbers: they are compared once, and nothing is looked up.
        if case .number(let one) = value, case .number(let two) = other.value {
            return one == two ? isKeyBefore(other) : one < two
        }
        if value < other.value { return true }
        if other.value < value { return false }
        return isKeyBefore(other)
    }

    private func isKeyBefore(_ other: StreamPlace) -> Bool {
        switch (number, other.number) {
        case (let one?, let two?) where one != two: return one < two
        case (_?, _?) where key.utf8.count != other.key.utf8.count: return key.utf8.count < other.key.utf8.count
        case (_?, nil): return true
        case (nil, _?): return false
        default: return TextKey(key) < TextKey(other.key)
        }
    }

    /// Whether this row stands before a bound of the stream, or is level with it.
    func compared(to bound: StreamBound) -> Int {
        let isLess: Bool
        let isGreater: Bool
        switch bound {
        case .value(let other):
            isLess = value < other
            isGreater = other < value
        case .key(let other):
            isLess = isKeyBefore(other)
            isGreater = other.isKeyBefore(self)
        }
        if isLess == isGreater { return 0 }
        return isLess != isDescending ? -1 : 1
    }

    /// The value of a key that is a whole number of 32 bits in decimal digits, leading zeros allowed.
    static func number(of key: String) -> Int32? {
        var digits = key.utf8[...]
        let isNegative = digits.first == UInt8(ascii: "-")
        if isNegative { digits = digits.dropFirst() }
        guard !digits.isEmpty else { return nil }
        var value: Int64 = 0
        for byte in digits {
            let digit = byte &- UInt8(ascii: "0")
            guard digit < 10 else { return nil }
            value = value * 10 + Int64(digit)
            guard value <= Int64(Int32.max) + 1 else { return nil }
        }
        return Int32(exactly: isNegative ? -value : value)
    }
}

/// An end of what a stream shows, in the unit of its order.
enum StreamBound: Sendable {
    case value(StreamValue)
    case key(StreamPlace)
}
