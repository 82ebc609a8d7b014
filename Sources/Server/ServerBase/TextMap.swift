/// A text as a key, by its bytes.
struct ByteKey: Hashable, Sendable {
    let text: String

    init(_ text: String) { self.text = text }

    static func == (left: ByteKey, right: ByteKey) -> Bool { left.text.isByteEqual(to: right.text) }

    func hash(into hasher: inout Hasher) {
        var text = text
        text.withUTF8 { hasher.combine(bytes: UnsafeRawBufferPointer($0)) }
        // No byte of UTF-8: a text is not the start of another one.
        hasher.combine(0xFF as UInt8)
    }
}

/// Values that are found by texts, which are told apart by their bytes.
public struct TextMap<Value> {
    private var values: [ByteKey: Value] = [:]

    public init() {}

    /// Of several values of one text the last one is kept.
    public init(_ pairs: some Sequence<(String, Value)>) {
        for (text, value) in pairs { values[ByteKey(text)] = value }
    }

    public var isEmpty: Bool { values.isEmpty }
    public var count: Int { values.count }
    /// In no order.
    public var keys: [String] { values.keys.map { $0.text } }

    public subscript(text: String) -> Value? {
        get { values[ByteKey(text)] }
        _modify { yield &values[ByteKey(text)] }
    }

    public subscript(text: String, default usual: @autoclosure () -> Value) -> Value {
        get { values[ByteKey(text), default: usual()] }
        _modify { yield &values[ByteKey(text), default: usual()] }
    }

    /// In the order of the texts' bytes.
    public func sorted() -> [(key: String, value: Value)] {
        values.sorted { $0.key.text.isByteOrdered(before: $1.key.text) }.map { ($0.key.text, $0.value) }
    }

    public mutating func removeAll(where isGone: (Value) -> Bool) { values = values.filter { !isGone($0.value) } }
}

extension TextMap: Sendable where Value: Sendable {}

extension TextMap: ExpressibleByDictionaryLiteral {
    public init(dictionaryLiteral pairs: (String, Value)...) { self.init(pairs) }
}
