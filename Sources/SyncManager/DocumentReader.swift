import SyncJSON
import SyncModel

/// Reads a JSON object of the host key by key; what is left over at the end is an error that names it.
struct DocumentReader {
    let document: JSON
    private var left: Set<String>

    init(_ bytes: [UInt8]) throws(BorderError) {
        do throws(JSONError) {
            document = try JSON.parse(bytes)
        } catch {
            throw BorderError(.invalidDocument, "not JSON: \(error.message) (byte \(error.offset))", path: "$")
        }
        guard let members = document.members else {
            throw BorderError(.invalidDocument, "expected an object", path: "$")
        }
        left = Set(members.map(\.key))
    }

    func fail(_ key: String, _ expected: String) -> BorderError {
        BorderError(.invalidDocument, "\(key): expected \(expected)", path: "$.\(key)")
    }

    /// The value of a key, `nil` when it is missing or null.
    mutating func value(_ key: String) -> JSON? {
        left.remove(key)
        guard let value = document[key], !value.isNull else { return nil }
        return value
    }

    mutating func string(_ key: String, required: Bool = false) throws(BorderError) -> String? {
        guard let value = value(key) else {
            if required { throw fail(key, "a text, and it is missing") }
            return nil
        }
        guard let text = value.string, !text.isEmpty || !required, !text.utf8.contains(0) else {
            throw fail(key, required ? "a text that is not empty" : "a text")
        }
        return text
    }

    mutating func word(_ key: String, _ words: [String]) throws(BorderError) -> String? {
        guard let value = value(key) else { return nil }
        guard let text = value.string, words.contains(text) else {
            throw fail(key, "one of " + words.map { "\"\($0)\"" }.joined(separator: ", "))
        }
        return text
    }

    mutating func int(_ key: String, _ range: ClosedRange<Int>) throws(BorderError) -> Int? {
        guard let value = value(key) else { return nil }
        guard value.kind == .integer, let number = value.int, let int = Int(exactly: number), range.contains(int) else {
            throw fail(key, "a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return int
    }

    mutating func bool(_ key: String) throws(BorderError) -> Bool? {
        guard let value = value(key) else { return nil }
        guard let flag = value.bool else { throw fail(key, "true or false") }
        return flag
    }

    mutating func strings(_ key: String) throws(BorderError) -> [String] {
        guard let value = value(key) else { return [] }
        guard let list = value.array else { throw fail(key, "a list of texts") }
        var result: [String] = []
        for element in list {
            guard let text = element.string else { throw fail(key, "a list of texts") }
            result.append(text)
        }
        return result
    }

    /// Nothing may be left.
    func end() throws(BorderError) {
        if let key = left.min() { throw BorderError(.invalidDocument, "unknown key \"\(key)\"", path: "$.\(key)") }
    }
}
