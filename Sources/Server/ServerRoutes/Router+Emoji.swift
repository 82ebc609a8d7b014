import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

// Sets of emoji that clients offer as reactions. Whoever runs the server fills them; there are none at first.
extension Router {
    func listEmojis(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        return HTTPResponse(.object(["emojis": .array(try storage.documents(.emoji).map(\.json))]))
    }

    func viewEmoji(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        return HTTPResponse(try emoji(request["key"]))
    }

    func addEmojis(_ request: RoutedRequest) throws -> HTTPResponse {
        let payload = try emojiPayload(request)
        guard let given = payload["emojis"]?.array else { throw Refusal.missing("emojis") }
        return HTTPResponse(.object(["emojis": .array(try given.map(addEmoji))]))
    }

    func updateEmoji(_ request: RoutedRequest) throws -> HTTPResponse {
        let payload = try emojiPayload(request)
        let json = try emoji(request["key"])
        json.set("url", .string(try payload.required("url")))
        try storage.save(.emoji, request["key"], at: chat.now, json)
        return HTTPResponse(json)
    }

    func deleteEmoji(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try emojiPayload(request)
        guard try storage.remove(.emoji, request["key"]) else { throw Refusal(400_201, "\"Emoji\" not found.") }
        return .empty
    }

    func noActionOfEmojis(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try emojiPayload(request)
        throw Refusal.noEndpoint()
    }

    /// What the administration wants of the sets.
    private func emojiPayload(_ request: RoutedRequest) throws -> Fields {
        try administrator(request)
        return try request.payload()
    }

    private func emoji(_ key: String) throws -> JSON {
        guard let json = try storage.document(.emoji, key) else { throw Refusal(400_201, "\"Emoji\" not found.") }
        return json
    }

    private func addEmoji(_ given: JSON) throws -> JSON {
        let payload = Fields(given)
        let key = try payload.required("key")
        let json = JSON.object(["key": .string(key), "url": .string(try payload.string("url") ?? "")])
        try storage.save(.emoji, key, at: chat.now, json)
        return json
    }

    func listEmojiCategories(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        let all = try storage.documents(.emojiCategory).map { try shown($0.json) }
        return HTTPResponse(
            .object(["emoji_hash": .string(try chat.emojiHash()), "emoji_categories": .array(all)]))
    }

    func viewEmojiCategory(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        return HTTPResponse(try shown(try category(request["id"])))
    }

    func addEmojiCategories(_ request: RoutedRequest) throws -> HTTPResponse {
        let payload = try emojiPayload(request)
        guard let given = payload["emoji_categories"]?.array else { throw Refusal.missing("emoji_categories") }
        let made = try given.map { entry in
            let json = JSON.object(["id": .int(try storage.nextNumber("emoji_category")), "emojis": .array()])
            return try store(Fields(entry), in: json)
        }
        return HTTPResponse(.object(["emoji_categories": .array(made)]))
    }

    func updateEmojiCategory(_ request: RoutedRequest) throws -> HTTPResponse {
        let payload = try emojiPayload(request)
        return HTTPResponse(try store(payload, in: try category(request["id"])))
    }

    func deleteEmojiCategory(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try emojiPayload(request)
        guard try storage.remove(.emojiCategory, request["id"]) else {
            throw Refusal(400_201, "\"Emoji category\" not found.")
        }
        return .empty
    }

    private func category(_ id: String) throws -> JSON {
        guard let json = try storage.document(.emojiCategory, id) else {
            throw Refusal(400_201, "\"Emoji category\" not found.")
        }
        return json
    }

    private func store(_ payload: Fields, in json: JSON) throws -> JSON {
        if let name = try payload.string("name") { json.set("name", .string(name)) }
        json.set("url", .string(try payload.string("url") ?? json["url"]?.string ?? ""))
        if let given = payload["emojis"]?.array {
            // By key, or whole ones that become known with it.
            let keys = try given.map { entry in
                try entry.string.map { try emoji($0)["key"] ?? "" } ?? addEmoji(entry)["key"] ?? ""
            }
            json.set("emojis", .array(keys))
        }
        guard let id = json["id"]?.int else { throw Refusal.missing("id") }
        try storage.save(.emojiCategory, String(id), at: chat.now, json)
        return try shown(json)
    }

    /// With its emoji as objects.
    private func shown(_ json: JSON) throws -> JSON {
        let result = json.deepCopy()
        let keys = (json["emojis"]?.array ?? []).compactMap(\.string)
        result.set("emojis", .array(try keys.compactMap { try storage.document(.emoji, $0) }))
        return result
    }
}
