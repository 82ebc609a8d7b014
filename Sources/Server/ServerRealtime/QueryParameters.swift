import ServerBase
import ServerHTTP
import SyncBytes
import SyncJSON
import SyncTree

/// The querying parameters of a request: `orderBy`, bounds and limits, each value as JSON.
struct QueryParameters {
    /// The query that they make; `nil` when there are none.
    let query: TreeQuery?

    private static let bounds = ["startAt", "startAfter", "endAt", "endBefore", "equalTo"]

    init(_ parameters: RequestQuery) throws {
        let limit = try QueryParameters.limit(parameters)
        let isBounded = QueryParameters.bounds.contains { parameters[$0] != nil }
        guard let text = parameters["orderBy"] else {
            guard limit == nil, !isBounded else {
                throw DatabaseRefusal(400, "orderBy must be defined when other query parameters are defined")
            }
            query = nil
            return
        }
        var made = TreeQuery(try QueryParameters.order(text), limit: limit)
        do {
            try QueryParameters.bound(&made, parameters)
        } catch let error as TreeError {
            throw DatabaseRefusal(error)
        }
        query = made
    }

    private static func order(_ text: String) throws -> TreeOrder {
        guard let name = (try? JSON.parse(text))?.string else {
            throw DatabaseRefusal(400, "orderBy must be a valid JSON encoded path")
        }
        switch name {
        case "$key": return .key
        case "$value": return .value
        case "$priority": return .priority
        default:
            guard let path = try? TreePath(name), !path.isRoot else {
                throw DatabaseRefusal(400, "orderBy must be a valid JSON encoded path")
            }
            return .child(path)
        }
    }

    private static func limit(_ parameters: RequestQuery) throws -> TreeQuery.Limit? {
        func number(_ name: String) throws -> Int? {
            guard let text = parameters[name] else { return nil }
            guard let count = Int(text), count > 0 else {
                throw DatabaseRefusal(400, "\(name) must be a positive integer")
            }
            return count
        }
        switch (try number("limitToFirst"), try number("limitToLast")) {
        case (nil, nil): return nil
        case (let count?, nil): return .first(count)
        case (nil, let count?): return .last(count)
        default: throw DatabaseRefusal(400, "only one of limitToFirst and limitToLast may be defined")
        }
    }

    private static func bound(_ query: inout TreeQuery, _ parameters: RequestQuery) throws {
        for name in bounds {
            guard let text = parameters[name] else { continue }
            let others = bounds.filter { $0 != name && parameters[$0] != nil }
            // A range has one start and one end; equalTo is both.
            let side = name.hasPrefix("start") ? "start" : "end"
            if let other = others.first(where: { name == "equalTo" || $0 == "equalTo" || $0.beginsWithBytes(of: side) })
            {
                throw DatabaseRefusal(400, "\(name) does not go with \(other)")
            }
            let (leaf, key) = try value(name, text)
            let isInclusive = name != "startAfter" && name != "endBefore"
            if !name.hasPrefix("end") { try query.begin(at: leaf, key: key, isInclusive: isInclusive) }
            if !name.hasPrefix("start") { try query.end(at: leaf, key: key, isInclusive: isInclusive) }
        }
    }

    /// A value, or a value and a key with a comma between them.
    private static func value(_ name: String, _ text: String) throws -> (TreeLeaf?, String?) {
        guard let parts = (try? JSON.parse("[\(text)]"))?.array, (1...2).contains(parts.count) else {
            throw DatabaseRefusal(400, "\(name) must be a valid JSON encoded value")
        }
        let leaf: TreeLeaf?
        switch parts[0].kind {
        case .null: leaf = nil
        case .bool: leaf = .bool(parts[0].bool ?? false)
        case .integer: leaf = .integer(parts[0].int ?? 0)
        case .real: leaf = parts[0].double.flatMap { TreeLeaf($0) }
        case .string: leaf = .text(parts[0].string ?? "")
        case .array, .object:
            throw DatabaseRefusal(400, "\(name) must be a string, a number, true, false or null")
        }
        guard parts.count > 1 else { return (leaf, nil) }
        guard let key = parts[1].string else { throw DatabaseRefusal(400, "\(name)'s key must be a string") }
        return (leaf, key)
    }
}
