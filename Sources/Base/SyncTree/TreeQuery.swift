/// A part of a node's children: ordered, between two bounds, and limited to so many from either end.
public struct TreeQuery: Sendable {
    /// An end of the range. Without a key it is before or after all children with an equal value.
    public struct Bound: Sendable {
        let rank: TreeRank
        let key: TreeKey?
        let isInclusive: Bool
    }

    public enum Limit: Hashable, Sendable {
        case first(Int)
        case last(Int)
    }

    public let order: TreeOrder
    public var limit: Limit?
    private var start: Bound?
    private var end: Bound?

    public init(_ order: TreeOrder, limit: Limit? = nil) {
        self.order = order
        self.limit = limit
    }

    /// Sets where the range begins.
    ///
    /// - Parameters:
    ///   - leaf: the least value, or by key the least key; `nil` is nothing, which is before all else.
    ///   - key: the least key among children with that value.
    public mutating func begin(at leaf: TreeLeaf?, key: String? = nil, isInclusive: Bool = true) throws(TreeError) {
        start = try bound(leaf, key, isInclusive)
    }

    /// Sets where the range ends.
    public mutating func end(at leaf: TreeLeaf?, key: String? = nil, isInclusive: Bool = true) throws(TreeError) {
        end = try bound(leaf, key, isInclusive)
    }

    private func bound(_ leaf: TreeLeaf?, _ key: String?, _ isInclusive: Bool) throws(TreeError) -> Bound {
        switch order {
        case .key:
            guard case .text(let text) = leaf, key == nil else {
                throw TreeError(.query("A range of keys takes strings"))
            }
            return Bound(rank: .nothing, key: TreeKey(anyText: text), isInclusive: isInclusive)
        case .priority:
            if case .bool = leaf { throw TreeError(.query("A range of priorities takes numbers and strings")) }
        case .value, .child: break
        }
        return Bound(rank: TreeRank(leaf), key: key.map { TreeKey(anyText: $0) }, isInclusive: isInclusive)
    }

    /// The node's children that the query selects, in its order.
    public func children(of node: TreeNode) -> [TreeChild] {
        var found = node.children.filter { includes($0) }
        if order != .key { found = sorted(found) }
        switch limit {
        case .first(let count): return Array(found.prefix(count))
        case .last(let count): return Array(found.suffix(count))
        case nil: return found
        }
    }

    /// The node with only the children that the query selects.
    public func window(of node: TreeNode) -> TreeNode { TreeNode(children(of: node)) }

    private func sorted(_ children: [TreeChild]) -> [TreeChild] {
        // The rank of each child is computed once, not at each comparison.
        let ranked = children.map { (rank: order.rank($0), child: $0) }
        return ranked.sorted { left, right in
            left.rank == right.rank ? left.child.key < right.child.key : left.rank < right.rank
        }.map(\.child)
    }

    private func includes(_ child: TreeChild) -> Bool {
        if start == nil, end == nil { return true }
        let rank = order.rank(child)
        if let start {
            if rank < start.rank { return false }
            if rank == start.rank {
                guard let key = start.key else { return start.isInclusive && isWithinEnd(rank, child.key) }
                if child.key < key || !start.isInclusive && child.key == key { return false }
            }
        }
        return isWithinEnd(rank, child.key)
    }

    private func isWithinEnd(_ rank: TreeRank, _ childKey: TreeKey) -> Bool {
        guard let end else { return true }
        if rank != end.rank { return rank < end.rank }
        guard let key = end.key else { return end.isInclusive }
        return childKey < key || end.isInclusive && childKey == key
    }
}
