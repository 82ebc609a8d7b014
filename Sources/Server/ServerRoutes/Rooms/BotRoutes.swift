import ServerBase
import ServerChat
import ServerHTTP
import SyncJSON

/// A bot is a user that the administration speaks through. Its callback address is kept and never called.
struct BotRoutes: Routes {
    let context: RouteContext

    /// The bot that a request is about. Only the administration has any.
    private func bot(_ request: RoutedRequest) throws -> UserRow {
        try administrator(request)
        return try chat.users.bot(request["bot"])
    }

    func listBots(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        let page = try Page(of: try chat.users.bots(), request.query)
        let bots = try page.items.compactMap { try chat.users.find($0).map { try botDocument($0) } }
        return HTTPResponse(.object(["bots": .array(bots), "next": .string(page.next)]))
    }

    func viewBot(_ request: RoutedRequest) throws -> HTTPResponse { HTTPResponse(try botDocument(try bot(request))) }

    func updateBot(_ request: RoutedRequest) throws -> HTTPResponse {
        var changed = try bot(request)
        let payload = try request.payload()
        try apply(payload, to: &changed, existing: try chat.users.botSettings(changed.id))
        return HTTPResponse(try botDocument(changed))
    }

    func deleteBot(_ request: RoutedRequest) throws -> HTTPResponse {
        try chat.accounts.remove(try bot(request).id)
        return .empty
    }

    func leaveAllAsBot(_ request: RoutedRequest) throws -> HTTPResponse {
        try chat.accounts.leaveAll(try bot(request).id)
        return .empty
    }

    func leaveAsBot(_ request: RoutedRequest) throws -> HTTPResponse {
        let id = try bot(request).id
        try chat.members.leave(try chat.channel(request["url"]), [id])
        return .empty
    }

    func sendAsBot(_ request: RoutedRequest) throws -> HTTPResponse {
        let id = try bot(request).id
        let payload = try request.payload()
        let channel = try chat.channel(try payload.required("channel_url"))
        let caller = Caller(userID: id, isAdmin: true)
        let messages = MessageRoutes(context: context)
        let input = try messages.input(request, try messages.kind(payload), caller)
        let message = try chat.sending.send(input, caller, channel).message
        return HTTPResponse(body: Array("{\"message\":".utf8) + message.bytes(.all) + [UInt8(ascii: "}")])
    }

    func noActionOfBot(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try bot(request)
        throw Refusal.noEndpoint()
    }

    func createBot(_ request: RoutedRequest) throws -> HTTPResponse {
        try administrator(request)
        let payload = try request.payload()
        let id = try payload.required("bot_userid")
        try chat.accounts.checkNewID(id, "bot_userid")
        _ = try payload.required("bot_nickname")
        var user = UserRow(id: id, nickname: "", accessToken: chat.users.newAccessToken(), createdAt: chat.now)
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
        try chat.accounts.storeBot(user, json)
    }

    private func botDocument(_ user: UserRow) throws -> JSON {
        let json = try chat.users.botSettings(user.id) ?? .object()
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

    /// The bot joins channels, invited or not; the answer is the first of them, as the administration sees it.
    func joinAsBot(_ request: RoutedRequest) throws -> HTTPResponse {
        let bot = try bot(request)
        guard let urls = try request.payload().strings("channel_urls"), let first = urls.first else {
            throw Refusal.missing("channel_urls")
        }
        let channels = try urls.map { try chat.channel($0) }
        let joined = InvitationInput(joining: bot.id)
        let admin = Caller(userID: "", isAdmin: true)
        for channel in channels { _ = try chat.members.invite(channel, [bot.id], inviter: "", joined, admin) }
        return try channelResponse(try chat.channel(first), admin, request.query)
    }
}
