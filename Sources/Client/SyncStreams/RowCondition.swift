import SyncModel
import SyncTree

/// A condition on a row, in the language of docs/streams.md.
///
/// It cannot fail on any row: a missing field is null, and a comparison of two kinds of values is false.
public indirect enum RowCondition: Sendable {
    public enum Comparison: String, CaseIterable, Sendable {
        case equal = "==", unequal = "!=", less = "<", atMost = "<=", greater = ">", atLeast = ">="
    }

    public enum Operand: Sendable {
        case literal(TreeRank)
        case field(Field)
    }

    case constant(Bool)
    case compare(Field, Comparison, Operand)
    /// The values ascend.
    case isIn(Field, [TreeRank])
    case hasPrefix(Field, String)
    case exists(Field)
    case and([RowCondition])
    case or([RowCondition])
    case not(RowCondition)

    /// Whether it holds for a row.
    public func holds(of item: StreamItem) -> Bool { item.view { holds(of: $0) } }

    func holds(of row: RowView) -> Bool {
        switch self {
        case .constant(let value): return value
        case .compare(let field, let comparison, let operand):
            let other =
                switch operand {
                case .literal(let value): value
                case .field(let field): field.value(of: row)
                }
            return comparison.holds(field.value(of: row), other)
        case .isIn(let field, let values): return RowCondition.contains(field.value(of: row), in: values)
        case .hasPrefix(let field, let prefix):
            guard case .text(let text) = field.value(of: row) else { return false }
            return text.utf8.starts(with: prefix.utf8)
        case .exists(let field): return field.value(of: row) != .nothing
        case .and(let parts): return parts.allSatisfy { $0.holds(of: row) }
        case .or(let parts): return parts.contains { $0.holds(of: row) }
        case .not(let part): return !part.holds(of: row)
        }
    }

    private static func contains(_ value: TreeRank, in sorted: [TreeRank]) -> Bool {
        var low = 0
        var high = sorted.count
        while low < high {
            let middle = (low + high) / 2
            if sorted[middle] < value { low = middle + 1 } else { high = middle }
        }
        return low < sorted.count && sorted[low] == value
    }
}

extension RowCondition.Comparison {
    /// Values of any kind can be equal; only values of one kind have an order. Objects are never equal and have no
    /// order.
    func holds(_ left: TreeRank, _ right: TreeRank) -> Bool {
        let isEqual = left == right && left != .children
        switch self {
        case .equal: return isEqual
        case .unequal: return !isEqual
        case .less, .atMost, .greater, .atLeast:
            guard left.isSameKind(as: right), left != .children, left != .nothing else { return false }
        }
        return switch self {
        case .less: left < right
        case .atMost: left <= right
        case .greater: left > right
        default: left >= right
        }
    }
}
