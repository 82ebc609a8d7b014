import ServerBase
import SyncJSON

/// Sets of emoji that clients offer as reactions. Whoever runs the server fills them; there are none at first.
public struct EmojiRules: ChatRules {
    let chat: Chat

    public func all() throws -> [JSON] { try storage.documents.all(.emoji).map(\.json) }

    public func emoji(_ key: String) throws -> JSON {
        guard let json = try storage.documents.document(.emoji, key) else {
            throw Refusal(400_201, "\"Emoji\" not found.")
        }
        return json
    }

    /// Adds an emoji, in the place of another one with its key.
    public func add(_ given: JSON) throws -> JSON {
        let fields = Fields(given)
        let key = try fields.required("key")
        let json = JSON.object(["key": .string(key), "url": .string(try fields.string("url") ?? "")])
        try storage.documents.save(.emoji, key, at: now, json)
        return json
    }

    public func changeEmoji(_ key: String, _ fields: Fields) throws -> JSON {
        let json = try emoji(key)
        json.set("url", .string(try fields.required("url")))
        try storage.documents.save(.emoji, key, at: now, json)
        return json
    }

    public func remove(_ key: String) throws {
        guard try storage.documents.remove(.emoji, key) else { throw Refusal(400_201, "\"Emoji\" not found.") }
    }

    /// All categories, each with its emoji as objects. The functions below return categories in the same form.
    public func categories() throws -> [JSON] {
        try storage.documents.all(.emojiCategory).map { try shown($0.json) }
    }

    public func shownCategory(_ id: String) throws -> JSON { try shown(try category(id)) }

    public func addCategory(_ given: JSON) throws -> JSON {
        let json = JSON.object(["id": .int(try storage.nextNumber("emoji_category")), "emojis": .array()])
        return try store(Fields(given), in: json)
    }

    public func changeCategory(_ id: String, _ fields: Fields) throws -> JSON {
        try store(fields, in: try category(id))
    }

    public func removeCategory(_ id: String) throws {
        guard try storage.documents.remove(.emojiCategory, id) else {
            throw Refusal(400_201, "\"Emoji category\" not found.")
        }
    }

    private func category(_ id: String) throws -> JSON {
        guard let json = try storage.documents.document(.emojiCategory, id) else {
            throw Refusal(400_201, "\"Emoji category\" not found.")
        }
        return json
    }

    private func store(_ fields: Fields, in json: JSON) throws -> JSON {
        if let name = try fields.string("name") { json.set("name", .string(name)) }
        json.set("url", .string(try fields.string("url") ?? json["url"]?.string ?? ""))
        if let given = fields["emojis"]?.array {
            // An emoji is given by its key, or as a whole object, which is added.
            let keys = try given.map { entry in
                try entry.string.map { try emoji($0)["key"] ?? "" } ?? add(entry)["key"] ?? ""
            }
            json.set("emojis", .array(keys))
        }
        guard let id = json["id"]?.int else { throw Refusal.missing("id") }
        try storage.documents.save(.emojiCategory, String(id), at: now, json)
        return try shown(json)
    }

    private func shown(_ json: JSON) throws -> JSON {
        let result = json.deepCopy()
        let keys = (json["emojis"]?.array ?? []).compactMap(\.string)
        result.set("emojis", .array(try keys.compactMap { try storage.documents.document(.emoji, $0) }))
        return result
    }

    /// A hash that changes with every change of the emoji sets, so that clients know when to load them again.
    public func hash() throws -> String {
        let all = try storage.documents.all(.emoji) + storage.documents.all(.emojiCategory)
        guard !all.isEmpty else { return "0" }
        // FNV-1a over what the sets hold.
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for document in all {
            for byte in Array(document.id.utf8) + document.json.serialized() {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
        }
        return String(hash, radix: 16)
    }
}

extension Chat {
    public var emoji: EmojiRules { EmojiRules(chat: self) }
}
