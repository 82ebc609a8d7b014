import Foundation
import SyncModel

/// Places and messages, written as letters. Message d stands at place d, and what is known of it follows its letter:
///
///     d       as it was sent by somebody else
///     d*      sent by this user
///     d!      of the custom type "marked"
///     d^a     a reply in the thread of message a
///     d'      edited; d'' edited twice
///     d+      with a reaction
///     d@h     moved to place h
///
/// Place 0 lies before every letter.
enum Letters {
    struct Unreadable: Error, CustomStringConvertible {
        let description: String

        init(_ text: Substring, _ expected: String) { description = "\"\(text)\" is not \(expected)" }
    }

    static func order(_ letter: Character) throws -> Int64 {
        if letter == "0" { return 0 }
        guard let code = letter.asciiValue, ("a"..."z").contains(letter) else {
            throw Unreadable(Substring(String(letter)), "the letter of a place")
        }
        return Int64(code)
    }

    static func letter(_ order: Int64) -> String {
        order == 0 ? "0" : UInt8(exactly: order).map { String(UnicodeScalar($0)) } ?? "?"
    }

    /// The place of a message: `d`, or `d@h`.
    static func position(_ word: Substring) throws -> MessagePosition {
        guard let letter = word.first else { throw Unreadable(word, "a place") }
        let moved = word.split(separator: "@").dropFirst().first?.first
        return MessagePosition(order: try order(moved ?? letter), tie: try order(letter))
    }

    static func message(_ word: Substring) throws -> MessageRecord {
        var rest = word
        guard let id = rest.popFirst(), id.isLetter else { throw Unreadable(word, "a message") }
        let isOwn = rest.take("*")
        let isMarked = rest.take("!")
        let parent = rest.take("^") ? rest.popFirst().map(String.init) : nil
        var edits = 0
        while rest.take("'") { edits += 1 }
        let hasReaction = rest.take("+")
        let isMoved = rest.take("@") && rest.popFirst() != nil
        guard rest.isEmpty else { throw Unreadable(word, "a message") }
        var json = #"{"message_id":"\#(id)","message":"\#(id)\#(String(repeating: "'", count: edits))""#
        json += #","user":{"user_id":"\#(isOwn ? "mei" : "bo")"}"#
        if isMarked { json += #","custom_type":"marked""# }
        if let parent { json += #","parent_message_id":"\#(parent)""# }
        if hasReaction { json += #","reactions":[{"key":"+","user_ids":["bo"],"updated_at":1}]"# }
        return MessageRecord(
            id: "\(id)", position: try position(isMoved ? word : word.prefix(1)), updatedAt: Int64(edits),
            customType: isMarked ? "marked" : "", senderID: isOwn ? "mei" : "bo", parentID: MessageID(parent ?? ""),
            requestID: isOwn ? "request-\(id)" : "", json: Array((json + "}").utf8))
    }

    static func messages(_ words: Substring) throws -> [MessageRecord] { try words.split(separator: " ").map(message) }

    /// A message as the notation has it, by what its JSON says, at its place.
    static func text(_ row: MessageRow) -> String {
        let isMoved = row.position.order != row.position.tie
        return text(row.json) + (isMoved ? "@" + letter(row.position.order) : "")
    }

    /// A message as its JSON has it, wherever it stands.
    static func text(_ json: [UInt8]) -> String {
        let object = (try? JSONSerialization.jsonObject(with: Data(json))) as? [String: Any] ?? [:]
        var text = object["message_id"] as? String ?? "?"
        if (object["user"] as? [String: Any])?["user_id"] as? String == "mei" { text += "*" }
        if object["custom_type"] as? String == "marked" { text += "!" }
        if let parent = object["parent_message_id"] as? String { text += "^" + parent }
        text += ((object["message"] as? String) ?? "?").filter { $0 == "'" || $0 == "?" }
        if let reactions = object["reactions"] as? [Any], !reactions.isEmpty { text += "+" }
        return text
    }

    static func text(_ rows: [MessageRow]) -> String { rows.map(text).joined(separator: " ") }
}

extension Substring {
    /// Takes a prefix off; `false` when it is not there.
    mutating func take(_ prefix: String) -> Bool {
        guard hasPrefix(prefix) else { return false }
        removeFirst(prefix.count)
        return true
    }

    /// The first word and the rest.
    var firstWord: (word: String, rest: Substring) {
        let end = firstIndex(of: " ") ?? endIndex
        return (String(self[..<end]), self[end...].trimmed)
    }

    var trimmed: Substring {
        guard let first = firstIndex(where: { !$0.isWhitespace }), let last = lastIndex(where: { !$0.isWhitespace })
        else { return "" }
        return self[first...last]
    }
}
