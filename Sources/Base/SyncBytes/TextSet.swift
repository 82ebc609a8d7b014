/// Texts that are told apart by their bytes.
public struct TextSet: Equatable, Sendable {
    private var texts: Set<TextKey> = []

    public init() {}
    public init(_ texts: some Sequence<String>) { self.texts = Set(texts.map(TextKey.init)) }

    public var isEmpty: Bool { texts.isEmpty }
    public var count: Int { texts.count }

    public func contains(_ text: String) -> Bool { texts.contains(TextKey(text)) }

    /// Adds a text; the result says whether it is new.
    @discardableResult
    public mutating func insert(_ text: String) -> Bool { texts.insert(TextKey(text)).inserted }

    public mutating func remove(_ text: String) { texts.remove(TextKey(text)) }
    public mutating func formUnion(_ other: some Sequence<String>) { for text in other { insert(text) } }

    public func union(_ other: some Sequence<String>) -> TextSet {
        var result = self
        result.formUnion(other)
        return result
    }

    public func subtracting(_ other: TextSet) -> TextSet {
        var result = self
        result.texts.subtract(other.texts)
        return result
    }

    public func symmetricDifference(_ other: TextSet) -> TextSet {
        var result = self
        result.texts.formSymmetricDifference(other.texts)
        return result
    }

    /// In the order of their bytes.
    public func sorted() -> [String] { sortedByBytes() }
}

/// In no order.
extension TextSet: Sequence {
    public func makeIterator() -> some IteratorProtocol<String> { texts.lazy.map { $0.text }.makeIterator() }
}

extension TextSet: ExpressibleByArrayLiteral {
    public init(arrayLiteral texts: String...) { self.init(texts) }
}
