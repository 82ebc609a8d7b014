import SyncBytes

/// A value as far as its order is concerned: nothing, false, true, numbers, strings, and values with children.
public enum TreeRank: Sendable {
    case nothing
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case text(String)
    case children

    public init(_ node: TreeNode) {
        if node.hasChildren { self = .children } else { self.init(node.leaf) }
    }

    public init(_ leaf: TreeLeaf?) {
        switch leaf {
        case nil: self = .nothing
        case .bool(let value): self = .bool(value)
        case .integer(let value): self = .integer(value)
        case .real(let value): self = .real(value)
        case .text(let value): self = .text(value)
        }
    }

    /// Whether both are of one kind, so that comparing them compares their values.
    public func isSameKind(as other: TreeRank) -> Bool { kind == other.kind }

    private var kind: Int {
        switch self {
        case .nothing: 0
        case .bool: 1
        case .integer, .real: 2
        case .text: 3
        case .children: 4
        }
    }
}

extension TreeRank: Comparable {
    public static func < (left: TreeRank, right: TreeRank) -> Bool {
        switch (left, right) {
        case (.bool(let first), .bool(let second)): !first && second
        case (.integer(let first), .integer(let second)): first < second
        case (.real(let first), .real(let second)): first < second
        case (.integer(let first), .real(let second)): compare(first, second) < 0
        case (.real(let first), .integer(let second)): compare(second, first) > 0
        case (.text(let first), .text(let second)): first.isByteOrdered(before: second)
        default: left.kind < right.kind
        }
    }

    public static func == (left: TreeRank, right: TreeRank) -> Bool { !(left < right) && !(right < left) }

    /// Below 0 when the integer is less, above when it is more. A conversion to double would make neighbours equal.
    private static func compare(_ integer: Int64, _ real: Double) -> Int {
        if real >= 0x1p63 { return -1 }
        guard let whole = Int64(exactly: real.rounded(.down)) else { return 1 }
        if integer != whole { return integer < whole ? -1 : 1 }
        return real > real.rounded(.down) ? -1 : 0
    }
}
