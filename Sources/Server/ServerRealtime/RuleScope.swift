import ServerBase
import SyncBytes
import SyncJSON
import SyncTree

/// What a rule may ask about, and the answers. An expression that makes no sense (a comparison of things that have no
/// order, a member of nothing) grants nothing.
struct RuleScope {
    let auth: JSON?
    let root: TreeNode
    /// The database as the write would leave it.
    let after: TreeNode?
    /// In milliseconds since the epoch.
    let now: Int64
    /// Where the rule stands.
    var path = TreePath()
    /// The parts of the path that stand for the rules' `$variables`, by the names of these.
    var variables: TextMap<String> = [:]

    init(auth: JSON?, root: TreeNode, after: TreeNode?, now: Int64) {
        self.auth = auth
        self.root = root
        self.after = after
        self.now = now
    }

    private struct Senseless: Error {}

    func isTrue(_ rule: RuleExpression) -> Bool {
        if case .bool(let value)? = try? value(rule) { return value }
        return false
    }

    private func value(_ expression: RuleExpression) throws -> RuleValue {
        switch expression {
        case .value(let value): return value
        case .variable(let name): return .text(variables[name] ?? "")
        case .name(.auth): return RuleValue(auth)
        case .name(.now): return .number(Double(now))
        case .name(.data): return .place(root, path)
        case .name(.root): return .place(root, TreePath())
        case .name(.newData): return .place(after ?? root, path)
        case .member(let inner, let name):
            guard case .credentials(let json) = try value(inner) else { throw Senseless() }
            return RuleValue(json[name])
        case .question(let inner, let question, let argument):
            return try ask(question, try value(inner), try argument.map { try value($0) })
        case .compare(let comparison, let left, let right):
            return .bool(try compare(comparison, try value(left), try value(right)))
        case .and(let left, let right): return .bool(try bool(left) && bool(right))
        case .or(let left, let right):
            // When the left side cannot be evaluated, the right side still decides.
            if (try? bool(left)) == true { return .bool(true) }
            return .bool(try bool(right))
        case .not(let inner): return .bool(!(try bool(inner)))
        }
    }

    private func bool(_ expression: RuleExpression) throws -> Bool {
        guard case .bool(let value) = try value(expression) else { throw Senseless() }
        return value
    }

    private func ask(
        _ question: RuleExpression.Question, _ subject: RuleValue, _ argument: RuleValue?
    ) throws -> RuleValue {
        guard case .place(let tree, let path) = subject else { throw Senseless() }
        let node = tree[path]
        func argumentPath() throws -> TreePath {
            guard case .text(let text)? = argument else { throw Senseless() }
            return try TreePath(text)
        }
        switch question {
        case .val:
            guard let value = RuleValue(node) else { return .place(tree, path) }
            return value
        case .exists: return .bool(!node.isEmpty)
        case .child: return .place(tree, path + (try argumentPath()))
        case .parent:
            guard !path.isRoot else { throw Senseless() }
            return .place(tree, TreePath(Array(path.keys.dropLast())))
        case .hasChild: return .bool(!node[try argumentPath()].isEmpty)
        case .hasChildren: return .bool(node.hasChildren)
        case .isString:
            if case .text? = node.leaf { return .bool(true) }
            return .bool(false)
        case .isNumber: return .bool(node.leaf?.isNumber ?? false)
        case .isBoolean:
            if case .bool? = node.leaf { return .bool(true) }
            return .bool(false)
        }
    }

    private func compare(
        _ comparison: RuleExpression.Comparison, _ left: RuleValue, _ right: RuleValue
    ) throws -> Bool {
        switch comparison {
        case .equal: return isEqual(left, right)
        case .different: return !isEqual(left, right)
        case .less: return try isLess(left, right)
        case .lessOrEqual: return !(try isLess(right, left))
        case .more: return try isLess(right, left)
        case .moreOrEqual: return !(try isLess(left, right))
        }
    }

    private func isEqual(_ left: RuleValue, _ right: RuleValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let first), .bool(let second)): first == second
        case (.number(let first), .number(let second)): first == second
        case (.text(let first), .text(let second)): TreeLeaf.text(first) == TreeLeaf.text(second)
        default: false
        }
    }

    private func isLess(_ left: RuleValue, _ right: RuleValue) throws -> Bool {
        switch (left, right) {
        case (.number(let first), .number(let second)): return first < second
        case (.text(let first), .text(let second)):
            return TreeRank(.text(first)) < TreeRank(.text(second))
        default: throw Senseless()
        }
    }
}
