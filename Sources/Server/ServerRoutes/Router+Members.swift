import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

extension Router {
    /// The channel whose members it is about, the body, and the user that body or query name.
    private func membership(_ request: RoutedRequest) throws -> (channel: ChannelRow, payload: Fields, named: String?) {
        let channel = try channel(request)
        let payload = try request.payload()
        return (channel, payload, try payload.string("user_id") ?? request.query["user_id"])
    }

    func invite(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, _) = try membership(request)
        let caller = try caller(request)
        let inviter = try payload.string("inviter_id") ?? caller.userID
        guard let ids = try payload.strings("user_ids") ?? payload.strings("users") else {
            throw Refusal.missing("user_ids")
        }
        let changed = try chat.invite(channel, ids, inviter: inviter, try InvitationInput(payload), caller)
        return try channelResponse(changed, caller, request.query)
    }

    func accept(_ request: RoutedRequest) throws -> HTTPResponse { try join(request, byInvitation: true) }
    func join(_ request: RoutedRequest) throws -> HTTPResponse { try join(request, byInvitation: false) }

    private func join(_ request: RoutedRequest, byInvitation: Bool) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let caller = try caller(request, as: named)
        guard !caller.userID.isEmpty else { throw Refusal.missing("user_id") }
        let changed = try chat.join(
            channel, caller.userID, accessCode: try payload.string("access_code") ?? "", byInvitation: byInvitation,
            caller)
        return try channelResponse(changed, caller, request.query)
    }

    func decline(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, named) = try membership(request)
        let caller = try caller(request, as: named)
        try chat.decline(channel, caller.userID)
        return .empty
    }

    func leave(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let caller = try caller(request, as: named)
        var ids = try payload.strings("user_ids")
        if !caller.isAdmin {
            ids = [caller.userID]
        } else if try payload.bool("should_leave_all") == true {
            ids = nil
        } else if ids == nil, !caller.userID.isEmpty {
            ids = [caller.userID]
        } else if ids == nil {
            throw Refusal.missing("user_ids")
        }
        let removes = try payload.bool("should_remove_operator_status") ?? false
        _ = try payload.string("reason")
        try chat.leave(channel, ids, keepsOperators: !removes)
        return .empty
    }

    func hide(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let caller = try caller(request, as: named)
        let hidesPrevious = try payload.bool("hide_previous_messages") ?? false
        let unhidesByItself = try payload.bool("allow_auto_unhide") ?? true
        let all = try caller.isAdmin && payload.bool("should_hide_all") ?? false
        var offset: Int64 = 0
        for id in all ? try chat.contents.joinedMembers(of: channel) : [caller.userID] {
            offset = try chat.hide(channel, id, hidesPrevious: hidesPrevious, unhidesByItself: unhidesByItself)
        }
        return HTTPResponse(.object(["ts_message_offset": .int(offset)]))
    }

    func unhide(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let caller = try caller(request, as: named)
        let all =
            try caller.isAdmin && payload.bool("should_unhide_all") ?? request.query.bool("should_unhide_all")
        for id in all ? try chat.contents.joinedMembers(of: channel) : [caller.userID] {
            try chat.unhide(channel, id)
        }
        return .empty
    }

    func freeze(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, _) = try membership(request)
        let caller = try caller(request)
        guard let isFrozen = try payload.bool("freeze") else { throw Refusal.missing("freeze") }
        return try channelResponse(try chat.freeze(channel, isFrozen, caller), caller, request.query)
    }

    func resetHistory(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let caller = try caller(request, as: named)
        if caller.isAdmin, try payload.bool("reset_all") == true {
            for id in try chat.contents.joinedMembers(of: channel) {
                _ = try chat.resetHistory(Caller(userID: id), channel)
            }
            return HTTPResponse(.object(["ts_message_offset": .int(chat.now)]))
        }
        return HTTPResponse(.object(["ts_message_offset": .int(try chat.resetHistory(caller, channel))]))
    }

    func purgeOffset(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, _) = try membership(request)
        try chat.checkReading(try caller(request), channel)
        let offset = chat.settings.purgeOffset(customType: channel.customType)
        return HTTPResponse(.object(["message_purge_offset": .int(offset)]))
    }

    func typing(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let ids = try payload.strings("user_ids") ?? named.map { [$0] } ?? []
        let caller = try caller(request)
        for id in caller.isAdmin ? ids : [caller.userID] {
            try chat.typing(Caller(userID: id), channel, starts: request.method == "POST")
        }
        return .empty
    }

    func noPartOfMembers(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try membership(request)
        throw Refusal.noEndpoint()
    }

    /// Any other request about mutes, bans or operators, for which the caller is looked at first.
    func noActionOfModerators(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try membership(request)
        _ = try caller(request)
        throw Refusal.noEndpoint()
    }

    func viewMember(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, _) = try membership(request)
        try chat.checkReading(try caller(request), channel)
        guard let member = try chat.contents.membership(request["user"], in: channel) else {
            return HTTPResponse(.object(["is_member": false, "state": "none"]))
        }
        return HTTPResponse(
            .object([
                "is_member": .bool(member.state == .joined), "state": .string(member.state.word),
                "role": member.isOperator ? "operator" : "none",
            ]))
    }

    func listMembers(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, _) = try membership(request)
        let caller = try caller(request)
        try chat.checkReading(caller, channel)
        let query = request.query
        // The administration looks in the name of a user: whom it blocks, and who blocks it.
        let viewer = caller.isAdmin ? query.text("user_id") : caller.userID
        let view = try ChannelView(chat, viewer: viewer, parts: ChannelView.Parts(query))
        let found = try chat.contents.members(of: channel, try MemberListQuery(query))
        let page = try Page(of: found, query)
        let withPreference = query.bool("include_push_preference")
        let withMute = query.bool("show_member_is_muted", default: true)
        var writer = JSONWriter()
        writer.beginObject()
        writer.key("members")
        writer.beginArray()
        for entry in page.items {
            view.write(
                entry.membership, entry.user, to: &writer, withPushPreference: withPreference, withMute: withMute)
        }
        writer.endArray()
        writer.member("next", page.next)
        writer.endObject()
        return HTTPResponse(writer)
    }

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
        try chat.checkReading(try caller(request), channel)
        guard let member = try chat.contents.membership(request["user"], in: channel),
            let mute = try chat.mute(member, channel)
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
        try chat.checkReading(try caller(request), channel)
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
        try chat.mute(
            channel, id, seconds: try payload.int("seconds") ?? -1, note: try payload.string("description") ?? "",
            mutes: request.method == "POST", caller)
        return try channelResponse(channel, caller, request.query)
    }

    // MARK: Bans

    /// A ban with its user, if there still is one.
    private func banEntry(_ ban: Storage.Ban) throws -> JSON? {
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
        try chat.checkReading(try caller(request), channel)
        let found = try chat.contents.bans(of: channel).filter { $0.userID.isByteEqual(to: request["user"]) }
        let page = try Page(of: found, request.query)
        guard let only = try page.items.first.flatMap({ try banEntry($0) }) else { throw notBanned() }
        return HTTPResponse(only)
    }

    func listBans(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, _) = try membership(request)
        try chat.checkReading(try caller(request), channel)
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
        // Who bans, when the administration does it in the name of a user.
        let agent = try payload.string("agent_id").flatMap { $0.isEmpty ? nil : $0 }
        if let agent { _ = try chat.activeUser(agent) }
        try chat.ban(channel, id, seconds: seconds, note: note, bans: request.method == "POST", caller)
        return request.method == "POST" ? try oneBan(id, channel) : .empty
    }

    func changeBan(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, _) = try membership(request)
        let caller = try caller(request)
        let id = request["user"]
        guard let ban = try chat.contents.ban(of: id, in: channel), ban.holds(at: chat.now) else { throw notBanned() }
        let note = try payload.string("description") ?? ban.note
        try chat.changeBan(channel, ban, seconds: try payload.int("seconds"), note: note, caller)
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

    /// Whom a request about operators names.
    private func operators(_ request: RoutedRequest) throws -> (ChannelRow, Fields, Caller, ids: TextSet) {
        let (channel, payload, _) = try membership(request)
        let caller = try caller(request)
        let ids = try payload.strings("operator_ids").map { TextSet($0) } ?? request.query.choice("operator_ids") ?? []
        return (channel, payload, caller, ids)
    }

    func listOperators(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, caller, _) = try operators(request)
        try chat.checkReading(caller, channel)
        let page = try Page(of: try chat.contents.operators(of: channel), request.query)
        let users = try page.items.compactMap { try chat.users.find($0)?.json }
        return HTTPResponse(.object(["operators": .array(users), "next": .string(page.next)]))
    }

    func addOperators(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, caller, ids) = try operators(request)
        guard !ids.isEmpty else { throw Refusal.missing("operator_ids") }
        try chat.changeOperators(channel, adding: ids.sorted(), caller)
        return .empty
    }

    func removeOperators(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, caller, ids) = try operators(request)
        let all = try payload.bool("delete_all") ?? request.query.bool("delete_all")
        guard all || !ids.isEmpty else { throw Refusal.missing("operator_ids") }
        try chat.changeOperators(channel, removing: all ? nil : ids, caller)
        return .empty
    }

    func noActionOfOperators(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try operators(request)
        throw Refusal.noEndpoint()
    }
}
