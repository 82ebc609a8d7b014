import SyncBytes
import SyncModel
import SyncStreams
import SyncTree

/// A counter: a number in an object that says how many objects of another type belong to it.
public struct ResourceCounter: Sendable {
    /// The counter's key below the owner's path.
    let name: TreeKey
    /// The type that is counted.
    let counting: TextKey
    /// Which objects of that type count; all when it is missing.
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

    /// Whether an object counts; one that does not exist does not.
    func counts(_ key: TreeKey, _ value: TreeNode) -> Bool {
        guard !value.isEmpty else { return false }
        return predicate?.holds(of: StreamItem(key: key.text, json: value.json())) ?? true
    }
}
