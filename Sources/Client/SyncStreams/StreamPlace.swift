import SyncModel
import SyncTree

/// The place of a row in a stream: by the value that the stream is ordered by, then by its key, both in the order of
/// the realtime database. In a descending stream both are reversed.
public struct StreamPlace: Comparable, Sendable {
    /// The values that are compared when the heads are equal.
    private final class Full: Sendable {
        let value: TreeRank
        let key: TreeKey
        let isDescending: Bool

        init(_ value: TreeRank, _ key: TreeKey, _ isDescending: Bool) {
            self.value = value
            self.key = key
            self.isDescending = isDescending
        }
    }

    /// Never greater than the head of a later place. Nearly all comparisons end with it. It lies in the list itself,
    /// while the rest is anywhere in memory, and in a long list, reading the rest takes more time than all else.
    private let head: UInt64
    private let full: Full

    init(_ value: TreeRank, key: String, isDescending: Bool) {
        let key = TreeKey(anyText: key)
        self.init(head: StreamPlace.head(value, key), Full(value, key, isDescending))
    }

    /// A place in the source's own order; rows without a rank come last.
    init(rank: String?, key: String, isDescending: Bool) {
        self.init(
            head: rank.map(Rank.head) ?? UInt64.max,
            Full(rank.map(TreeRank.text) ?? .children, TreeKey(anyText: key), isDescending))
    }

    private init(head: UInt64, _ full: Full) {
        self.head = full.isDescending ? ~head : head
        self.full = full
    }

    var key: String { full.key.text }

    @inline(__always)
    public static func == (left: StreamPlace, right: StreamPlace) -> Bool {
        left.head == right.head && isLevel(left, right)
    }

    @inline(never)
    private static func isLevel(_ left: StreamPlace, _ right: StreamPlace) -> Bool {
        left.full === right.full || left.full.key == right.full.key && left.full.value == right.full.value
    }

    @inline(__always)
    public static func < (left: StreamPlace, right: StreamPlace) -> Bool {
        left.head == right.head ? isLevelBefore(left, right) : left.head < right.head
    }

    @inline(never)
    private static func isLevelBefore(_ left: StreamPlace, _ right: StreamPlace) -> Bool {
        left.full.isDescending ? isBefore(right.full, left.full) : isBefore(left.full, right.full)
    }

    private static func isBefore(_ left: Full, _ right: Full) -> Bool {
        if left.value < right.value { return true }
        if right.value < left.value { return false }
        return left.key < right.key
    }

    /// Compares this row with a bound of the stream: negative before it, 0 when equal, positive behind it.
    func compared(to bound: StreamBound) -> Int {
        let isLess: Bool
        let isGreater: Bool
        switch bound {
        case .value(let other):
            isLess = full.value < other
            isGreater = other < full.value
        case .key(let other):
            isLess = full.key < other
            isGreater = other < full.key
        }
        if isLess == isGreater { return 0 }
        return isLess != full.isDescending ? -1 : 1
    }

    // MARK: Heads

    /// Numbers take the middle of the range, in their order; values before and after numbers take the bits that no
    /// number has.
    private static func head(_ value: TreeRank, _ key: TreeKey) -> UInt64 {
        switch value {
        case .nothing: head(key)
        case .bool(let value): (value ? 3 : 2) << 48
        case .integer(let value): head(Double(value))
        case .real(let value): head(value)
        case .text(let value): 0xFFF1 << 48 | head(value)
        case .children: 0xFFF2 << 48
        }
    }

    /// The head of a key, for a stream that is ordered by keys only.
    private static func head(_ key: TreeKey) -> UInt64 {
        guard let number = key.number else { return 1 << 48 | head(key.text) }
        return UInt64(UInt32(bitPattern: number) ^ 1 << 31)
    }

    /// From 0x000F… (no number is less) to 0xFFF0….
    private static func head(_ number: Double) -> UInt64 {
        // -0 is 0.
        let bits = (number + 0).bitPattern
        return bits >> 63 == 0 ? bits | 1 << 63 : ~bits
    }

    /// The first six bytes.
    private static func head(_ text: String) -> UInt64 {
        var result: UInt64 = 0
        var shift: UInt64 = 48
        for byte in text.utf8.prefix(6) {
            shift -= 8
            result |= UInt64(byte) << shift
        }
        return result
    }
}

/// An end of a stream's range, as a value of its order.
public enum StreamBound: Sendable {
    case value(TreeRank)
    case key(TreeKey)
}
