import SyncTree

/// Texts that stand for places in a list, so that a row can be put between two others without renumbering them.
///
/// A rank has sixteen hexadecimal digits, and as many more as are needed to be between its two neighbours; the last of
/// the additional digits is never a zero. Ranks are compared as bytes. A row at either end gets the next number after
/// its neighbour's, so its rank stays short.
public enum Rank {
    private static let middle: UInt64 = 1 << 63
    private static let width = 16

    /// `count` ranks, ascending, between two others. `nil` for the end of the list.
    public static func between(_ low: String?, _ high: String?, count: Int) -> [String] {
        guard count > 0 else { return [] }
        let step = UInt64(count)
        switch (low.map(digits), high.map(digits)) {
        case (nil, nil): return (0..<step).map { text(digits(of: middle &+ $0)) }
        case (let low?, nil):
            let start = number(low)
            guard start < UInt64.max - step else { return spread(low, nil, count).map(text) }
            return (1...step).map { text(digits(of: start + $0)) }
        case (nil, let high?):
            let end = number(high)
            guard end > step else { return spread([], high, count).map(text) }
            return (1...step).reversed().map { text(digits(of: end - $0)) }
        case (let low?, let high?): return spread(low, high, count).map(text)
        }
    }

    /// A rank for a value: ranks made of values are in the order of the values.
    public static func text(of value: TreeRank) -> String {
        switch value {
        case .nothing: return "1"
        case .bool(let value): return value ? "3" : "2"
        case .integer(let value):
            // The greatest double that is not greater than the value, and the difference to it.
            var whole = Double(value)
            if whole >= 0x1p63 || Int64(whole) > value { whole = whole.nextDown }
            let rest = value &- Int64(whole)
            return number(whole) + (rest == 0 ? "" : text(digits(of: UInt64(bitPattern: rest))))
        case .real(let value): return number(value)
        case .text(let value): return "5" + text(value.utf8.flatMap { [$0 >> 4, $0 & 15] })
        case .children: return "6"
        }
    }

    private static func number(_ value: Double) -> String {
        // -0 is 0.
        let bits = (value + 0).bitPattern
        return "4" + text(digits(of: bits >> 63 == 0 ? bits | 1 << 63 : ~bits))
    }

    /// A number by which most ranks can be compared: it is never greater than that of a later rank.
    static func head(_ rank: String) -> UInt64 { number(digits(rank)) }

    /// Divides by halves, so that the length of ranks grows with the logarithm of the count.
    private static func spread(_ low: [UInt8], _ high: [UInt8]?, _ count: Int) -> [[UInt8]] {
        guard count > 0 else { return [] }
        let middle = halfway(low, high)
        let before = (count - 1) / 2
        return spread(low, middle, before) + [middle] + spread(middle, high, count - 1 - before)
    }

    /// Digits between two others, of which the second is greater.
    private static func halfway(_ low: [UInt8], _ high: [UInt8]?) -> [UInt8] {
        var result: [UInt8] = []
        var high = high
        var index = 0
        while true {
            let one = index < low.count ? low[index] : 0
            let two = high.map { index < $0.count ? $0[index] : 0 } ?? 16
            index += 1
            // Two that are not in order have no middle; then any rank after the first one will do.
            if index > max(low.count, high?.count ?? 0) + 1 { high = nil }
            if one &+ 1 < two {
                result.append((one &+ two) / 2)
                return result
            }
            result.append(one)
            // After a digit that is smaller than the other's, any digits will do.
            if one < two { high = nil }
        }
    }

    private static func digits(of number: UInt64) -> [UInt8] {
        (0..<width).map { UInt8(truncatingIfNeeded: number >> UInt64(60 - $0 * 4)) & 15 }
    }

    private static func number(_ digits: [UInt8]) -> UInt64 {
        (0..<width).reduce(0) { $0 << 4 | UInt64($1 < digits.count ? digits[$1] : 0) }
    }

    private static func digits(_ rank: String) -> [UInt8] {
        rank.utf8.map { $0 < UInt8(ascii: "a") ? $0 &- UInt8(ascii: "0") : $0 &- UInt8(ascii: "a") &+ 10 }
    }

    private static func text(_ digits: [UInt8]) -> String {
        let letters = digits.map { $0 < 10 ? UInt8(ascii: "0") &+ $0 : UInt8(ascii: "a") &+ $0 &- 10 }
        return String(decoding: letters, as: UTF8.self)
    }
}
