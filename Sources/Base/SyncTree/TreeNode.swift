/// A value of the realtime database: nothing, a leaf, or children under keys. It is a value type: a copy does not see
/// later changes.
///
/// An empty node does not exist: it has no priority, and its parent does not list it.
public struct TreeNode: Sendable {
    enum Content: Sendable {
        case nothing
        case leaf(TreeLeaf)
        /// In the order of their keys, none of them empty; at least one.
        case children([TreeChild])
    }

    private(set) var content: Content
    /// A number or a text that orders it among its siblings, if it has one.
    public private(set) var priority: TreeLeaf?

    public static let empty = TreeNode(content: .nothing, priority: nil)

    private init(content: Content, priority: TreeLeaf?) {
        self.content = content
        self.priority = priority
    }

    public init(_ leaf: TreeLeaf) { self.init(content: .leaf(leaf), priority: nil) }

    /// A node of children in the order of their keys, each key once; empty ones are left out.
    init(ordered children: [TreeChild]) {
        let filled = children.contains { $0.node.isEmpty } ? children.filter { !$0.node.isEmpty } : children
        self.init(content: filled.isEmpty ? .nothing : .children(filled), priority: nil)
    }

    /// A node of children in any order; of two with the same key the later one counts.
    public init(_ children: [TreeChild]) {
        let isOrdered = zip(children, children.dropFirst()).allSatisfy { $0.key < $1.key }
        if isOrdered {
            self.init(ordered: children)
            return
        }
        var places: [TreeKey: Int] = [:]
        for (place, child) in children.enumerated() { places[child.key] = place }
        self.init(ordered: places.values.map { children[$0] }.sorted { $0.key < $1.key })
    }

    public var isEmpty: Bool {
        if case .nothing = content { return true }
        return false
    }

    public var leaf: TreeLeaf? {
        if case .leaf(let leaf) = content { return leaf }
        return nil
    }

    /// The children, in the order of their keys; none for a leaf.
    public var children: [TreeChild] {
        if case .children(let children) = content { return children }
        return []
    }

    public var hasChildren: Bool {
        if case .children = content { return true }
        return false
    }

    /// The same value with another priority; what is empty has none.
    public func with(priority: TreeLeaf?) -> TreeNode {
        TreeNode(content: content, priority: isEmpty ? nil : priority)
    }

    /// The same value without any priorities, as services send it when these are not asked for.
    public func withoutPriorities() -> TreeNode {
        guard case .children(let children) = content else { return with(priority: nil) }
        return TreeNode(ordered: children.map { TreeChild(key: $0.key, node: $0.node.withoutPriorities()) })
    }

    /// How many bytes it takes, about: its lists of children and its texts. Other values may share most of it.
    public var bytes: Int {
        switch content {
        case .nothing: 0
        case .leaf(.text(let text)): text.utf8.count
        case .leaf: 0
        case .children(let children):
            children.reduce(0) { $0 + TreeChild.bytes(under: $1.key) + $1.node.bytes }
        }
    }

    /// The same, estimated: counts 256 nodes at most, and assumes the same size for the other children.
    public var estimatedBytes: Int {
        var left = 256
        return estimatedBytes(&left)
    }

    private func estimatedBytes(_ left: inout Int) -> Int {
        guard case .children(let children) = content else { return bytes }
        var (sum, seen) = (0, 0)
        for child in children {
            if left <= 0 { break }
            left -= 1
            seen += 1
            sum += TreeChild.bytes(under: child.key) + child.node.estimatedBytes(&left)
        }
        return seen == 0 ? children.count * MemoryLayout<TreeChild>.stride : sum / seen * children.count
    }

    // MARK: Places

    /// The child under a key; empty where there is none.
    public subscript(key: TreeKey) -> TreeNode {
        guard case .children(let children) = content else { return .empty }
        let place = TreeNode.place(of: key, in: children)
        return place < children.count && children[place].key == key ? children[place].node : .empty
    }

    /// The value at a path below this node.
    public subscript(path: TreePath) -> TreeNode {
        var node = self
        for key in path.keys {
            node = node[key]
            if node.isEmpty { break }
        }
        return node
    }

    /// Puts a value at a path, in place of what was there. Leaves on the way become parents, and parents that become
    /// empty are removed.
    public mutating func set(_ path: TreePath, _ node: TreeNode) { set(path.keys[...], node) }

    private mutating func set(_ path: ArraySlice<TreeKey>, _ node: TreeNode) {
        guard let key = path.first else {
            self = node
            return
        }
        if node.isEmpty, !hasChildren { return }
        var children = self.children
        // With no other reference, the children are changed without copying all of them.
        content = .nothing
        let place = TreeNode.place(of: key, in: children)
        if place < children.count, children[place].key == key {
            children[place].node.set(path.dropFirst(), node)
            if children[place].node.isEmpty { children.remove(at: place) }
        } else if !node.isEmpty {
            var made = TreeNode.empty
            made.set(path.dropFirst(), node)
            children.insert(TreeChild(key: key, node: made), at: place)
        }
        content = children.isEmpty ? .nothing : .children(children)
        if children.isEmpty { priority = nil }
    }

    /// The place of the first child whose key is not before this one.
    private static func place(of key: TreeKey, in children: [TreeChild]) -> Int {
        var low = 0
        var high = children.count
        while low < high {
            let middle = low + (high - low) / 2
            if children[middle].key < key { low = middle + 1 } else { high = middle }
        }
        return low
    }
}

extension TreeNode: Equatable {
    public static func == (left: TreeNode, right: TreeNode) -> Bool {
        guard left.priority == right.priority else { return false }
        switch (left.content, right.content) {
        case (.nothing, .nothing): return true
        case (.leaf(let first), .leaf(let second)): return first == second
        case (.children(let first), .children(let second)): return first == second
        default: return false
        }
    }
}
