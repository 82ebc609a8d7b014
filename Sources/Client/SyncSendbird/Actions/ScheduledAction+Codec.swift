import SyncBytes
import SyncJSON
import SyncModel

// Messages that the service sends at their time.
extension ScheduledAction {
    var codec: ActionCodec {
        switch self {
        case .scheduleMessage: Codecs.scheduleMessage
        case .getScheduledMessage: Codecs.getScheduledMessage
        case .listScheduledMessages: Codecs.listScheduledMessages
        case .updateScheduledMessage: Codecs.updateScheduledMessage
        case .cancelScheduledMessage: Codecs.cancelScheduledMessage
        case .sendScheduledMessageNow: Codecs.sendScheduledMessageNow
        }
    }
}

private enum Codecs {
    private static func path(_ call: ActionCall) -> String {
        call.channelPath + "/scheduled_messages/" + PercentEncoding.escape(call.text("scheduled_message_id") ?? "")
    }

    private static func body(_ call: ActionCall, _ userID: UserID) -> JSON {
        let body = JSON.object(["message_type": "MESG", "user_id": .string(userID.text)])
        for key in ["message", "data", "custom_type", "mention_type", "push_option"] {
            if let text = call.text(key) { body.set(key, .string(text)) }
        }
        if let ids = call.texts("mentioned_user_ids") { body.set("mentioned_user_ids", .strings(ids)) }
        if let time = call.integer("scheduled_at") { body.set("scheduled_at", .int(time)) }
        return body
    }

    static var scheduleMessage: ActionCodec {
        ActionCodec(encode: { call, userID in
            .http(method: "POST", path: call.channelPath + "/scheduled_messages", body: body(call, userID))
        })
    }

    static var getScheduledMessage: ActionCodec {
        ActionCodec(encode: { call, _ in .http(method: "GET", path: path(call)) })
    }

    static var listScheduledMessages: ActionCodec {
        .list(path: { _, _ in "/scheduled_messages" }) { call in
            var query = Query()
            query.add("channel_url", call.text("channel_url") ?? "")
            query.add("status", list: call.texts("status") ?? [])
            query.add("order", call.text("order") ?? "")
            if let isReversed = call.flag("reverse") { query.add("reverse", isReversed ? "true" : "false") }
            return query
        } read: { answer in
            .object([
                "scheduled_messages": answer["scheduled_messages"] ?? .array(), "next": answer["next"] ?? "",
            ])
        }
    }

    static var updateScheduledMessage: ActionCodec {
        ActionCodec(encode: { call, userID in .http(method: "PUT", path: path(call), body: body(call, userID)) })
    }

    static var cancelScheduledMessage: ActionCodec {
        ActionCodec(
            encode: { call, _ in .http(method: "DELETE", path: path(call)) }, decode: { _, _, _ in ActionReply() })
    }

    static var sendScheduledMessageNow: ActionCodec {
        ActionCodec(encode: { call, _ in .http(method: "POST", path: path(call) + "/send_now", body: .object()) })
    }
}
