import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

// Sets of emoji that clients offer as reactions. Whoever runs the server fills them; there are none at first.
extension Router {
    /// emojis[/{key}]
    func emojis(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        guard request.method != "GET" else {
            _ = try caller(request)
            guard let key = path.first else {
                return HTTPResponse(.object(["emojis": .array(try storage.documents(.emoji).map(\.json))]))
            }
            return HTTPResponse(try emoji(key))
        }
        try administrator(request)
        let payload = try request.payload()
        switch (request.method, path.count) {
        case ("POST", 0):
            guard let given = payload["emojis"]?.array else { throw Refusal.missing("emojis") }
            return HTTPResponse(.object(["emojis": .array(try given.map(addEmoji))]))
        case ("PUT", 1):
            let json = try emoji(path[0])
            json.set("url", .string(try payload.required("url")))
            try storage.save(.emoji, path[0], at: chat.now, json)
            return HTTPResponse(json)
        case ("DELETE", 1):
            guard try storage.remove(.emoji, path[0]) else { throw Refusal(400_201, "\"Emoji\" not found.") }
            return .empty
        default: throw Refusal.noEndpoint()
        }
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

    /// emoji_categories[/{id}]
    func emojiCategories(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        guard request.method != "GET" else {
            _ = try caller(request)
            guard let id = path.first else {
                let all = try storage.documents(.emojiCategory).map { try shown($0.json) }
                return HTTPResponse(
                    .object(["emoji_hash": .string(try chat.emojiHash()), "emoji_categories": .array(all)]))
            }
            return HTTPResponse(try shown(try category(id)))
        }
        try administrator(request)
        let payload = try request.payload()
        switch (request.method, path.count) {
        case ("POST", 0):
            guard let given = payload["emoji_categories"]?.array else { throw Refusal.missing("emoji_categories") }
            let made = try given.map { entry in
                let json = JSON.object(["id": .int(try storage.nextNumber("emoji_category")), "emojis": .array()])
                return try store(Fields(entry), in: json)
            }
            return HTTPResponse(.object(["emoji_categories": .array(made)]))
        case ("PUT", 1): return HTTPResponse(try store(payload, in: try category(path[0])))
        case ("DELETE", 1):
            guard try storage.remove(.emojiCategory, path[0]) else {
                throw Refusal(400_201, "\"Emoji category\" not found.")
            }
            return .empty
        default: throw Refusal.noEndpoint()
        }
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
