import SyncBytes
import SyncJSON
import SyncModel
import SyncTree

/// Which children of a place, in which order; used for the request to the service and for values known here. Two
/// queries are equal when their parameters are.
public struct DatabaseQuery: Sendable {
    /// An end of the range. In the order by key the value is a text; else it is empty, a leaf, or a leaf and a key.
    public struct Bound: Sendable {
        public let leaf: TreeLeaf?
        public let key: String?
        public let isInclusive: Bool

        public init(_ leaf: TreeLeaf?, key: String? = nil, isInclusive: Bool = true) {
            self.leaf = leaf
            self.key = key
            self.isInclusive = isInclusive
        }
    }

    private let start: Bound?
    private let end: Bound?
    let tree: TreeQuery
    /// As parameters of a URL.
    let parameters: String

    /// Throws for bounds that the order does not take.
    public init(
        _ order: TreeOrder, from start: Bound? = nil, to end: Bound? = nil, limit: TreeQuery.Limit? = nil
    ) throws(TreeError) {
        var tree = TreeQuery(order, limit: limit)
        var parts = ["orderBy=" + DatabaseQuery.value(.text(DatabaseQuery.name(order)))]
        if let start {
            try tree.begin(at: start.leaf, key: start.key, isInclusive: start.isInclusive)
            parts.append((start.isInclusive ? "startAt=" : "startAfter=") + DatabaseQuery.bound(start))
        }
        if let end {
            try tree.end(at: end.leaf, key: end.key, isInclusive: end.isInclusive)
            parts.append((end.isInclusive ? "endAt=" : "endBefore=") + DatabaseQuery.bound(end))
        }
        switch limit {
        case .first(let count): parts.append("limitToFirst=\(count)")
        case .last(let count): parts.append("limitToLast=\(count)")
        case nil: break
        }
        self.start = start
        self.end = end
        self.tree = tree
        parameters = parts.joined(separator: "&")
    }

    /// All children, in the order of their keys.
    public static let byKey = DatabaseQuery()

    private init() {
        (start, end, tree) = (nil, nil, TreeQuery(.key))
        parameters = "orderBy=" + DatabaseQuery.value(.text(DatabaseQuery.name(.key)))
    }

    public var order: TreeOrder { tree.order }
    public var limit: TreeQuery.Limit? { tree.limit }

    /// The same with another limit.
    public func limited(to limit: TreeQuery.Limit) -> DatabaseQuery {
        // The bounds fit the order, as they did before.
        (try? DatabaseQuery(order, from: start, to: end, limit: limit)) ?? self
    }

    private static func name(_ order: TreeOrder) -> String {
        switch order {
        case .key: "$key"
        case .value: "$value"
        case .priority: "$priority"
        case .child(let path): String(path.text.dropFirst())
        }
    }

    private static func bound(_ bound: Bound) -> String {
        value(bound.leaf) + (bound.key.map { "," + value(.text($0)) } ?? "")
    }

    private static func value(_ leaf: TreeLeaf?) -> String {
        let json = leaf.map { TreeNode($0).json() } ?? Array("null".utf8)
        return PercentEncoding.escape(String(decoding: json, as: UTF8.self))
    }
}

extension DatabaseQuery: Hashable {
    public static func == (left: DatabaseQuery, right: DatabaseQuery) -> Bool { left.parameters == right.parameters }
    public func hash(into hasher: inout Hasher) { hasher.combine(parameters) }
}
