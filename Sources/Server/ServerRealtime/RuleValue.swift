import SyncJSON
import SyncTree

/// The value of an expression of a rule.
enum RuleValue {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
    /// A part of the credentials that is an object or a list.
    case credentials(JSON)
    /// A place in the database, as it is or as it would be.
    case place(TreeNode, TreePath)

    init(_ json: JSON?) {
        switch json?.kind {
        case nil, .null: self = .null
        case .bool: self = .bool(json?.bool ?? false)
        case .integer, .real: self = .number(json?.double ?? 0)
        case .string: self = .text(json?.string ?? "")
        case .array, .object: self = json.map { .credentials($0) } ?? .null
        }
    }

    /// The value of a place; one with children is neither equal to anything nor null.
    init?(_ node: TreeNode) {
        switch node.leaf {
        case nil:
            if node.hasChildren { return nil }
            self = .null
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .number(Double(value))
        case .real(let value): self = .number(value)
        case .text(let value): self = .text(value)
        }
    }
}
