import SyncBytes
import SyncModel
import SyncTree

/// Where the objects of a type lie: "/group_message/$group/@".
///
/// "@" is the object's own key; it is the last part or missing. Without it there is one object for each context.
/// "$name" is the key of the resource that the context has under that name; every other part stands for itself.
public struct PathTemplate: Equatable, Sendable {
    enum Part: Equatable, Sendable {
        case literal(TreeKey)
        case context(TextKey)
        case key
    }

    let parts: [Part]

    /// Reads a template as hosts write it. Errors have the JSON path of what is wrong.
    public init(_ value: DocumentValue) throws(DocumentError) {
        let text = try value.nonemptyText()
        let names = (text.hasPrefix("/") ? text.dropFirst() : text[...])
            .split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        guard names.count <= TreePath.depthLimit else {
            throw value.failure("has more than \(TreePath.depthLimit) parts")
        }
        var parts: [Part] = []
        for (index, name) in names.enumerated() {
            if name == "@" {
                guard index == names.count - 1 else { throw value.failure("has an \"@\" that is not the last part") }
                parts.append(.key)
            } else if name.hasPrefix("$") {
                guard name.utf8.count > 1 else { throw value.failure("has a \"$\" without a name behind it") }
                parts.append(.context(TextKey(String(name.dropFirst()))))
            } else if let key = TreeKey(name) {
                parts.append(.literal(key))
            } else {
                throw value.failure(
                    "part \(index + 1) is no key: expected \"@\", \"$name\" or a name without any of . $ # [ ] /")
            }
        }
        self.parts = parts
    }

    /// Whether objects have keys of their own, so that there may be many in one context.
    var hasKey: Bool { parts.last == .key }

    /// The names of resources that a path needs from its context.
    var names: [TextKey] {
        parts.compactMap { if case .context(let name) = $0 { name } else { nil } }
    }

    /// The path of an object; with an "@" and no key, the path of all objects of the type.
    func path(key: TreeKey?, _ context: ResourceStack) throws(ResourceFailure) -> TreePath {
        var keys: [TreeKey] = []
        for part in parts {
            switch part {
            case .literal(let literal): keys.append(literal)
            case .key: if let key { keys.append(key) }
            case .context(let name):
                guard let entry = context[name] else {
                    throw ResourceFailure(.invalidArgument, "$.context: has no \"\(name.text)\", which the path needs")
                }
                keys.append(entry.key)
            }
        }
        return TreePath(keys)
    }
}
