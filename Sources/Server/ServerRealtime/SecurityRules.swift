import ServerBase
import SyncBytes
import SyncJSON
import SyncTree

/// Who may read and write where, and what is indexed. A rule that grants something grants it for all that lies below;
/// what no rule grants is denied.
struct SecurityRules {
    enum Kind {
        case read
        case write
    }

    /// The rules of one place; those of its children by their keys, and of any other child under a variable's name.
    private final class Place {
        var read: RuleExpression?
        var write: RuleExpression?
        var indices: [String] = []
        var children: [TreeKey: Place] = [:]
        var variable: (name: String, place: Place)?
    }

    private let root: Place
    /// Whether any rule asks what is stored.
    let readsData: Bool

    /// Reads rules from JSON: `{"rules": {…}}`.
    init(_ text: [UInt8]) throws {
        guard let document = try? JSON.parse(text), let rules = document["rules"], document.count == 1,
            rules.kind == .object
        else {
            throw DatabaseRefusal(400, "Rules are an object under the one name \"rules\".")
        }
        var reader = Reader()
        root = try reader.place(rules, [], [])
        readsData = reader.readsData
    }

    /// Whether a rule grants this at a path.
    func allow(_ kind: Kind, _ path: TreePath, _ scope: RuleScope) -> Bool {
        var scope = scope
        return visit(path) { place, depth, variable in
            if let variable, depth > 0 { scope.variables[variable] = path.keys[depth - 1].text }
            guard let rule = kind == .read ? place.read : place.write else { return false }
            scope.path = TreePath(Array(path.keys.prefix(depth)))
            return scope.isTrue(rule)
        }
    }

    /// Whether children at a path are indexed by this.
    func hasIndex(_ name: String, at path: TreePath) -> Bool {
        visit(path) { place, depth, _ in depth == path.keys.count && place.indices.containsBytes(of: name) }
    }

    /// The places on the way to a path, from the root down, until one says yes.
    private func visit(_ path: TreePath, _ says: (Place, Int, String?) -> Bool) -> Bool {
        var place = root
        if says(place, 0, nil) { return true }
        for (index, key) in path.keys.enumerated() {
            var variable: String?
            if let child = place.children[key] {
                place = child
            } else if let wild = place.variable {
                place = wild.place
                variable = wild.name
            } else {
                return false
            }
            if says(place, index + 1, variable) { return true }
        }
        return false
    }

    // MARK: Reading

    private struct Reader {
        var readsData = false

        mutating func place(_ json: JSON, _ path: [String], _ variables: [String]) throws -> Place {
            guard path.count <= TreePath.depthLimit else { throw wrong(path, "is too deep") }
            let place = Place()
            for (name, value) in json.members ?? [] {
                let inner = path + [name]
                switch name {
                case ".read": place.read = try expression(value, inner, variables, isWrite: false)
                case ".write": place.write = try expression(value, inner, variables, isWrite: true)
                case ".indexOn": place.indices = try indices(value, inner)
                case ".validate": throw wrong(inner, "is not served here")
                default:
                    guard value.kind == .object else { throw wrong(inner, "has to be an object") }
                    if name.utf8.first == UInt8(ascii: "$") {
                        guard TreeKey(name.droppingBytes(first: 1)) != nil, !variables.containsBytes(of: name) else {
                            throw wrong(inner, "is no new name of a variable")
                        }
                        guard place.variable == nil else { throw wrong(inner, "is a second variable of one place") }
                        place.variable = (name, try self.place(value, inner, variables + [name]))
                    } else {
                        guard let key = TreeKey(name) else { throw wrong(inner, "is no key") }
                        place.children[key] = try self.place(value, inner, variables)
                    }
                }
            }
            return place
        }

        private mutating func expression(
            _ value: JSON, _ path: [String], _ variables: [String], isWrite: Bool
        ) throws -> RuleExpression {
            if let flag = value.bool { return .value(.bool(flag)) }
            guard let text = value.string else { throw wrong(path, "has to be true, false or an expression") }
            var parser = RuleParser(text, variables: variables, isWrite: isWrite)
            do {
                let expression = try parser.expression()
                readsData = readsData || parser.readsData
                return expression
            } catch let failure as RuleParser.Failure {
                throw wrong(path, "has \(failure.what) at \(failure.offset + 1)")
            }
        }

        private func indices(_ value: JSON, _ path: [String]) throws -> [String] {
            let names = value.string.map { [$0] } ?? value.array?.compactMap(\.string) ?? []
            guard !names.isEmpty, value.kind == .string || names.count == value.count else {
                throw wrong(path, "has to be a path or a list of paths")
            }
            return try names.map { name in
                if name == ".value" { return name }
                guard let path = try? TreePath(name), !path.isRoot else { throw wrong([name], "cannot be indexed") }
                return path.text.droppingBytes(first: 1)
            }
        }

        private func wrong(_ path: [String], _ why: String) -> DatabaseRefusal {
            DatabaseRefusal(400, "Rules: /\(path.joined(separator: "/")) \(why).")
        }
    }
}
