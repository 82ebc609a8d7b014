/// A text by which things are told apart.
///
/// Texts of Swift are equal when they look alike: an é of one scalar is the same as an e with an accent behind it.
/// Services, SQLite and hosts compare bytes, so ids that differ in bytes only would be one here and two everywhere
/// else. Whatever is found by an id is therefore found by its bytes.
public protocol TextID: Hashable, Comparable, Sendable, CustomStringConvertible, ExpressibleByStringInterpolation
where StringLiteralType == String {
    var text: String { get }
    init(_ text: String)
}

extension TextID {
    @inlinable
    public init(stringLiteral text: String) { self.init(text) }

    @inlinable
    public var isEmpty: Bool { text.isEmpty }

    public var description: String { text }

    @inlinable
    public static func == (left: Self, right: Self) -> Bool { left.text.isByteEqual(to: right.text) }

    @inlinable
    public static func < (left: Self, right: Self) -> Bool { left.text.isByteOrdered(before: right.text) }

    @inlinable
    public func hash(into hasher: inout Hasher) {
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
        // 0xFF is no byte of UTF-8, so the hashed bytes of one text never begin with those of another one.
        hasher.combine(0xFF as UInt8)
    }
}

/// Any other text by which things are found.
public struct TextKey: TextID {
    public let text: String

    @inlinable
    public init(_ text: String) { self.text = text }
}

extension Sequence<String> {
    /// The texts as keys.
    public var keys: Set<TextKey> { Set(map { TextKey($0) }) }
}

extension Dictionary where Key == TextKey {
    public subscript(_ text: String) -> Value? {
        get { self[TextKey(text)] }
        _modify { yield &self[TextKey(text)] }
    }
}

extension Set where Element == TextKey {
    public func contains(_ text: String) -> Bool { contains(TextKey(text)) }

    @discardableResult
    public mutating func insert(_ text: String) -> Bool { insert(TextKey(text)).inserted }
}
