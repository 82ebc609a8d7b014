/// A child with its key.
public struct TreeChild: Equatable, Sendable {
    public let key: TreeKey
    public internal(set) var node: TreeNode

    public init(key: TreeKey, node: TreeNode) {
        self.key = key
        self.node = node
    }
}
