import ServerBase
import SyncBytes

/// The query of a request. Lists come as repeated keys or joined by commas, booleans as words or digits.
public struct RequestQuery {
    /// Keys are decoded, values still raw: a comma in a list must be told from an encoded one inside a value.
    private var fields: [(key: String, value: ArraySlice<UInt8>)] = []
    private let ledger = KeyLedger()

    public init(_ bytes: ArraySlice<UInt8>) {
        for field in bytes.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: true) {
            let equals = field.firstIndex(of: UInt8(ascii: "="))
            let key = PercentEncoding.decode(field[..<(equals ?? field.endIndex)], plusIsSpace: true)
            fields.append((key, equals.map { field[($0 + 1)...] } ?? field[field.endIndex...]))
        }
    }

    /// The first value of a key; `nil` when it does not occur.
    public subscript(key: String) -> String? {
        ledger.watch?.note(key)
        var value: ArraySlice<UInt8>?
        for (position, field) in fields.enumerated() where field.key.isByteEqual(to: key) {
            ledger.note(position)
            if value == nil { value = field.value }
        }
        return value.map { PercentEncoding.decode($0, plusIsSpace: true) }
    }

    /// The value of the first of these keys that has one; empty when none has.
    public func text(_ keys: String...) -> String {
        var found = ""
        for key in keys {
            // The other keys count as read, too: a client may give one value under several of these names.
            if found.isEmpty { found = self[key] ?? "" } else { note(key) }
        }
        return found
    }

    public func bool(_ keys: String..., default usual: Bool = false) -> Bool {
        var found: Bool?
        for key in keys {
            if found == nil { found = self[key].flatMap(Fields.bool) } else { note(key) }
        }
        return found ?? usual
    }

    private func note(_ key: String) {
        ledger.watch?.note(key)
        for (position, field) in fields.enumerated() where field.key.isByteEqual(to: key) { ledger.note(position) }
    }

    /// One of some words; the usual one when the key is missing or empty.
    public func word(_ key: String, _ usual: String, _ known: [String]) throws -> String {
        let value = text(key)
        if value.isEmpty { return usual }
        guard known.contains(value) else { throw Refusal.invalid(key, "there is no such mode") }
        return value
    }

    /// The number of a key, `nil` when it is missing or empty.
    public func int(_ key: String) throws -> Int64? {
        guard let text = self[key], !text.isEmpty else { return nil }
        if let value = Int64(text) { return value }
        // Some clients write numbers as doubles, and the largest integer rounds up to one too many.
        guard let value = Double(text), value.isFinite else { throw Refusal.invalid(key, "a number is expected") }
        return Int64(exactly: value.rounded()) ?? (value > 0 ? .max : .min)
    }

    /// A page size within bounds.
    public func limit(_ key: String = "limit", default usual: Int = 20, max highest: Int = 1000) throws -> Int {
        guard let value = try int(key) else { return usual }
        guard value >= 0 else { throw Refusal.outOfRange(key) }
        return Int(min(value, Int64(highest)))
    }

    /// All fields, decoded.
    public var all: [(key: String, value: String)] {
        fields.map { ($0.key, PercentEncoding.decode($0.value, plusIsSpace: true)) }
    }

    /// From now on every key that is asked for is noted, whether it occurs or not.
    public func watch(_ watch: KeyWatch) { ledger.watch = watch }

    /// The keys that nobody has asked for.
    public var unusedKeys: [String] { fields.indices.filter { !ledger.isNoted($0) }.map { fields[$0].key } }

    /// A list any of whose values will do: repeated keys, joined by commas, or both. Clients that encode the joining
    /// commas cannot be told from values that hold one, so both readings are tried; `nil` when the key does not occur
    /// at all.
    public func choice(_ keys: String...) -> TextSet? {
        var result: TextSet = []
        var isPresent = false
        for value in values(keys) {
            isPresent = true
            result.insert(value)
            if value.utf8.contains(UInt8(ascii: ",")) {
                result.formUnion(value.parts(between: UInt8(ascii: ",")))
            }
        }
        return isPresent ? result : nil
    }

    /// A list that counts as a whole, in every way it may be meant: as it came, and with encoded commas as separators.
    /// Empty when the key does not occur or names nothing.
    public func readings(_ keys: String...) -> [[String]] {
        let whole = values(keys)
        if whole.isEmpty || whole == [""] { return [] }
        guard whole.contains(where: { $0.utf8.contains(UInt8(ascii: ",")) }) else { return [whole] }
        return [whole, whole.flatMap { $0.parts(between: UInt8(ascii: ",")) }]
    }

    /// All values of keys, split at raw commas only.
    private func values(_ keys: [String]) -> [String] {
        if let watch = ledger.watch { keys.forEach(watch.note) }
        var result: [String] = []
        for (position, field) in fields.enumerated() where keys.containsBytes(of: field.key) {
            ledger.note(position)
            for part in field.value.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
                result.append(PercentEncoding.decode(part, plusIsSpace: true))
            }
        }
        return result
    }
}
