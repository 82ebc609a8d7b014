import SyncModel
import SyncTree

/// What a stream is ordered by. Rows with equal values are ordered by their keys.
public struct StreamOrder: Sendable {
    public enum Value: Sendable {
        case field(Field)
        /// The source's own order; rows without a rank come last.
        case source
    }

    public var by: Value
    public var isDescending: Bool

    public init(by: Value, isDescending: Bool = false) {
        self.by = by
        self.isDescending = isDescending
    }

    /// A bound of a list in this order. A value that this order cannot have is refused, with its path in the document.
    func bound(_ value: TreeRank, path: String) throws(DocumentError) -> StreamBound {
        switch (by, value) {
        case (.source, _):
            throw DocumentError(path: path, message: "needs order_by: the source's order has no values")
        case (.field(.key), .text(let key)) where !key.utf8.contains(0): return .key(TreeKey(anyText: key))
        case (.field(.key), _): throw DocumentError(path: path, message: "expected a text: the order is that of keys")
        case (.field, .children):
            throw DocumentError(path: path, message: "expected null, true, false, a number or a text")
        case (.field, _): return .value(value)
        }
    }

    func place(of item: StreamItem) -> StreamPlace {
        switch by {
        // A place always compares the key last, so no other value is needed.
        case .field(.key): StreamPlace(.nothing, key: item.key, isDescending: isDescending)
        case .field(let field): StreamPlace(item.view(field.value), key: item.key, isDescending: isDescending)
        case .source: StreamPlace(rank: item.rank, key: item.key, isDescending: isDescending)
        }
    }
}
