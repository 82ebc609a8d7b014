/// A place in a tree: the keys from its root down.
public struct TreePath: Hashable, Sendable {
    public var keys: [TreeKey]

    /// The most levels of a tree.
    public static let depthLimit = 32

    public init(_ keys: [TreeKey] = []) { self.keys = keys }

    /// The path of keys that are joined by slashes. Empty parts count for nothing, so "/a//b/" is "a/b".
    public init(_ text: String) throws(TreeError) {
        var keys: [TreeKey] = []
        // By bytes: a key may begin with a character that combines with the slash.
        for part in text.utf8.split(separator: UInt8(ascii: "/")) {
            guard let key = TreeKey(String(Substring(part))) else { throw TreeError(.path) }
            keys.append(key)
        }
        self.keys = keys
        guard keys.count <= TreePath.depthLimit else { throw TreeError(.depth) }
    }

    public var isRoot: Bool { keys.isEmpty }

    /// The keys joined by slashes, with one in front: "/" is the root.
    public var text: String { "/" + keys.map(\.text).joined(separator: "/") }

    /// Whether the other path is this one, or lies below it.
    public func contains(_ other: TreePath) -> Bool { other.keys.starts(with: keys) }

    /// Whether one of the two paths contains the other.
    public func touches(_ other: TreePath) -> Bool { zip(keys, other.keys).allSatisfy { $0 == $1 } }

    /// The rest of a path that lies below this one.
    public func relative(_ other: TreePath) -> TreePath { TreePath(Array(other.keys.dropFirst(keys.count))) }

    public static func + (left: TreePath, right: TreePath) -> TreePath { TreePath(left.keys + right.keys) }
    public static func + (left: TreePath, key: TreeKey) -> TreePath { TreePath(left.keys + [key]) }
}
