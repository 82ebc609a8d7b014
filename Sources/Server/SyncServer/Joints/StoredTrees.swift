import ServerBase
import ServerChat
import ServerRealtime
import SyncBytes
import SyncSQLite
import SyncTree

/// The database's trees in the chat's file, leaf by leaf: a row for each value that has no children, under its path,
/// and one for each priority under the path of its node with "/.priority" behind it. The root's path is empty.
final class StoredTrees: TreeStore {
    private let storage: Storage
    private var connection: Connection { storage.connection }

    init(_ storage: Storage) { self.storage = storage }

    func transaction<T>(_ body: () throws -> T) throws -> T { try storage.transaction(body) }

    /// A tree with its rules; `nil` when neither was ever written.
    func tree(_ name: String) throws -> StoredTree? {
        let rules = try connection.prepare("SELECT json FROM documents WHERE kind = 'rules' AND id = ?").bind(name)
            .first { $0.bytes(0) }
        let rows = try connection.prepare("SELECT path, json FROM leaves WHERE tree = ? ORDER BY path").bind(name)
            .all { (path: $0.text(0), json: $0.bytes(1)) }
        guard rules != nil || !rows.isEmpty else { return nil }
        var root = TreeNode.empty
        var priorities: [(TreePath, TreeLeaf)] = []
        for row in rows {
            do {
                let node = try TreeReader.value(row.json, time: 0)
                if row.path.endsWithBytes(of: StoredTrees.prioritySuffix) {
                    let path = try TreePath(row.path.droppingBytes(last: StoredTrees.prioritySuffix.utf8.count))
                    if let leaf = node.leaf { priorities.append((path, leaf)) }
                } else {
                    root.set(try TreePath(row.path), node)
                }
            } catch {
                throw StoreError.corrupt(message: "the tree \(name) has a broken leaf at \(row.path): \(error)")
            }
        }
        for (path, priority) in priorities { root.set(path, root[path].with(priority: priority)) }
        return StoredTree(root: root, rules: rules)
    }

    /// Stores the value that is at a path after a write there.
    func saveTree(_ name: String, _ path: TreePath, in root: TreeNode) throws {
        // A leaf above has become a parent, and a parent that has nothing left is gone with its priority.
        var cleared = path
        for depth in 0..<path.keys.count {
            let outer = TreePath(Array(path.keys.prefix(depth)))
            let node = root[outer]
            if node.isEmpty {
                cleared = outer
                break
            }
            // Nothing was put below a leaf that is still there.
            if node.leaf != nil { return }
            try connection.prepare("DELETE FROM leaves WHERE tree = ? AND path = ?")
                .bind(name).bind(StoredTrees.text(outer)).run()
        }
        let text = StoredTrees.text(cleared)
        try connection.prepare("DELETE FROM leaves WHERE tree = ? AND path = ?").bind(name).bind(text).run()
        // "0" is the character behind "/". In one statement with the above, SQLite would read the whole tree.
        try connection.prepare("DELETE FROM leaves WHERE tree = ? AND path > ? AND path < ?")
            .bind(name).bind(text + "/").bind(text + "0").run()
        try insert(name, text, root[cleared])
    }

    private func insert(_ name: String, _ path: String, _ node: TreeNode) throws {
        func row(_ path: String, _ leaf: TreeLeaf) throws {
            try connection.prepare("INSERT INTO leaves (tree, path, json) VALUES (?, ?, ?)").bind(name).bind(path)
                .bind(TreeNode(leaf).json()).run()
        }
        if let priority = node.priority { try row(path + StoredTrees.prioritySuffix, priority) }
        if let leaf = node.leaf { try row(path, leaf) }
        for child in node.children { try insert(name, path + "/" + child.key.text, child.node) }
    }

    func saveRules(_ name: String, _ json: [UInt8]) throws {
        try connection.prepare(
            "INSERT OR REPLACE INTO documents (kind, id, scope, at, due, json) VALUES ('rules', ?, '', 0, 0, ?)"
        ).bind(name).bind(json).run()
    }

    private static let prioritySuffix = "/.priority"

    private static func text(_ path: TreePath) -> String { path.isRoot ? "" : path.text }
}
