import SyncModel
import SyncTree

/// What a stream is ordered by. Rows that are level are ordered by their keys.
public struct StreamOrder: Sendable {
    public enum Value: Sendable {
        case field(Field)
        /// The order in which the source has them; rows without a place there stand behind all others.
        case source
    }

    public var by: Value
    public var isDescending: Bool

    public init(by: Value, isDescending: Bool = false) {
        self.by = by
        self.isDescending = isDescending
    }

    func place(of item: StreamItem) -> StreamPlace {
        switch by {
        // The key comes in anyway.
        case .field(.key): StreamPlace(.nothing, key: item.key, isDescending: isDescending)
        case .field(let field): StreamPlace(item.view(field.value), key: item.key, isDescending: isDescending)
        case .source: StreamPlace(rank: item.rank, key: item.key, isDescending: isDescending)
        }
    }
}
