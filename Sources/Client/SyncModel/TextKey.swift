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

    public static func < (left: Self, right: Self) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    public func hash(into hasher: inout Hasher) {
        let isHashed: Void? = text.utf8.withContiguousStorageIfAvailable {
            hasher.combine(bytes: UnsafeRawBufferPointer($0))
        }
        if isHashed == nil { for byte in text.utf8 { hasher.combine(byte) } }
        // No byte of UTF-8: a text is not the start of another one.
        hasher.combine(0xFF as UInt8)
    }
}

/// A user, as the service names them; empty where a message has no sender.
public struct UserID: TextID {
    public let text: String

    @inlinable
    public init(_ text: String) { self.text = text }
}

/// A channel, as the service names it.
public struct ChannelURL: TextID {
    public let text: String

    @inlinable
    public init(_ text: String) { self.text = text }
}

/// A message, as the service names it; of a thread, its first message; empty where there is none.
public struct MessageID: TextID {
    public let text: String

    @inlinable
    public init(_ text: String) { self.text = text }
}

/// A request to send a message, as this client names it; empty where a message was not sent by such a request.
public struct RequestID: TextID {
    public let text: String

    @inlinable
    public init(_ text: String) { self.text = text }
}

/// Any other text by which things are found.
public struct TextKey: TextID {
    public let text: String

    @inlinable
    public init(_ text: String) { self.text = text }
}

extension String {
    /// Whether both are the same bytes of UTF-8; `==` also takes composed and decomposed letters for the same.
    @inlinable
    public func isByteEqual(to other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}

extension Sequence<String> {
    /// The texts as keys.
    public var keys: Set<TextKey> { Set(map { TextKey($0) }) }

    /// Whether one of them has the same bytes.
    public func containsBytes(of text: String) -> Bool { contains { $0.isByteEqual(to: text) } }
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
