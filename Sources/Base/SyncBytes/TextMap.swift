/// Values that are found by texts, which are told apart by their bytes.
public struct TextMap<Value> {
    private var values: [TextKey: Value] = [:]

    public init() {}

    /// Of several values of one text the last one is kept.
    public init(_ pairs: some Sequence<(String, Value)>) {
        for (text, value) in pairs { values[TextKey(text)] = value }
    }

    public var isEmpty: Bool { values.isEmpty }
    public var count: Int { values.count }
    /// In no order.
    public var keys: [String] { values.keys.map { $0.text } }

    public subscript(text: String) -> Value? {
        get { values[TextKey(text)] }
        _modify { yield &values[TextKey(text)] }
    }

    public subscript(text: String, default usual: @autoclosure () -> Value) -> Value {
        get { values[TextKey(text), default: usual()] }
        _modify { yield &values[TextKey(text), default: usual()] }
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
