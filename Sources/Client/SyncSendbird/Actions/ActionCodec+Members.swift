import SyncBytes
import SyncJSON
import SyncModel

// Who is in a channel, and what they may do there. Of what somebody else may do now the answer says too little: the
// channel is asked for again.
extension ActionCodec {
    static var invite: ActionCodec {
        channel("POST", Cause(.eventUserReceivedInvitation), path: { $0.channelPath + "/invite" }) { call, userID in
            .object(["inviter_id": .string(userID.text), "user_ids": .strings(call.texts("user_ids") ?? [])])
        }
    }

    /// "/accept" or "/join".
    static func join(_ path: String) -> ActionCodec {
        channel("PUT", Cause(.eventUserJoined), path: { $0.channelPath + path }) { call, userID in
            let body = JSON.object(["user_id": .string(userID.text)])
            if let code = call.text("access_code") { body.set("access_code", .string(code)) }
            return body
        }
    }

    static var declineInvitation: ActionCodec {
        done(
            "PUT", { _, _ in [.removed(Cause(.eventUserDeclinedInvitation))] }, path: { $0.channelPath + "/decline" },
            body: { _, userID in .object(["user_id": .string(userID.text)]) })
    }

    static var leave: ActionCodec {
        done(
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
        done(
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
        list(path: { call, _ in call.channelPath + "/members" }) { call in
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
        list(path: { call, _ in call.channelPath + path }, read: { users($0, key) })
    }

    /// A page of a list.
    static func list(
        path: @escaping (_ call: ActionCall, _ userID: UserID) -> String,
        query: @escaping (ActionCall) -> Query = { _ in Query() }, read: @escaping (JSON) -> JSON
    ) -> ActionCodec {
        ActionCodec(
            encode: { call, userID in
                var query = query(call)
                query.add("limit", String(call.integer("limit") ?? 20))
                query.add("token", call.text("token") ?? "")
                return .http(method: "GET", path: path(call, userID), query: query)
            },
            decode: { answer, _, _ in ActionReply(result: answer.map { read($0).serialized() }) })
    }

    /// A list of users, wherever the answer has it. Banned users stand beside what is said of their ban.
    static func users(_ answer: JSON, _ key: String) -> JSON {
        let list = JSON.array()
        for entry in answer[key]?.array ?? [] {
            guard let user = entry["user"], user.kind == .object else {
                list.append(entry)
                continue
            }
            let joined = user.deepCopy()
            for (key, value) in entry.members ?? [] where key != "user" { joined.set(key, value) }
            list.append(joined)
        }
        return .object(["users": list, "next": answer["next"] ?? ""])
    }
}
