import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

/// Requests about the application's emoji and their categories.
struct EmojiRoutes: Routes {
    let context: RouteContext

    func listEmojis(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        return HTTPResponse(.object(["emojis": .array(try chat.emoji.all())]))
    }

    func viewEmoji(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        return HTTPResponse(try chat.emoji.emoji(request["key"]))
    }

    func addEmojis(_ request: RoutedRequest) throws -> HTTPResponse {
        let payload = try emojiPayload(request)
        guard let given = payload["emojis"]?.array else { throw Refusal.missing("emojis") }
        return HTTPResponse(.object(["emojis": .array(try given.map(chat.emoji.add))]))
    }

    func updateEmoji(_ request: RoutedRequest) throws -> HTTPResponse {
        let payload = try emojiPayload(request)
        return HTTPResponse(try chat.emoji.changeEmoji(request["key"], payload))
    }

    func deleteEmoji(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try emojiPayload(request)
        try chat.emoji.remove(request["key"])
        return .empty
    }

    func noActionOfEmojis(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try emojiPayload(request)
        throw Refusal.noEndpoint()
    }

    /// The body of a change of the sets, which only the administration may make.
    private func emojiPayload(_ request: RoutedRequest) throws -> Fields {
        try administrator(request)
        return try request.payload()
    }

    func listEmojiCategories(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        let all = try chat.emoji.categories()
        return HTTPResponse(
            .object(["emoji_hash": .string(try chat.emoji.hash()), "emoji_categories": .array(all)]))
    }

    func viewEmojiCategory(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try caller(request)
        return HTTPResponse(try chat.emoji.shownCategory(request["id"]))
    }

    func addEmojiCategories(_ request: RoutedRequest) throws -> HTTPResponse {
        let payload = try emojiPayload(request)
        guard let given = payload["emoji_categories"]?.array else { throw Refusal.missing("emoji_categories") }
        return HTTPResponse(.object(["emoji_categories": .array(try given.map(chat.emoji.addCategory))]))
    }

    func updateEmojiCategory(_ request: RoutedRequest) throws -> HTTPResponse {
        let payload = try emojiPayload(request)
        return HTTPResponse(try chat.emoji.changeCategory(request["id"], payload))
    }

    func deleteEmojiCategory(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try emojiPayload(request)
        try chat.emoji.removeCategory(request["id"])
        return .empty
    }
}
