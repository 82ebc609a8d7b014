import SyncModel
import SyncTree

extension RowCondition {
    /// How deep conditions may be nested: they are evaluated by recursion.
    static let deepest = 64

    /// Reads a condition: true, false, or an object with one operator. Errors have the JSON path of what is wrong.
    public init(_ value: DocumentValue) throws(DocumentError) { try self.init(value, depth: 1) }

    private init(_ value: DocumentValue, depth: Int) throws(DocumentError) {
        guard depth <= RowCondition.deepest else {
            throw value.failure("expressions stand in each other more than \(RowCondition.deepest) deep")
        }
        if let constant = value.json.bool {
            self = .constant(constant)
            return
        }
        guard let members = try? value.members(), members.count == 1, let (name, operand) = members.first else {
            throw value.failure("expected true, false or an object of one operator")
        }
        switch name {
        case "and": self = .and(try RowCondition.parts(operand, depth))
        case "or": self = .or(try RowCondition.parts(operand, depth))
        case "not": self = .not(try RowCondition(operand, depth: depth + 1))
        case "exists": self = .exists(try Field(operand))
        case "prefix":
            let (field, prefix) = try RowCondition.pair(operand)
            self = .hasPrefix(try Field(field), try prefix.text())
        case "in":
            let (field, list) = try RowCondition.pair(operand)
            var values: [TreeRank] = []
            for element in try list.list() { values.append(try RowCondition.literal(element)) }
            self = .isIn(try Field(field), values.sorted())
        default:
            guard let comparison = Comparison(rawValue: name) else {
                throw operand.failure(
                    "no such operator: expected ==, !=, <, <=, >, >=, in, prefix, exists, and, or, not")
            }
            let (field, other) = try RowCondition.pair(operand)
            self = .compare(try Field(field), comparison, try RowCondition.operand(other))
        }
    }

    private static func parts(_ list: DocumentValue, _ depth: Int) throws(DocumentError) -> [RowCondition] {
        var parts: [RowCondition] = []
        for part in try list.list() { parts.append(try RowCondition(part, depth: depth + 1)) }
        return parts
    }

    /// A field and what it is compared with.
    private static func pair(_ list: DocumentValue) throws(DocumentError) -> (DocumentValue, DocumentValue) {
        let parts = (try? list.list()) ?? []
        guard parts.count == 2 else { throw list.failure("expected a list of a field and a value") }
        return (parts[0], parts[1])
    }

    private static func operand(_ value: DocumentValue) throws(DocumentError) -> Operand {
        guard value.json.kind == .object else { return .literal(try literal(value)) }
        let members = try value.members()
        guard members.count == 1, members[0].key == "field" else {
            throw value.failure("expected null, true, false, a number, a text or {\"field\": …}")
        }
        return .field(try Field(members[0].value))
    }

    private static func literal(_ value: DocumentValue) throws(DocumentError) -> TreeRank {
        let literal = TreeRank(value.json)
        guard literal != .children else { throw value.failure("expected null, true, false, a number or a text") }
        return literal
    }
}
