/// What the children of a node are ordered by. Children that are equal in it are ordered by their keys.
public enum TreeOrder: Hashable, Sendable {
    case key
    case value
    case priority
    /// The value at a path below each child.
    case child(TreePath)

    /// The value by which a child is ordered.
    public func rank(_ child: TreeChild) -> TreeRank {
        switch self {
        case .key: .nothing
        case .value: TreeRank(child.node)
        case .priority: TreeRank(child.node.priority)
        case .child(let path): TreeRank(child.node[path])
        }
    }

    public func isBefore(_ left: TreeChild, _ right: TreeChild) -> Bool {
        let ranks = (rank(left), rank(right))
        return ranks.0 == ranks.1 ? left.key < right.key : ranks.0 < ranks.1
    }
}
