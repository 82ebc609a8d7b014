import SyncJSON
import SyncModel
import SyncTree

/// What a host asks of an open stream.
public enum StreamRequest: Sendable {
    public enum Action: String, CaseIterable, Sendable {
        case setPredicate = "set_predicate", setLimit = "set_limit", fetchMore = "fetch_more"
        case add, remove, reset
        case find, item, slice
        case firstAfter = "first_after", lastBefore = "last_before"
    }

    case setPredicate(Predicate?)
    /// The limit of the rows that the predicate takes.
    case setLimit(Int?)
    /// How many rows `fetchMore` loads when neither the host nor the source says it.
    public static let usualPage = 50

    /// `count` `nil`: as many as the source gives at a time. With `start`: `count` rows at or behind this value of the
    /// stream's order.
    case fetchMore(count: Int?, PageDirection?, start: TreeRank? = nil)
    case add([StreamItem])
    case remove(keys: [String])
    case reset([StreamItem])
    case find(key: String)
    case item(StreamPath)
    case slice(section: Int, from: Int, count: Int)
    /// The row next to the place that a row has or would have.
    case neighbour(of: StreamItem, isAfter: Bool)

    /// Bytes of its texts.
    public var textBytes: Int {
        switch self {
        case .add(let rows), .reset(let rows): rows.reduce(0) { $0 + $1.key.utf8.count + $1.json.count }
        case .remove(let keys): keys.reduce(0) { $0 + $1.utf8.count }
        case .find(let key): key.utf8.count
        case .neighbour(let item, _): item.key.utf8.count + item.json.count
        case .fetchMore(_, _, .text(let start)): start.utf8.count
        case .setPredicate, .setLimit, .fetchMore, .item, .slice: 0
        }
    }
}

extension StreamRequest {
    private static let most = Int64(Int32.max)

    /// Reads what a host wrote for a stream of this kind (docs/streams.md). What is wrong is refused with its path.
    public init(parsing bytes: [UInt8], for kind: StreamSource.Kind) throws(DocumentError) {
        let document = try DocumentValue(parsing: bytes)
        let members = try document.members()
        guard let name = document.member("action") else { throw document.missing("action") }
        let action: Action = try name.choice()
        try StreamRequest.check(action, name, for: kind)
        let known: Set<String> =
            switch action {
            case .setPredicate: ["predicate"]
            case .setLimit: ["limit_after_predicate"]
            case .fetchMore: ["count", "direction", "start"]
            case .add, .reset: ["rows"]
            case .remove: ["keys"]
            case .find: ["key"]
            case .item: ["path"]
            case .slice: ["section", "from", "count"]
            case .firstAfter, .lastBefore: ["key", "item"]
            }
        for (key, value) in members where key != "action" && !known.contains(key) {
            throw value.failure("\(action.rawValue) takes no such key")
        }
        if kind == .channels, let direction = document.member("direction"), direction.json.string != "next" {
            throw direction.failure("channels go on in one direction: next")
        }
        if kind != .database, action == .fetchMore, let start = document.member("start") {
            throw start.failure("only a stream over the database goes on from a value")
        }
        try self.init(action, document)
    }

    private init(_ action: Action, _ document: DocumentValue) throws(DocumentError) {
        func required(_ key: String) throws(DocumentError) -> DocumentValue {
            guard let value = document.member(key) else { throw document.missing(key) }
            return value
        }
        func rows() throws(DocumentError) -> [StreamItem] {
            var rows: [StreamItem] = []
            for element in try required("rows").list() { rows.append(try StreamItem(element)) }
            return rows
        }
        func number(_ key: String) throws(DocumentError) -> Int {
            Int(try required(key).integer(in: 0...StreamRequest.most))
        }
        switch action {
        case .setPredicate:
            guard let predicate = document.member("predicate") else {
                self = .setPredicate(nil)
                return
            }
            self = .setPredicate(try Predicate(predicate))
        case .setLimit:
            let limit = try document.member("limit_after_predicate")?.integer(in: 0...StreamRequest.most)
            self = .setLimit(limit.map { Int($0) })
        case .fetchMore:
            let count = try document.member("count")?.integer(in: 1...StreamRequest.most)
            let direction = try document.member("direction")?.word(of: ["next", "previous"])
            self = .fetchMore(
                count: count.map { Int($0) }, direction.map { $0 == "next" ? .next : .previous },
                start: document.member("start").map { TreeRank($0.json) })
        case .add: self = .add(try rows())
        case .reset: self = .reset(document.member("rows") == nil ? [] : try rows())
        case .remove: self = .remove(keys: try required("keys").texts())
        case .find: self = .find(key: try required("key").nonemptyText())
        case .item:
            self = .item(try StreamRequest.path(try required("path")))
        case .slice:
            let section = document.member("section") == nil ? 0 : try number("section")
            self = .slice(section: section, from: try number("from"), count: try number("count"))
        case .firstAfter, .lastBefore:
            let key = try required("key").nonemptyText()
            let item = document.json["item"].map { $0.serialized() } ?? []
            self = .neighbour(of: StreamItem(key: key, json: item), isAfter: action == .firstAfter)
        }
    }

    private static func path(_ path: DocumentValue) throws(DocumentError) -> StreamPath {
        let parts = try path.list()
        guard parts.count == 2 else { throw path.failure("expected [section, row]") }
        return StreamPath(
            Int(try parts[0].integer(in: 0...StreamRequest.most)),
            Int(try parts[1].integer(in: 0...StreamRequest.most)))
    }

    private static func check(
        _ action: Action, _ name: DocumentValue, for kind: StreamSource.Kind
    ) throws(DocumentError) {
        switch (action, kind) {
        case (.add, .transient), (.remove, .transient), (.reset, .transient): break
        case (.add, _), (.remove, _), (.reset, _):
            throw name.failure("only a transient stream takes rows of the host")
        case (.fetchMore, .transient), (.fetchMore, .union), (.fetchMore, .partition):
            throw name.failure("a stream of this kind asks nobody for rows: ask the streams it is made of")
        case (.firstAfter, .partition), (.lastBefore, .partition):
            throw name.failure("a partition has no one order: ask its stream")
        default: break
        }
    }
}

extension StreamItem {
    /// Reads a row of the host: a key and an item, which may be any value.
    init(_ row: DocumentValue) throws(DocumentError) {
        var key: String?
        var item: JSON?
        for (name, value) in try row.members() {
            switch name {
            case "key": key = try value.nonemptyText()
            case "item": item = value.json
            default: throw value.unknown(in: "row")
            }
        }
        guard let key else { throw row.missing("key") }
        guard let item else { throw row.missing("item") }
        self.init(key: key, json: item.serialized())
    }
}
