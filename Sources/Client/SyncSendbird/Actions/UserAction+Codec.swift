import SyncBytes
import SyncJSON
import SyncModel

// Users of the application, beyond one channel.
extension UserAction {
    var codec: ActionCodec {
        switch self {
        case .listUsers: Codecs.listUsers
        case .blockUser: Codecs.blockUser
        case .unblockUser: Codecs.unblockUser
        case .listBlockedUsers: Codecs.listBlockedUsers
        case .updateProfile: Codecs.updateProfile
        case .listPushTokens: Codecs.listPushTokens
        case .registerPushToken: Codecs.registerPushToken
        case .unregisterPushToken: Codecs.unregisterPushToken
        case .unregisterAllPushTokens: Codecs.unregisterAllPushTokens
        case .reportUser: Codecs.reportUser
        case .reportChannel: Codecs.reportChannel
        case .reportMessage: Codecs.reportMessage
        case .searchMessages: Codecs.searchMessages
        }
    }
}

private enum Codecs {
    private static func block(of userID: UserID) -> String { "/users/\(PercentEncoding.escape(userID.text))/block" }

    static var listUsers: ActionCodec {
        .list(path: { _, _ in "/users" }) { call in
            var query = Query()
            query.add("user_ids", list: call.texts("user_ids") ?? [])
            for key in ["nickname_startswith", "nickname"] { query.add(key, call.text(key) ?? "") }
            query.add("metadatakey", call.text("metadata_key") ?? "")
            query.add("metadatavalues_in", list: call.texts("metadata_values") ?? [])
            return query
        } read: { ActionCodec.users($0, "users") }
    }

    static var blockUser: ActionCodec {
        ActionCodec(
            encode: { call, userID in
                let body = JSON.object(["target_id": .string(call.text("user_id") ?? "")])
                return .http(method: "POST", path: block(of: userID), body: body)
            },
            decode: { answer, _, _ in
                guard let answer else { return ActionReply() }
                let user = answer.deepCopy()
                // These keys repeat the user as a page of a list.
                for key in ["users", "next"] { user.set(key, nil) }
                return ActionReply(result: user.serialized())
            })
    }

    static var unblockUser: ActionCodec {
        ActionCodec(
            encode: { call, userID in
                let target = PercentEncoding.escape(call.text("user_id") ?? "")
                return .http(method: "DELETE", path: block(of: userID) + "/" + target)
            },
            decode: { _, _, _ in ActionReply() })
    }

    static var listBlockedUsers: ActionCodec {
        .list(path: { _, userID in block(of: userID) }, read: { ActionCodec.users($0, "users") })
    }

    // MARK: This user

    private static func path(of userID: UserID) -> String { "/users/" + PercentEncoding.escape(userID.text) }

    static var updateProfile: ActionCodec {
        ActionCodec(encode: { call, userID in
            let body = JSON.object()
            for key in ["nickname", "profile_url"] { if let text = call.text(key) { body.set(key, .string(text)) } }
            if let languages = call.texts("preferred_languages") {
                body.set("preferred_languages", .strings(languages))
            }
            return .http(method: "PUT", path: path(of: userID), body: body)
        })
    }

    // MARK: Devices

    private static func pushPath(_ call: ActionCall, _ userID: UserID) -> String {
        path(of: userID) + "/push/" + (call.text("type") ?? "")
    }

    /// The key of a token depends on the push service.
    private static func tokenName(_ type: String) -> String {
        switch type {
        case "gcm": "gcm_reg_token"
        case "huawei": "huawei_device_token"
        default: "apns_device_token"
        }
    }

    static var listPushTokens: ActionCodec {
        ActionCodec(
            encode: { call, userID in .http(method: "GET", path: pushPath(call, userID)) },
            decode: { answer, call, _ in
                let tokens = (answer?["tokens"] ?? answer?["token"])?.array ?? []
                let result = JSON.object([
                    "type": .string(call.text("type") ?? ""),
                    // Some services give an object for each.
                    "tokens": .strings(tokens.compactMap { $0.string ?? $0["token"]?.string }),
                ])
                return ActionReply(result: result.serialized())
            })
    }

    static var registerPushToken: ActionCodec {
        ActionCodec(
            encode: { call, userID in
                let name = tokenName(call.text("type") ?? "")
                let body = JSON.object([name: .string(call.text("token") ?? "")])
                if let isUnique = call.flag("is_unique") { body.set("is_unique", .bool(isUnique)) }
                return .http(method: "POST", path: pushPath(call, userID), body: body)
            },
            decode: { _, call, _ in
                let result = JSON.object([
                    "type": .string(call.text("type") ?? ""), "token": .string(call.text("token") ?? ""),
                ])
                return ActionReply(result: result.serialized())
            })
    }

    static var unregisterPushToken: ActionCodec {
        ActionCodec(
            encode: { call, userID in
                let token = PercentEncoding.escape(call.text("token") ?? "")
                return .http(method: "DELETE", path: pushPath(call, userID) + "/" + token)
            },
            decode: { _, _, _ in ActionReply() })
    }

    static var unregisterAllPushTokens: ActionCodec {
        ActionCodec(
            encode: { _, userID in .http(method: "DELETE", path: path(of: userID) + "/push") },
            decode: { _, _, _ in ActionReply() })
    }

    // MARK: Reports

    private static func report(_ call: ActionCall, _ userID: UserID, _ more: [(key: String, text: String?)]) -> JSON {
        let body = JSON.object([
            "reporting_user_id": .string(userID.text), "report_category": .string(call.text("category") ?? ""),
        ])
        if let text = call.text("description") { body.set("report_description", .string(text)) }
        for (key, text) in more { if let text { body.set(key, .string(text)) } }
        return body
    }

    static var reportUser: ActionCodec {
        ActionCodec(encode: { call, userID in
            let user = PercentEncoding.escape(call.text("user_id") ?? "")
            let url = call.text("channel_url")
            let body = report(call, userID, [("channel_url", url), ("channel_type", url.map { _ in "group_channels" })])
            return .http(method: "POST", path: "/report/users/" + user, body: body)
        })
    }

    static var reportChannel: ActionCodec {
        ActionCodec(encode: { call, userID in
            let body = report(call, userID, [("offending_user_id", call.text("user_id"))])
            return .http(method: "POST", path: "/report" + call.channelPath, body: body)
        })
    }

    static var reportMessage: ActionCodec {
        ActionCodec(encode: { call, userID in
            let body = report(call, userID, [("offending_user_id", call.text("user_id"))])
            return .http(method: "POST", path: "/report" + call.messagePath, body: body)
        })
    }

    // MARK: Search

    static var searchMessages: ActionCodec {
        ActionCodec(
            encode: { call, _ in
                var query = Query()
                query.add("query", call.text("query") ?? "")
                query.add("channel_url", call.text("channel_url") ?? "")
                query.add("custom_type", call.text("custom_type") ?? "")
                for (key, name) in [("since", "message_ts_from"), ("until", "message_ts_to")] {
                    if let time = call.integer(key) { query.add(name, String(time)) }
                }
                if call.flag("exact") == true { query.add("exact_match", "true") }
                query.add("target_fields", list: call.texts("fields") ?? [])
                query.add("sort_field", "ts")
                if call.flag("reverse") == true { query.add("reverse", "true") }
                query.add("limit", String(call.integer("limit") ?? 20))
                query.add("token", call.text("token") ?? "")
                return .http(method: "GET", path: "/search/messages", query: query)
            },
            decode: { answer, _, _ in
                guard let answer else { return ActionReply() }
                let hasNext = answer["has_next"]?.bool ?? true
                let result = JSON.object([
                    "messages": answer["results"] ?? .array(),
                    "next": hasNext ? answer["end_cursor"] ?? "" : "",
                ])
                result.set("total", answer["total_count"])
                return ActionReply(result: result.serialized())
            })
    }
}
