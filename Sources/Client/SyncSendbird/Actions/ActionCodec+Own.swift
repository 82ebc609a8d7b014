import SyncBytes
import SyncJSON
import SyncModel

// What this user has beyond channels, reports, and what the service tells of itself.
extension ActionCodec {
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

    /// What a token is called depends on whose it is.
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

    // MARK: The service

    static var listPublicChannels: ActionCodec {
        list(path: { _, _ in "/group_channels" }) { call in
            var query = Query()
            query.add("public_mode", "public")
            query.add("public_membership_mode", call.text("membership") ?? "all")
            query.add("order", call.text("order") ?? "chronological")
            query.add("channel_urls", list: call.texts("channel_urls") ?? [])
            query.add("custom_types", list: call.texts("custom_types") ?? [])
            query.add("custom_type_startswith", call.text("custom_type_starts_with") ?? "")
            query.add("name_contains", call.text("channel_name_contains") ?? "")
            query.add("metadata_order_key", call.text("metadata_order_key") ?? "")
            query.add("show_empty", call.flag("include_empty") == false ? "false" : "true")
            query.add("show_frozen", call.flag("include_frozen") == false ? "false" : "true")
            query.addChannelParts()
            return query
        } read: { answer in
            .object(["channels": answer["channels"] ?? .array(), "next": answer["next"] ?? ""])
        }
    }

    /// The answer has the emoji; the rest was told at login.
    static var serviceInfo: ActionCodec {
        ActionCodec(
            encode: { _, _ in .http(method: "GET", path: "/emoji_categories") },
            decode: { answer, call, _ in
                let told = call.object(ActionCall.toldAtLogin).flatMap { try? JSON.parse($0) } ?? .object()
                if let hash = answer?["emoji_hash"] { told.set("emoji_hash", hash) }
                told.set("emoji_categories", answer?["emoji_categories"] ?? .array())
                return ActionReply(result: told.serialized())
            })
    }
}
