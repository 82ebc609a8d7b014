import SyncBytes
import SyncJSON

/// A JSON object that a client sent, read liberally: numbers and booleans may come as text.
public struct Fields {
    public let json: JSON
    /// The keys that this object has and that were asked for; `nil` for an object inside another one.
    private let ledger: Names?

    private final class Names {
        var all: TextSet = []
        var watch: KeyWatch?
    }

    public init(_ json: JSON, isWholeBody: Bool = false) {
        self.json = json
        ledger = isWholeBody ? Names() : nil
    }

    /// Reads JSON text; an empty one is an empty object.
    public init(body: [UInt8]) throws {
        ledger = Names()
        guard body.contains(where: { $0 > 0x20 }) else {
            json = .object()
            return
        }
        do {
            json = try JSON.parse(body)
        } catch {
            throw Refusal(400_403, "The body is not valid JSON: \(error.message).")
        }
        guard json.kind == .object else { throw Refusal(400_403, "The body is not a JSON object.") }
    }

    /// A member that is there and not null.
    public subscript(key: String) -> JSON? {
        ledger?.watch?.note(key)
        guard let value = json[key] else { return nil }
        ledger?.all.insert(key)
        return value.isNull ? nil : value
    }

    /// From now on every key that is asked for is noted, whether it is there or not.
    public func watch(_ watch: KeyWatch) { ledger?.watch = watch }

    /// The keys that nobody has asked for.
    public var unusedKeys: [String] {
        guard let ledger else { return [] }
        return (json.members ?? []).map(\.key).filter { !ledger.all.contains($0) }
    }

    public func has(_ key: String) -> Bool { self[key] != nil }

    public func string(_ key: String) throws -> String? {
        guard let value = self[key] else { return nil }
        if let text = value.string { return text }
        if let number = value.int { return String(number) }
        throw Refusal.notString(key)
    }

    /// The first of these keys that is there.
    public func string(_ keys: [String]) throws -> String? {
        for key in keys {
            if let text = try string(key) { return text }
        }
        return nil
    }

    public func required(_ key: String) throws -> String {
        guard let text = try string(key), !text.isEmpty else { throw Refusal.missing(key) }
        return text
    }

    public func int(_ key: String) throws -> Int64? {
        guard let value = self[key] else { return nil }
        if let number = value.int { return number }
        if let text = value.string {
            if text.isEmpty { return nil }
            if let number = Int64(text) { return number }
        }
        if let number = value.double, number.isFinite, let whole = Int64(exactly: number.rounded()) { return whole }
        throw Refusal.notNumber(key)
    }

    public func bool(_ key: String) throws -> Bool? {
        guard let value = self[key] else { return nil }
        if let flag = value.bool { return flag }
        if let number = value.int { return number != 0 }
        if let text = value.string, let flag = Fields.bool(text) { return flag }
        throw Refusal.notBool(key)
    }

    /// The longest list that is looked at. Each element may cost a query, and there is one thread for all.
    private static let longestList = 10_000

    /// A list, or texts joined by commas; too many of them are refused before any is looked at.
    public func strings(_ key: String) throws -> [String]? {
        guard let value = self[key] else { return nil }
        if let text = value.string {
            let commas = text.utf8.reduce(0) { $1 == UInt8(ascii: ",") ? $0 &+ 1 : $0 }
            guard commas < Fields.longestList else { throw Refusal.tooMany(key) }
            return text.parts(between: UInt8(ascii: ","))
        }
        guard value.kind == .array else { throw Refusal.notList(key) }
        guard value.count <= Fields.longestList else { throw Refusal.tooMany(key) }
        guard let elements = value.array else { throw Refusal.notList(key) }
        return try elements.map { element in
            guard let text = element.string ?? element.int.map({ String($0) }) ?? element["user_id"]?.string else {
                throw Refusal.notString(key)
            }
            return text
        }
    }

    /// A list of numbers, or texts of them joined by commas; it must be there.
    public func numbers(_ key: String) throws -> [Int64] {
        guard let texts = try strings(key) else { throw Refusal.missing(key) }
        return try texts.map { text in
            guard let number = Int64(text) else { throw Refusal.notNumber(key) }
            return number
        }
    }

    public func object(_ key: String) throws -> Fields? {
        guard let value = self[key] else { return nil }
        guard value.kind == .object else { throw Refusal.notObject(key) }
        return Fields(value)
    }

    /// A truth value as clients write it in text.
    public static func bool(_ text: String) -> Bool? {
        switch text.lowercased() {
        case "true", "1", "yes": true
        case "false", "0", "no": false
        default: nil
        }
    }
}
