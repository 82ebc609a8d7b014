/// A value that is put at a path, in place of the value there.
public struct TreeWrite: Equatable, Sendable {
    public let path: TreePath
    public let node: TreeNode

    public init(path: TreePath, node: TreeNode) {
        self.path = path
        self.node = node
    }
}
