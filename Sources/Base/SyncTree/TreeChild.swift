/// A child with its key.
public struct TreeChild: Equatable, Sendable {
    public let key: TreeKey
    public internal(set) var node: TreeNode

    public init(key: TreeKey, node: TreeNode) {
        self.key = key
        self.node = node
    }

    /// How many bytes a child takes in its list, about, without its value.
    public static func bytes(under key: TreeKey) -> Int { MemoryLayout<TreeChild>.stride + key.text.utf8.count }
}
