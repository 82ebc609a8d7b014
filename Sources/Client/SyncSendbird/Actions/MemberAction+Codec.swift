import SyncBytes
import SyncJSON
import SyncModel

// Who is in a channel, and what they may do there. When the rights of another user change, the answer says too little,
// so the channel is asked for again.
extension MemberAction {
    var codec: ActionCodec {
        switch self {
        case .invite: Codecs.invite
        case .acceptInvitation: Codecs.join("/accept")
        case .declineInvitation: Codecs.declineInvitation
        case .join: Codecs.join("/join")
        case .leave: Codecs.leave
        case .listMembers: Codecs.listMembers
        case .addOperators: Codecs.addOperators
        case .removeOperators: Codecs.removeOperators
        case .listOperators: Codecs.listOfUsers("/operators", "operators")
        case .muteUser: Codecs.restrict("/mute", .eventUserMuted)
        case .unmuteUser: Codecs.release("/mute", .eventUserUnmuted)
        case .listMutedUsers: Codecs.listOfUsers("/mute", "muted_list")
        case .banUser: Codecs.restrict("/ban", .eventUserBanned)
        case .unbanUser: Codecs.release("/ban", .eventUserUnbanned)
        case .listBannedUsers: Codecs.listOfUsers("/ban", "banned_list")
        }
    }
}

private enum Codecs {
    static var invite: ActionCodec {
        .channel("POST", Cause(.eventUserReceivedInvitation), path: { $0.channelPath + "/invite" }) { call, userID in
            .object(["inviter_id": .string(userID.text), "user_ids": .strings(call.texts("user_ids") ?? [])])
        }
    }

    /// "/accept" or "/join".
    static func join(_ path: String) -> ActionCodec {
        .channel("PUT", Cause(.eventUserJoined), path: { $0.channelPath + path }) { call, userID in
            let body = JSON.object(["user_id": .string(userID.text)])
            if let code = call.text("access_code") { body.set("access_code", .string(code)) }
            return body
        }
    }

    static var declineInvitation: ActionCodec {
        .done(
            "PUT", { _, _ in [.removed(Cause(.eventUserDeclinedInvitation))] }, path: { $0.channelPath + "/decline" },
            body: { _, userID in .object(["user_id": .string(userID.text)]) })
    }

    static var leave: ActionCodec {
        .done(
            "PUT", { _, _ in [.removed(Cause(.eventUserLeft))] }, path: { $0.channelPath + "/leave" },
            body: { call, userID in
                let body = JSON.object(["user_ids": .strings([userID.text])])
                if let removes = call.flag("should_remove_operator_status") {
                    body.set("should_remove_operator_status", .bool(removes))
                }
                return body
            })
    }

    // MARK: Rights

    static var addOperators: ActionCodec {
        .done(
            "POST", { _, _ in [.changed(Cause(.eventOperatorUpdated))] }, path: { $0.channelPath + "/operators" },
            body: { call, _ in .object(["operator_ids": .strings(call.texts("user_ids") ?? [])]) })
    }

    static var removeOperators: ActionCodec {
        ActionCodec(
            encode: { call, _ in
                var query = Query()
                query.add("operator_ids", list: call.texts("user_ids") ?? [])
                return .http(method: "DELETE", path: call.channelPath + "/operators", query: query)
            },
            decode: { _, call, _ in
                ActionReply(events: [.channel(url: call.channelURL, .changed(Cause(.eventOperatorUpdated)))])
            })
    }

    /// A mute ("/mute") or a ban ("/ban") of a user.
    static func restrict(_ path: String, _ source: EventSource) -> ActionCodec {
        ActionCodec(
            encode: { call, _ in
                let body = JSON.object([
                    "user_id": .string(call.text("user_id") ?? ""), "seconds": .int(call.integer("seconds") ?? -1),
                ])
                if let description = call.text("description") { body.set("description", .string(description)) }
                return .http(method: "POST", path: call.channelPath + path, body: body)
            },
            decode: { _, call, _ in
                ActionReply(events: [.channel(url: call.channelURL, .changed(Cause(source)))])
            })
    }

    static func release(_ path: String, _ source: EventSource) -> ActionCodec {
        ActionCodec(
            encode: { call, _ in
                let user = PercentEncoding.escape(call.text("user_id") ?? "")
                return .http(method: "DELETE", path: call.channelPath + path + "/" + user)
            },
            decode: { _, call, _ in
                ActionReply(events: [.channel(url: call.channelURL, .changed(Cause(source)))])
            })
    }

    // MARK: Lists

    static var listMembers: ActionCodec {
        .list(path: { call, _ in call.channelPath + "/members" }) { call in
            var query = Query()
            for key in ["order", "operator_filter", "muted_member_filter", "member_state_filter",
                "nickname_startswith"]
            {
                query.add(key, call.text(key) ?? "")
            }
            query.add("show_read_receipt", "true")
            query.add("show_delivery_receipt", "true")
            query.add("show_member_is_muted", "true")
            return query
        } read: { answer in
            .object(["members": answer["members"] ?? .array(), "next": answer["next"] ?? ""])
        }
    }

    /// `key` is where the answer has the users.
    static func listOfUsers(_ path: String, _ key: String) -> ActionCodec {
        .list(path: { call, _ in call.channelPath + path }, read: { ActionCodec.users($0, key) })
    }
}
