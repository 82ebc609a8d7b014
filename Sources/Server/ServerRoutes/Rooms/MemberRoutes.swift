import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes
import SyncJSON

/// Requests by which users join a channel, leave it, and change their own settings of it.
struct MemberRoutes: Routes {
    let context: RouteContext

    func invite(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, _) = try membership(request)
        let caller = try caller(request)
        let inviter = try payload.string("inviter_id") ?? caller.userID
        guard let ids = try payload.strings("user_ids") ?? payload.strings("users") else {
            throw Refusal.missing("user_ids")
        }
        let changed = try chat.members.invite(channel, ids, inviter: inviter, try InvitationInput(payload), caller)
        return try channelResponse(changed, caller, request.query)
    }

    func accept(_ request: RoutedRequest) throws -> HTTPResponse { try join(request, byInvitation: true) }
    func join(_ request: RoutedRequest) throws -> HTTPResponse { try join(request, byInvitation: false) }

    private func join(_ request: RoutedRequest, byInvitation: Bool) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let caller = try caller(request, as: named)
        guard !caller.userID.isEmpty else { throw Refusal.missing("user_id") }
        let changed = try chat.members.join(
            channel, caller.userID, accessCode: try payload.string("access_code") ?? "", byInvitation: byInvitation,
            caller)
        return try channelResponse(changed, caller, request.query)
    }

    func decline(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, named) = try membership(request)
        let caller = try caller(request, as: named)
        try chat.members.decline(channel, caller.userID)
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
        try chat.members.leave(channel, ids, keepsOperators: !removes)
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
            offset = try chat.hiding.hide(channel, id, hidesPrevious: hidesPrevious, unhidesByItself: unhidesByItself)
        }
        return HTTPResponse(.object(["ts_message_offset": .int(offset)]))
    }

    func unhide(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let caller = try caller(request, as: named)
        let all =
            try caller.isAdmin && payload.bool("should_unhide_all") ?? request.query.bool("should_unhide_all")
        for id in all ? try chat.contents.joinedMembers(of: channel) : [caller.userID] {
            try chat.hiding.unhide(channel, id)
        }
        return .empty
    }

    func freeze(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, _) = try membership(request)
        let caller = try caller(request)
        guard let isFrozen = try payload.bool("freeze") else { throw Refusal.missing("freeze") }
        return try channelResponse(try chat.channels.freeze(channel, isFrozen, caller), caller, request.query)
    }

    func resetHistory(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let caller = try caller(request, as: named)
        if caller.isAdmin, try payload.bool("reset_all") == true {
            for id in try chat.contents.joinedMembers(of: channel) {
                _ = try chat.hiding.resetHistory(Caller(userID: id), channel)
            }
            return HTTPResponse(.object(["ts_message_offset": .int(chat.now)]))
        }
        return HTTPResponse(.object(["ts_message_offset": .int(try chat.hiding.resetHistory(caller, channel))]))
    }

    func purgeOffset(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, _) = try membership(request)
        try chat.access.checkReading(try caller(request), channel)
        let offset = chat.settings.purgeOffset(customType: channel.customType)
        return HTTPResponse(.object(["message_purge_offset": .int(offset)]))
    }

    func typing(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, payload, named) = try membership(request)
        let ids = try payload.strings("user_ids") ?? named.map { [$0] } ?? []
        let caller = try caller(request)
        for id in caller.isAdmin ? ids : [caller.userID] {
            try chat.reading.typing(Caller(userID: id), channel, starts: request.method == "POST")
        }
        return .empty
    }

    func noPartOfMembers(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try membership(request)
        throw Refusal.noEndpoint()
    }

    /// Any other request about mutes, bans or operators: the caller is checked before it is refused.
    func noActionOfModerators(_ request: RoutedRequest) throws -> HTTPResponse {
        _ = try membership(request)
        _ = try caller(request)
        throw Refusal.noEndpoint()
    }

    func viewMember(_ request: RoutedRequest) throws -> HTTPResponse {
        let (channel, _, _) = try membership(request)
        try chat.access.checkReading(try caller(request), channel)
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
        try chat.access.checkReading(caller, channel)
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
}
