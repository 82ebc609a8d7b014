import SyncRealtime
import SyncJSON
import SyncModel
import SyncTree

extension DatabaseQuery {
    /// Reads the keys of an action that select children; `nil` when there is none.
    init?(_ call: ActionCall) throws(DocumentError) {
        let first = try DatabaseQuery.bound(call, ["start_at", "start_after", "equal_to"])
        let last = try DatabaseQuery.bound(call, ["end_at", "end_before", "equal_to"])
        let limit = try DatabaseQuery.limit(call)
        guard call.text("order_by") != nil || first != nil || last != nil || limit != nil else { return nil }
        let order = try DatabaseQuery.order(call)
        for bound in [first, last] {
            guard let bound else { continue }
            do throws(TreeError) { _ = try DatabaseQuery(order, from: bound.value) } catch {
                throw DocumentError(path: "$." + bound.key, message: error.description)
            }
        }
        do throws(TreeError) { try self.init(order, from: first?.value, to: last?.value, limit: limit) } catch {
            throw DocumentError(path: "$.order_by", message: error.description)
        }
    }

    private static func order(_ call: ActionCall) throws(DocumentError) -> TreeOrder {
        guard let text = call.text("order_by") else { return .key }
        switch text {
        case "$key": return .key
        case "$value": return .value
        case "$priority": return .priority
        default:
            guard let path = try? TreePath(text), !path.isRoot else {
                throw DocumentError(
                    path: "$.order_by",
                    message: "expected \"$key\", \"$value\", \"$priority\" or a path below each child")
            }
            return .child(path)
        }
    }

    private static func limit(_ call: ActionCall) throws(DocumentError) -> TreeQuery.Limit? {
        switch (call.integer("limit_to_first"), call.integer("limit_to_last")) {
        case (_?, _?): throw DocumentError(path: "$.limit_to_last", message: "does not go with limit_to_first")
        case (let count?, nil): return .first(Int(clamping: count))
        case (nil, let count?): return .last(Int(clamping: count))
        case (nil, nil): return nil
        }
    }

    /// The one of these keys that is present. Bounds whose names end in "after" and "before" do not include their
    /// value.
    private static func bound(
        _ call: ActionCall, _ keys: [String]
    ) throws(DocumentError) -> (key: String, value: Bound)? {
        var found: (key: String, value: Bound)?
        for key in keys {
            guard let json = call.object(key) else { continue }
            if let found { throw DocumentError(path: "$." + key, message: "does not go with \(found.key)") }
            let isInclusive = key != "start_after" && key != "end_before"
            found = (key, try bound(json, at: "$." + key, isInclusive: isInclusive))
        }
        return found
    }

    private static func bound(
        _ text: [UInt8], at path: String, isInclusive: Bool
    ) throws(DocumentError) -> Bound {
        let wrong = DocumentError(path: path, message: "cannot be read")
        // Not every JSON parser accepts a single value as a document, so it is read inside an array.
        guard let list = try? JSON.parse(Array("[".utf8) + text + Array("]".utf8)), let value = list[0] else {
            throw wrong
        }
        return switch value.kind {
        case .array: Bound(leaf(value[0] ?? .null), key: value[1]?.string, isInclusive: isInclusive)
        default: Bound(leaf(value), isInclusive: isInclusive)
        }
    }

    /// Null means no value. Objects and arrays were refused by the table of actions.
    private static func leaf(_ json: JSON) -> TreeLeaf? {
        switch json.kind {
        case .bool: json.bool.map { .bool($0) }
        case .integer: json.int.map { .integer($0) }
        case .real: json.double.flatMap { TreeLeaf($0) }
        case .string: json.string.map { .text($0) }
        case .null, .object, .array: nil
        }
    }
}
