import SyncModel
import SyncStreams
import SyncTree

/// A number in an object that says how many objects of another type there are in its context.
public struct ResourceCounter: Sendable {
    /// Below the owner's path.
    let name: TreeKey
    /// The type that is counted.
    let counting: TextKey
    /// Which objects of it; all when it is missing.
    let predicate: RowCondition?

    /// Reads `{"name": "message_count", "counting": "GroupMessage", "predicate": …}`.
    init(_ document: DocumentValue) throws(DocumentError) {
        for (key, member) in try document.members() where !["name", "counting", "predicate"].contains(key) {
            throw member.unknown(in: "counter")
        }
        guard let name = document.member("name") else { throw document.missing("name") }
        guard let counting = document.member("counting") else { throw document.missing("counting") }
        self.name = try name.treeKey()
        self.counting = TextKey(try counting.nonemptyText())
        predicate = try document.member("predicate").map { (value) throws(DocumentError) in try RowCondition(value) }
    }

    /// Whether an object counts. What is not there does not.
    func counts(_ key: TreeKey, _ value: TreeNode) -> Bool {
        guard !value.isEmpty else { return false }
        return predicate?.holds(of: StreamItem(key: key.text, json: value.json())) ?? true
    }
}
