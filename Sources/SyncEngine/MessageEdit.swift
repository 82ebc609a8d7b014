import SyncJSON
import SyncModel

/// Small changes to a message's JSON that the service tells as events of their own. Each can be applied twice with the
/// same outcome, so that an event may be replayed on a page that was older than it.
enum MessageEdit {
    /// Replaces a top-level member. `nil` when either text is no JSON.
    static func set(_ key: String, _ value: [UInt8], in json: [UInt8]) -> [UInt8]? {
        JSONSlice.setting([(key, value)], in: json)
    }

    /// Adds or takes back a reaction.
    static func apply(_ reaction: MessageReaction, to json: [UInt8]) -> [UInt8]? {
        guard let document = try? JSON.parse(json), document.kind == .object else { return nil }
        let kept = JSON.array()
        var found = false
        for entry in document["reactions"]?.array ?? [] {
            guard entry["key"]?.string == reaction.key else {
                kept.append(entry)
                continue
            }
            found = true
            var users = (entry["user_ids"]?.array ?? []).compactMap(\.string)
            users.removeAll { $0 == reaction.userID }
            if reaction.isAdded { users.append(reaction.userID) }
            if users.isEmpty { continue }
            entry.set("user_ids", .strings(users))
            entry.set("updated_at", .int(max(entry["updated_at"]?.int ?? 0, reaction.updatedAt)))
            kept.append(entry)
        }
        if !found, reaction.isAdded {
            kept.append(.object([
                "key": .string(reaction.key), "user_ids": .strings([reaction.userID]),
                "updated_at": .int(reaction.updatedAt),
            ]))
        }
        document.set("reactions", kept)
        return document.serialized()
    }
}
