import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

// A bot is a user that the administration speaks through. Its callback address is kept and never called.
extension Router {
    /// bots, bots/{id}, bots/{id}/channels[/{url}], bots/{id}/send
    func bots(_ request: HTTPRequest, _ path: [String]) throws -> HTTPResponse {
        try administrator(request)
        guard let id = path.first else {
            switch request.method {
            case "GET":
                let page = try Page(of: try storage.documents(.bot), request.query)
                let bots = try page.items.compactMap { try storage.user($0.id).map { try botDocument($0) } }
                return HTTPResponse(.object(["bots": .array(bots), "next": .string(page.next)]))
            case "POST": return try createBot(request)
            default: throw Refusal.noEndpoint()
            }
        }
        guard storage.bots.contains(id), let user = try storage.user(id) else {
            throw Refusal(400_201, "\"Bot\" not found.")
        }
        switch (request.method, path.count > 1 ? path[1] : "", path.count) {
        case ("GET", "", 1): return HTTPResponse(try botDocument(user))
        case ("PUT", "", 1):
            var changed = user
            let payload = try request.payload()
            try apply(payload, to: &changed, existing: try storage.document(.bot, id))
            return HTTPResponse(try botDocument(changed))
        case ("DELETE", "", 1):
            try removeUser(id)
            return .empty
        case ("POST", "channels", 2): return try joinChannels(request, user)
        case ("DELETE", "channels", 2):
            for (channel, _) in try storage.channels(of: id) { try chat.leave(channel, [id]) }
            return .empty
        case ("DELETE", "channels", 3):
            try chat.leave(try chat.channel(path[2]), [id])
            return .empty
        case ("POST", "send", 2):
            let payload = try request.payload()
            let channel = try chat.channel(try payload.required("channel_url"))
            let caller = Caller(userID: id, isAdmin: true)
            let input = try messageInput(request, try messageKind(payload), caller)
            let message = try chat.send(input, caller, channel).message
            return HTTPResponse(body: Array("{\"message\":".utf8) + message.bytes(.all) + [UInt8(ascii: "}")])
        default: throw Refusal.noEndpoint()
        }
    }

    private func createBot(_ request: HTTPRequest) throws -> HTTPResponse {
        let payload = try request.payload()
        let id = try payload.required("bot_userid")
        guard id.unicodeScalars.count <= 80 else { throw Refusal(400_305, "\"bot_userid\" is too long.") }
        if try storage.user(id) != nil { throw Refusal.exists("\"bot_userid\"") }
        _ = try payload.required("bot_nickname")
        var user = UserRow(id: id, nickname: "", accessToken: storage.random.hex(20), createdAt: chat.now)
        try apply(payload, to: &user, existing: nil)
        return HTTPResponse(try botDocument(user))
    }

    /// Stores what a payload says of a bot: its user and its settings.
    private func apply(_ payload: Fields, to user: inout UserRow, existing: JSON?) throws {
        let json =
            existing
            ?? .object([
                "bot_callback_url": "", "bot_type": "", "is_privacy_mode": false, "enable_mark_as_read": true,
                "show_member": false, "channel_invitation_preference": 0, "created_at": .int(chat.now),
            ])
        // The name is in the path and the body.
        _ = try payload.string("bot_userid")
        if let nickname = try payload.string("bot_nickname") { user.nickname = nickname }
        if let url = try payload.string("bot_profile_url") { user.profileURL = url }
        if let metadata = try payload.object("bot_metadata") { user.metadata = metadata.json.serialized() }
        for key in ["bot_callback_url", "bot_type"] {
            if let value = try payload.string(key) { json.set(key, .string(value)) }
        }
        for key in ["is_privacy_mode", "enable_mark_as_read", "show_member"] {
            if let value = try payload.bool(key) { json.set(key, .bool(value)) }
        }
        if let value = try payload.int("channel_invitation_preference") {
            json.set("channel_invitation_preference", .int(value))
            user.acceptsInvitations = value == 0
        }
        let changed = user
        try storage.transaction {
            try storage.save(changed)
            try storage.save(.bot, changed.id, at: chat.now, json)
        }
        storage.bots.insert(user.id)
    }

    private func botDocument(_ user: UserRow) throws -> JSON {
        let json = try storage.document(.bot, user.id) ?? .object()
        let result = JSON.object([
            "bot": .object([
                "bot_userid": .string(user.id), "bot_nickname": .string(user.nickname),
                "bot_profile_url": .string(user.profileURL), "bot_type": json["bot_type"] ?? "",
                "bot_token": .string(user.accessToken), "bot_metadata": (try? JSON.parse(user.metadata)) ?? .object(),
                "bot_require_auth_for_profile_image": false, "ai_agent_type": "", "feedback": false,
            ])
        ])
        for (key, value) in json.members ?? [] where key != "bot_type" { result.set(key, value) }
        return result
    }

    /// The bot comes into channels, invited or not; the answer is the first of them, as the service has it.
    private func joinChannels(_ request: HTTPRequest, _ bot: UserRow) throws -> HTTPResponse {
        guard let urls = try request.payload().strings("channel_urls"), let first = urls.first else {
            throw Refusal.missing("channel_urls")
        }
        let channels = try urls.map { try chat.channel($0) }
        let joined = InvitationInput(joining: bot.id)
        let admin = Caller(userID: "", isAdmin: true)
        for channel in channels { _ = try chat.invite(channel, [bot.id], inviter: "", joined, admin) }
        return try channelResponse(try chat.channel(first), admin, request.query)
    }
}
