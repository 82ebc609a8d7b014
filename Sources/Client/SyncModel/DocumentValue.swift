import SyncBytes
import SyncJSON

/// A value of a document that a host gave, together with its place. Every reading either gives a value of the asked
/// form or says what was expected where.
///
/// Queries, filters, messages and the configuration are read with it, so that all of them refuse in the same words.
public struct DocumentValue {
    public let json: JSON
    /// JSON path: `$.custom_types[2]`.
    public let path: String

    public init(_ json: JSON, path: String = "$") {
        self.json = json
        self.path = path
    }

    /// Parses a document of the host.
    public init(parsing bytes: [UInt8]) throws(DocumentError) {
        do throws(JSONError) {
            self.init(try JSON.parse(bytes))
        } catch {
            throw DocumentError(path: "$", message: "not JSON: \(error.message) (byte \(error.offset))")
        }
    }

    public func failure(_ message: String) -> DocumentError { DocumentError(path: path, message: message) }

    /// The members of an object, in the document's order. A null is handed out like any other value: the caller refuses
    /// unknown keys before it takes null for missing.
    public func members() throws(DocumentError) -> [(key: String, value: DocumentValue)] {
        guard let members = json.members else { throw failure("expected an object") }
        return members.map { ($0.key, DocumentValue($0.value, path: path + DocumentValue.step($0.key))) }
    }

    /// The value of a key of an object; `nil` when it is missing or null.
    public func member(_ key: String) -> DocumentValue? {
        guard let value = json[key], !value.isNull else { return nil }
        return DocumentValue(value, path: path + DocumentValue.step(key))
    }

    /// For a key that every document of this form has.
    public func missing(_ key: String) -> DocumentError {
        DocumentError(path: path + DocumentValue.step(key), message: "is missing")
    }

    /// For members that no document of this form has. `kind` names the form: "query".
    public func unknown(in kind: StaticString) -> DocumentError { failure("a \(kind) has no such key") }

    public func flag() throws(DocumentError) -> Bool {
        guard let value = json.bool else { throw failure("expected true or false") }
        return value
    }

    /// A whole number within bounds. Reals are refused even when they are whole: times do not survive them.
    public func integer(in range: ClosedRange<Int64>) throws(DocumentError) -> Int64 {
        guard json.kind == .integer, let value = json.int, range.contains(value) else {
            throw failure("expected a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return value
    }

    /// Milliseconds since the epoch.
    public func time() throws(DocumentError) -> Int64 {
        guard json.kind == .integer, let value = json.int, value >= 0 else {
            throw failure("expected a time in milliseconds since the epoch, 0 or later")
        }
        return value
    }

    /// A text. NUL is refused: it ends texts at the C border, and no chat service has it in a name.
    public func text() throws(DocumentError) -> String {
        guard let value = json.string else { throw failure("expected a text") }
        guard !value.utf8.contains(0) else { throw failure("expected a text without U+0000") }
        return value
    }

    public func nonemptyText() throws(DocumentError) -> String {
        guard json.kind == .string, case let value = try text(), !value.isEmpty else {
            throw failure("expected a text that is not empty")
        }
        return value
    }

    /// A text that a header can carry: without control characters.
    public func fieldText() throws(DocumentError) -> String {
        let value = try text()
        guard TransportHeader.takes(value) else { throw failure("expected a text without control characters") }
        return value
    }

    /// A list of texts without repetitions, in the document's order.
    public func texts(allowEmpty: Bool = false) throws(DocumentError) -> [String] {
        guard json.kind == .array else { throw failure("expected a list of texts") }
        var seen = Set<TextKey>()
        var result: [String] = []
        for element in elements() {
            let text = allowEmpty ? try element.text() : try element.nonemptyText()
            if seen.insert(text) { result.append(text) }
        }
        return result
    }

    /// One of a fixed set of words.
    public func choice<Choice: RawRepresentable & CaseIterable>(
        _: Choice.Type = Choice.self
    ) throws(DocumentError) -> Choice where Choice.RawValue == String {
        guard let value = json.string.flatMap(Choice.init(rawValue:)) else {
            throw failure("expected " + DocumentValue.list(Choice.allCases.map(\.rawValue)))
        }
        return value
    }

    /// One of some words.
    public func word(of words: [String]) throws(DocumentError) -> String {
        guard let value = json.string, words.contains(value) else {
            throw failure("expected " + DocumentValue.list(words))
        }
        return value
    }

    /// A message's id: a whole number, or a text, since hosts may lose precision on 64-bit numbers.
    public func messageID() throws(DocumentError) -> MessageID {
        MessageID(json.kind == .integer ? String(try integer(in: 0...Int64.max)) : try nonemptyText())
    }

    /// A list of words of a fixed set, without repetitions.
    public func choices<Choice: RawRepresentable & CaseIterable & Equatable>(
        _: Choice.Type = Choice.self
    ) throws(DocumentError) -> [Choice] where Choice.RawValue == String {
        guard json.kind == .array else { throw failure("expected a list") }
        var result: [Choice] = []
        for element in elements() {
            let choice: Choice = try element.choice()
            if !result.contains(choice) { result.append(choice) }
        }
        return result
    }

    /// A list of anything.
    public func list() throws(DocumentError) -> [DocumentValue] {
        guard json.kind == .array else { throw failure("expected a list") }
        return elements()
    }

    private func elements() -> [DocumentValue] {
        (json.array ?? []).enumerated().map { DocumentValue($1, path: "\(path)[\($0)]") }
    }

    /// `a, b or c`, each in quotes.
    private static func list(_ words: [String]) -> String {
        let quoted = words.map { "\"\($0)\"" }
        guard let last = quoted.last, quoted.count > 1 else { return quoted.first ?? "" }
        return quoted.dropLast().joined(separator: ", ") + " or " + last
    }

    /// How a path goes on to a member: `.limit`, or `["odd key"]` for what is no plain name.
    private static func step(_ key: String) -> String {
        let isPlain = !key.isEmpty && key.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"):
                true
            default: false
            }
        }
        return isPlain ? "." + key : "[" + JSON.string(key).text + "]"
    }
}
