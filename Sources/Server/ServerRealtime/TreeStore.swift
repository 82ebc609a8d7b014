import SyncTree

/// Where the trees and their rules are kept.
public protocol TreeStore: AnyObject {
    /// A tree with its rules; `nil` when neither was ever written.
    func tree(_ name: String) throws -> StoredTree?
    /// Stores the value that is at a path after a write there.
    func saveTree(_ name: String, _ path: TreePath, in root: TreeNode) throws
    func saveRules(_ name: String, _ json: [UInt8]) throws
    /// Stores all that `body` saves, or nothing of it.
    func transaction<T>(_ body: () throws -> T) throws -> T
}

/// A tree as it is kept.
public struct StoredTree {
    public let root: TreeNode
    /// The rules in the text in which they were set; `nil` when they never were.
    public let rules: [UInt8]?

    public init(root: TreeNode, rules: [UInt8]?) {
        self.root = root
        self.rules = rules
    }
}
