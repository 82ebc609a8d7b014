import ServerBase
import SyncBytes
import SyncTree

/// Reads a rule's expression: `||`, `&&`, `!`, comparisons, parentheses; strings, numbers, `true`, `false`, `null`;
/// `auth` and its members, `now`, `data`, `newData` (of a write), `root` and their questions, and the path's
/// `$variables`.
struct RuleParser {
    /// What is wrong in the expression, and at which byte.
    struct Failure: Error {
        let what: String
        let offset: Int
    }

    private let bytes: [UInt8]
    private let variables: [String]
    private let isWrite: Bool
    private var index = 0
    private var depth = 0
    /// Whether the expression asks what is stored.
    private(set) var readsData = false

    /// How many operators, members and questions were read. Evaluation may recurse as deep as there are of them.
    private var parts = 0

    private static let depthLimit = 50
    private static let partLimit = 500
    private static let lengthLimit = 10_000

    init(_ text: String, variables: [String], isWrite: Bool) {
        bytes = Array(text.utf8)
        self.variables = variables
        self.isWrite = isWrite
    }

    /// The whole text as one expression.
    mutating func expression() throws -> RuleExpression {
        guard bytes.count <= RuleParser.lengthLimit else { throw failure("too long an expression") }
        let whole = try either()
        skipSpace()
        guard index == bytes.count else { throw failure("something that was not expected") }
        return whole
    }

    // MARK: Operators

    private mutating func either() throws -> RuleExpression {
        depth += 1
        defer { depth -= 1 }
        guard depth <= RuleParser.depthLimit else { throw failure("parentheses nested too deeply") }
        var left = try both()
        while take("||") {
            try count()
            left = .or(left, try both())
        }
        return left
    }

    private mutating func both() throws -> RuleExpression {
        var left = try comparison()
        while take("&&") {
            try count()
            left = .and(left, try comparison())
        }
        return left
    }

    private mutating func comparison() throws -> RuleExpression {
        let left = try prefixed()
        let operators: [(StaticString, RuleExpression.Comparison)] = [
            ("===", .equal), ("!==", .different), ("==", .equal), ("!=", .different), ("<=", .lessOrEqual),
            (">=", .moreOrEqual), ("<", .less), (">", .more),
        ]
        for (text, comparison) in operators where take(text) {
            return .compare(comparison, left, try prefixed())
        }
        return left
    }

    private mutating func prefixed() throws -> RuleExpression {
        var isNegated = false
        while peek() == UInt8(ascii: "!"), !isNext("!=") {
            index += 1
            isNegated.toggle()
        }
        let inner = try suffixed()
        return isNegated ? .not(inner) : inner
    }

    private mutating func suffixed() throws -> RuleExpression {
        var subject = try primary()
        while take(".") {
            try count()
            let start = index
            let name = word()
            guard !name.isEmpty else { throw failure("a missing name") }
            guard take("(") else {
                subject = .member(subject, name)
                continue
            }
            guard let question = RuleExpression.Question(rawValue: name) else {
                throw Failure(what: "the unknown function \(name)", offset: start)
            }
            var argument: RuleExpression?
            if question == .child || question == .hasChild { argument = try either() }
            guard take(")") else { throw failure("a missing )") }
            subject = .question(subject, question, argument)
        }
        return subject
    }

    private mutating func count() throws {
        parts += 1
        guard parts <= RuleParser.partLimit else { throw failure("more than \(RuleParser.partLimit) parts") }
    }

    // MARK: Values

    private mutating func primary() throws -> RuleExpression {
        let first = peek()
        if take("(") {
            let inner = try either()
            guard take(")") else { throw failure("a missing )") }
            return inner
        }
        if first == UInt8(ascii: "'") || first == UInt8(ascii: "\"") { return .value(.text(try string(first))) }
        if first &- UInt8(ascii: "0") < 10 || first == UInt8(ascii: "-") { return .value(.number(try number())) }
        let start = index
        let name = word()
        switch name {
        case "true": return .value(.bool(true))
        case "false": return .value(.bool(false))
        case "null": return .value(.null)
        case "auth": return .name(.auth)
        case "now": return .name(.now)
        case "data":
            readsData = true
            return .name(.data)
        case "root":
            readsData = true
            return .name(.root)
        case "newData" where isWrite: return .name(.newData)
        case _ where variables.containsBytes(of: name): return .variable(name)
        case "": throw failure("something that was not expected")
        default: throw Failure(what: "the unknown name \(name)", offset: start)
        }
    }

    private mutating func string(_ quote: UInt8) throws -> String {
        index += 1
        var text: [UInt8] = []
        while index < bytes.count, bytes[index] != quote {
            if bytes[index] == UInt8(ascii: "\\"), index + 1 < bytes.count { index += 1 }
            text.append(bytes[index])
            index += 1
        }
        guard index < bytes.count else { throw failure("a string without its end") }
        index += 1
        return String(decoding: text, as: UTF8.self)
    }

    private mutating func number() throws -> Double {
        let start = index
        if bytes[index] == UInt8(ascii: "-") { index += 1 }
        while index < bytes.count, bytes[index] &- UInt8(ascii: "0") < 10 || bytes[index] == UInt8(ascii: ".") {
            index += 1
        }
        guard let value = Double(String(decoding: bytes[start..<index], as: UTF8.self)) else {
            throw Failure(what: "a wrong number", offset: start)
        }
        return value
    }

    // MARK: Bytes

    private func failure(_ what: String) -> Failure { Failure(what: what, offset: index) }

    private mutating func skipSpace() {
        while index < bytes.count, bytes[index] <= 0x20 { index += 1 }
    }

    private mutating func peek() -> UInt8 {
        skipSpace()
        return index < bytes.count ? bytes[index] : 0
    }

    private func isNext(_ text: StaticString) -> Bool {
        bytes.count - index >= text.utf8CodeUnitCount
            && text.withUTF8Buffer { bytes[index...].starts(with: $0) }
    }

    private mutating func take(_ text: StaticString) -> Bool {
        skipSpace()
        guard isNext(text) else { return false }
        index += text.utf8CodeUnitCount
        return true
    }

    /// A name. Those of variables may be any key, so a dash belongs to them.
    private mutating func word() -> String {
        skipSpace()
        let start = index
        let isVariable = index < bytes.count && bytes[index] == UInt8(ascii: "$")
        while index < bytes.count, RuleParser.isPartOfName(bytes[index], isVariable) { index += 1 }
        return String(decoding: bytes[start..<index], as: UTF8.self)
    }

    private static func isPartOfName(_ byte: UInt8, _ isVariable: Bool) -> Bool {
        byte.isWord || byte == UInt8(ascii: "$") || isVariable && byte == UInt8(ascii: "-")
    }
}
