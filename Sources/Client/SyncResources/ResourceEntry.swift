import SyncBytes
import SyncJSON
import SyncModel
import SyncTree

/// An object that a context has under a name: `{"key": "g1", "type": "Group", "value": {…}}`, or its key alone.
public struct ResourceEntry: Equatable, Sendable {
    public let key: TreeKey
    /// The object's type, by which counters find their owner; `nil` when the host gave none.
    public let type: TextKey?
    /// JSON text for the action log; `nil` when the host gave none.
    public let value: [UInt8]?

    public init(key: TreeKey, type: TextKey? = nil, value: [UInt8]? = nil) {
        self.key = key
        self.type = type
        self.value = value
    }

    init(_ document: DocumentValue) throws(DocumentError) {
        if document.json.kind == .string {
            self.init(key: try document.treeKey())
            return
        }
        for (name, member) in try document.members() where !["key", "type", "value"].contains(name) {
            throw member.unknown(in: "resource")
        }
        guard let key = document.member("key") else { throw document.missing("key") }
        self.init(
            key: try key.treeKey(),
            type: try document.member("type").map { (type) throws(DocumentError) in TextKey(try type.nonemptyText()) },
            value: document.member("value")?.json.serialized())
    }

    /// The most resources of a context.
    private static let most = 100

    /// The resources of a context, in the document's order.
    static func list(_ document: DocumentValue) throws(DocumentError) -> [NamedResource] {
        var list: [NamedResource] = []
        for (name, member) in try document.members() {
            guard !name.isEmpty, !name.utf8.contains(UInt8(ascii: "/")) else {
                throw member.failure("a resource's name is a text without slashes that is not empty")
            }
            guard list.count < most else {
                throw document.failure("a context has at most \(most) resources")
            }
            list.append(NamedResource(name: TextKey(name), entry: try ResourceEntry(member)))
        }
        return list
    }

    func write(_ writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("key")
        writer.string(key.text)
        if let type {
            writer.key("type")
            writer.string(type.text)
        }
        if let value {
            writer.key("value")
            writer.raw(value)
        }
        writer.endObject()
    }
}

extension DocumentValue {
    /// Reads a text that is a key of the database.
    func treeKey() throws(DocumentError) -> TreeKey {
        guard let key = TreeKey(try nonemptyText()) else {
            throw failure("expected a key: \(TreeKey.rule)")
        }
        return key
    }
}
