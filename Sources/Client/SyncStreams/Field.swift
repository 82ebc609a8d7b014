import SyncJSON
import SyncModel
import SyncTree

/// A part of a row that is read: its key, its whole value, or a field below it (`profile/age`).
public enum Field: Equatable, Sendable {
    case key
    case value
    /// A path of names into the row; in a list a name is an index.
    case path([String])

    /// Reads a field as hosts write it: `$key`, `$value`, or names divided by `/`.
    init(_ value: DocumentValue) throws(DocumentError) {
        let text = try value.nonemptyText()
        switch text {
        case "$key": self = .key
        case "$value": self = .value
        default:
            let names = text.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
            guard !text.hasPrefix("$"), names.allSatisfy({ !$0.isEmpty }) else {
                throw value.failure("expected \"$key\", \"$value\" or names divided by single slashes")
            }
            self = .path(names)
        }
    }

    /// As hosts write it.
    var text: String {
        switch self {
        case .key: "$key"
        case .value: "$value"
        case .path(let names): names.joined(separator: "/")
        }
    }

    func value(of row: RowView) -> TreeRank {
        switch self {
        case .key: return .text(row.key)
        case .value: return TreeRank(row.item)
        case .path(let names):
            var slice = row.item
            for name in names {
                let below = slice.isArray
                    ? TreeKey(anyText: name).index.flatMap(slice.element(at:)) : slice.member(named: name)
                guard let below else { return .nothing }
                slice = below
            }
            return TreeRank(slice)
        }
    }
}

/// A row while its fields are read.
struct RowView {
    let key: String
    let item: JSONSlice
}

extension StreamItem {
    /// Reads the row without copying it.
    func view<Result>(_ body: (RowView) -> Result) -> Result {
        json.withUnsafeBytes { body(RowView(key: key, item: .valid($0))) }
    }
}
