import SyncBytes

/// The name of a child in a tree of values.
///
/// Keys have an order of their own: those that read as whole numbers of 32 bits come first, by number, then all others
/// by the bytes of their UTF-8. Two keys are equal when their bytes are equal; texts that only look alike are different
/// keys.
public struct TreeKey: Sendable {
    public let text: String
    /// The number that the text reads as, if it is one of 32 bits.
    public let number: Int32?

    /// The longest key, in bytes of UTF-8.
    public static let lengthLimit = 768
    /// What a text must be like to be a key, for error texts.
    public static let rule = "at most \(lengthLimit) bytes, none of . $ # [ ] / in it"

    /// The key of an element of an array.
    public init(index: Int32) {
        text = String(index)
        number = index
    }

    /// A key from outside; `nil` when it is not valid: empty, longer than `lengthLimit`, or with a control character or
    /// one of `. $ # [ ] /`.
    public init?(_ text: String) {
        guard !text.isEmpty, text.utf8.count <= TreeKey.lengthLimit else { return nil }
        for byte in text.utf8 where TreeKey.isForbidden(byte) { return nil }
        self.init(anyText: text)
    }

    /// Any text, for comparing only: a bound of a query, or the key of a row that is not a child.
    public init(anyText text: String) {
        self.text = text
        number = TreeKey.number(text)
    }

    private static func isForbidden(_ byte: UInt8) -> Bool {
        switch byte {
        case 0..<0x20, 0x7F: true
        case UInt8(ascii: "."), UInt8(ascii: "$"), UInt8(ascii: "#"), UInt8(ascii: "["), UInt8(ascii: "]"),
            UInt8(ascii: "/"):
            true
        default: false
        }
    }

    /// At most ten digits behind zeros and a sign, within the range of 32 bits.
    private static func number(_ text: String) -> Int32? {
        guard let first = text.utf8.first, first == UInt8(ascii: "-") || first &- UInt8(ascii: "0") < 10 else {
            return nil
        }
        let digits = first == UInt8(ascii: "-") ? text.utf8.dropFirst() : text.utf8[...]
        guard !digits.isEmpty, digits.allSatisfy({ $0 &- UInt8(ascii: "0") < 10 }) else { return nil }
        return Int32(text)
    }

    /// The index that this key is in an array: digits alone, without zeros before them. `-0` and `01` are ordered as
    /// numbers, but an array would change their names.
    public var index: Int? {
        guard let number, let first = text.utf8.first, first != UInt8(ascii: "-") else { return nil }
        guard first != UInt8(ascii: "0") || text.utf8.count == 1 else { return nil }
        return Int(number)
    }
}

extension TreeKey: Hashable {
    public static func == (left: TreeKey, right: TreeKey) -> Bool {
        left.number == right.number && left.text.isByteEqual(to: right.text)
    }

    public func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
    }
}

extension TreeKey: Comparable {
    public static func < (left: TreeKey, right: TreeKey) -> Bool {
        switch (left.number, right.number) {
        case (let first?, let second?):
            if first != second { return first < second }
            let lengths = (left.text.utf8.count, right.text.utf8.count)
            if lengths.0 != lengths.1 { return lengths.0 < lengths.1 }
        case (_?, nil): return true
        case (nil, _?): return false
        case (nil, nil): break
        }
        return left.text.isByteOrdered(before: right.text)
    }
}
