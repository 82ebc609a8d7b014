import SyncJSON

/// Finds what a REST request asks for and answers it. Routes lie in extensions, by topic.
final class Router {
    let chat: Chat
    let apiToken: String

    init(chat: Chat, apiToken: String) {
        self.chat = chat
        self.apiToken = apiToken
    }

    var storage: Storage { chat.storage }

    func answer(_ request: HTTPRequest) -> HTTPResponse {
        do {
            return try route(request)
        } catch let error as APIError {
            return HTTPResponse(error)
        } catch {
            Log.failure("\(request.method) \(request.target.raw) failed", error)
            return HTTPResponse(APIError(500_901, "Internal error.", status: 500))
        }
    }

    private func route(_ request: HTTPRequest) throws -> HTTPResponse {
        let path = request.target.segments
        if path.first == "files" { return try download(request, Array(path.dropFirst())) }
        guard path.first == "v3", path.count > 1 else {
            throw APIError(400_404, "There is no such address.", status: 404)
        }
        let rest = Array(path.dropFirst(2))
        switch path[1] {
        case "users": return try users(request, rest)
        case "group_channels": return try groupChannels(request, rest)
        case "sdk":
            if rest.first == "group_channels" { return try groupChannels(request, Array(rest.dropFirst())) }
            return try sdk(request, rest)
        case "applications": return try applications(request, rest)
        case "announcements": return try announcements(request, rest)
        case "bots": return try bots(request, rest)
        case "emojis": return try emojis(request, rest)
        case "emoji_categories": return try emojiCategories(request, rest)
        case "migration": return try migration(request, rest)
        case "polls": return try polls(request, rest)
        case "push": return try deviceOwners(request, rest)
        case "report": return try reports(request, rest)
        case "scheduled_messages": return try allScheduledMessages(request, rest)
        case "search":
            guard request.method == "GET", rest == ["messages"] else { throw APIError.noEndpoint() }
            let caller = try caller(request, as: request.query["user_id"])
            return HTTPResponse(try chat.search(caller, request.query))
        case "storage": return try upload(request, rest)
        default: throw APIError.noEndpoint()
        }
    }

    /// Who asks. The administration may act for a user that the path or the body names.
    func caller(_ request: HTTPRequest) throws -> Caller {
        if let token = request.header("Api-Token"), !token.isEmpty {
            guard token == apiToken else { throw APIError(400_401, "The API token is not valid.", status: 401) }
            return Caller(userID: "", isAdmin: true)
        }
        guard let key = request.header("Session-Key") ?? request.header("SESSION-KEY"), !key.isEmpty else {
            throw APIError(400_402, "A session key or an API token is missing.", status: 401)
        }
        let decoded = PercentCoding.decode(key.utf8, plusIsSpace: false)
        return Caller(userID: try chat.user(ofSession: decoded).id)
    }

    /// The caller as the user that a body or path names: the administration acts for anybody, a user for itself.
    func caller(_ request: HTTPRequest, as userID: String?) throws -> Caller {
        let caller = try caller(request)
        guard let userID, !userID.isEmpty else { return caller }
        if caller.isAdmin { return Caller(userID: try chat.activeUser(userID).id, isAdmin: true) }
        guard caller.userID == userID else { throw APIError.unauthorized("a user acts for itself") }
        return caller
    }

    func administrator(_ request: HTTPRequest) throws {
        guard try caller(request).isAdmin else { throw APIError.unauthorized("an API token is needed") }
    }

    func channelResponse(
        _ channel: ChannelRow, _ caller: Caller, _ query: RequestQuery, extra: KeyValuePairs<StaticString, Bool> = [:]
    ) throws -> HTTPResponse {
        let view = try ChannelView(chat, viewer: caller.userID, parts: ChannelView.Parts(query))
        return HTTPResponse(body: try view.document(channel, extra: extra))
    }
}
