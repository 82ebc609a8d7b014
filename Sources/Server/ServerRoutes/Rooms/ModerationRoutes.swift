import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Requests about who is muted or banned in a channel, and who its operators are.
struct ModerationRoutes: Routes {
    let context: RouteContext

    private func restricted(_ user: UserRow, until: Int64, since: Int64, note: String, _ type: String) -> JSON {
        let json = user.json
        json.set("description", .string(note))
        json.set("start_at", .int(since))
        json.set("end_at", .int(until))
        json.set("remaining_duration", .int(until < 0 ? -1 : max(0, until.subtractingClamped(chat.now))))
        json.set("restriction_type", .string(type))
        return json
    }

    // MARK: Mutes

    func viewMute(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, _) = try membership(request)
        try chat.access.checkReading(try caller(request), channel)
        guard let member = try chat.contents.membership(request["user"], in: channel),
            let mute = try chat.access.mute(of: member, in: channel)
        else { return HTTPResponse(.object(["is_muted": false])) }
        return HTTPResponse(
            .object([
                "is_muted": true, "description": .string(mute.note), "start_at": .int(mute.since),
                "end_at": .int(mute.until),
                "remaining_duration": .int(mute.until < 0 ? -1 : mute.until.subtractingClamped(chat.now)),
            ]))
    }

    func listMutes(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, _) = try membership(request)
        try chat.access.checkReading(try caller(request), channel)
        let muted = try chat.contents.mutedMembers(of: channel)
        let page = try Page(of: muted, request.query)
        let list = try page.items.compactMap { member in
            try chat.users.find(member.userID).map {
                restricted($0, until: member.mutedUntil, since: member.mutedAt, note: member.muteNote, "muted")
            }
        }
        let answer = JSON.object(["muted_list": .array(list), "next": .string(page.next)])
        if request.query.bool("show_total_mute_count", default: true) {
            answer.set("total_mute_count", .int(Int64(muted.count)))
        }
        return HTTPResponse(answer)
    }

    func changeMute(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let caller = try caller(request)
        guard let id = request.value("user") ?? named else { throw Refusal.missing("user_id") }
        try chat.moderation.mute(
            channel, id, seconds: try payload.int("seconds") ?? -1, note: try payload.string("description") ?? "",
            mutes: request.method == "POST", caller)
        return try channelResponse(channel, caller, request.query)
    }

    // MARK: Bans

    /// A ban with its user, if there still is one.
    private func banEntry(_ ban: BanTable.Ban) throws -> JSON? {
        try chat.users.find(ban.userID).map { user in
            let json = restricted(user, until: ban.until, since: ban.bannedAt, note: ban.note, "banned")
            return JSON.object([
                "user": json, "description": .string(ban.note), "start_at": .int(ban.bannedAt),
                "end_at": .int(ban.until),
            ])
        }
    }

    func viewBan(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, _) = try membership(request)
        try chat.access.checkReading(try caller(request), channel)
        let found = try chat.contents.bans(of: channel).filter { $0.userID.isByteEqual(to: request["user"]) }
        let page = try Page(of: found, request.query)
        guard let only = try page.items.first.flatMap({ try banEntry($0) }) else { throw notBanned() }
        return HTTPResponse(only)
    }

    func listBans(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, _) = try membership(request)
        try chat.access.checkReading(try caller(request), channel)
        let banned = try chat.contents.bans(of: channel)
        let page = try Page(of: banned, request.query)
        let list = try page.items.compactMap(banEntry)
        let answer = JSON.object(["banned_list": .array(list), "next": .string(page.next)])
        if request.query.bool("show_total_ban_count", default: true) {
            answer.set("total_ban_count", .int(Int64(banned.count)))
        }
        return HTTPResponse(answer)
    }

    func setBan(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let caller = try caller(request)
        guard let id = request.value("user") ?? named else { throw Refusal.missing("user_id") }
        let seconds = try payload.int("seconds") ?? -1
        let note = try payload.string("description") ?? ""
        // The user in whose name the administration bans, if there is one.
        let agent = try payload.string("agent_id").flatMap { $0.isEmpty ? nil : $0 }
        if let agent { _ = try chat.activeUser(agent) }
        try chat.moderation.ban(channel, id, seconds: seconds, note: note, bans: request.method == "POST", caller)
        return request.method == "POST" ? try oneBan(id, channel) : .empty
    }

    func changeBan(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, _) = try membership(request)
        let caller = try caller(request)
        let id = request["user"]
        guard let ban = try chat.contents.ban(of: id, in: channel), ban.holds(at: chat.now) else { throw notBanned() }
        let note = try payload.string("description") ?? ban.note
        try chat.moderation.changeBan(channel, ban, seconds: try payload.int("seconds"), note: note, caller)
        return try oneBan(id, channel)
    }

    private func notBanned() -> Refusal { Refusal(400_201, "The user is not banned.", status: 404) }

    private func oneBan(_ id: String, _ channel: ChannelRow) throws -> HTTPResponse {
        guard let user = try chat.users.find(id), let ban = try chat.contents.ban(of: id, in: channel) else {
            throw notBanned()
        }
        return HTTPResponse(
            .object([
                "user": user.json, "description": .string(ban.note), "start_at": .int(ban.bannedAt),
                "end_at": .int(ban.until),
            ]))
    }

    // MARK: Operators

    /// The users that a request about operators names, with the channel, the body and the caller.
    private func operators(_ request: RoutedRequest) throws -> (ChannelRow, Fields, Caller, ids: TextSet) {
        let (channel, payload, _) = try membership(request)
        let caller = try caller(request)
        let ids = try payload.strings("operator_ids").map { TextSet($0) } ?? request.query.choice("operator_ids") ?? []
        return (channel, payload, caller, ids)
    }

    func listOperators(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, caller, _) = try operators(request)
        try chat.access.checkReading(caller, channel)
        let page = try Page(of: try chat.contents.operators(of: channel), request.query)
        let users = try page.items.compactMap { try chat.users.find($0)?.json }
        return HTTPResponse(.object(["operators": .array(users), "next": .string(page.next)]))
    }

    func addOperators(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, caller, ids) = try operators(request)
        guard !ids.isEmpty else { throw Refusal.missing("operator_ids") }
        try chat.moderation.changeOperators(channel, adding: ids.sorted(), caller)
        return .empty
    }

    func removeOperators(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, caller, ids) = try operators(request)
        let all = try payload.bool("delete_all") ?? request.query.bool("delete_all")
        guard all || !ids.isEmpty else { throw Refusal.missing("operator_ids") }
        try chat.moderation.changeOperators(channel, removing: all ? nil : ids, caller)
        return .empty
    }

    func noActionOfOperators(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try operators(request)
        throw Refusal.noEndpoint()
    }
}
