import SyncTree

/// Where the trees and their rules are kept.
public protocol TreeStore: AnyObject {
    /// A tree with its rules; `nil` when neither was ever written.
    func tree(_ name: String) throws -> StoredTree?
    /// Writes down what stands at a path now that something was put there.
    func saveTree(_ name: String, _ path: TreePath, in root: TreeNode) throws
    func saveRules(_ name: String, _ json: [UInt8]) throws
    /// All that is saved within, or nothing.
    func transaction<T>(_ body: () throws -> T) throws -> T
}

/// A tree as it is kept.
public struct StoredTree {
    public let root: TreeNode
    /// As they were set; `nil` when they never were.
    public let rules: [UInt8]?

    public init(root: TreeNode, rules: [UInt8]?) {
        self.root = root
        self.rules = rules
    }
}
