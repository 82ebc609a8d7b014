import SyncBytes
import SyncJSON
import SyncModel

// Channels as a whole. When the answer is the channel, the channel is known at once; other answers only say what has
// happened.
extension ChannelAction {
    var codec: ActionCodec {
        switch self {
        case .createChannel: Codecs.createChannel
        case .getChannel: Codecs.getChannel
        case .updateChannel: Codecs.updateChannel
        case .deleteChannel: Codecs.deleteChannel
        case .hideChannel: Codecs.hideChannel
        case .unhideChannel: Codecs.unhideChannel
        case .freezeChannel: Codecs.freeze(true)
        case .unfreezeChannel: Codecs.freeze(false)
        case .resetHistory: Codecs.resetHistory
        case .getMessage: Codecs.getMessage
        case .listPublicChannels: Codecs.listPublicChannels
        }
    }
}

private enum Codecs {
    private static let texts = ["name", "cover_url", "data", "custom_type", "access_code", "channel_url"]
    private static let flags = [
        "is_distinct", "is_public", "is_discoverable", "is_super", "is_broadcast", "is_exclusive", "is_ephemeral",
        "strict",
    ]

    private static func body(_ call: ActionCall) -> JSON {
        let body = JSON.object()
        for key in texts where call.action == .channel(.createChannel) || key != "channel_url" {
            if let text = call.text(key) { body.set(key, .string(text)) }
        }
        for key in flags { if let flag = call.flag(key) { body.set(key, .bool(flag)) } }
        if let seconds = call.integer("message_survival_seconds") {
            body.set("message_survival_seconds", .int(seconds))
        }
        if let ids = call.texts("operator_ids") { body.set("operator_ids", .strings(ids)) }
        return body
    }

    static var createChannel: ActionCodec {
        .channel("POST", Cause(.eventChannelCreated), path: { _ in "/group_channels" }) { call, userID in
            let body = body(call)
            let others = (call.texts("user_ids") ?? []).filter { !$0.isByteEqual(to: userID.text) }
            body.set("user_ids", .strings([userID.text] + others))
            return body
        }
    }

    static var getChannel: ActionCodec { .channel("GET", Cause(.channelRefresh)) }

    static var updateChannel: ActionCodec {
        .channel("PUT", Cause(.eventChannelChanged), body: { call, _ in body(call) })
    }

    static var deleteChannel: ActionCodec {
        .done("DELETE", { _, _ in [.removed(Cause(.eventChannelDeleted))] }, path: \.channelPath)
    }

    static var hideChannel: ActionCodec {
        .done(
            "PUT",
            { answer, call in
                [.hidden(
                    allowAutoUnhide: call.flag("allow_auto_unhide") ?? true,
                    offset: answer?["ts_message_offset"]?.int ?? 0)]
            },
            path: { $0.channelPath + "/hide" },
            body: { call, userID in
                .object([
                    "user_id": .string(userID.text), "allow_auto_unhide": .bool(call.flag("allow_auto_unhide") ?? true),
                    "hide_previous_messages": .bool(call.flag("hide_previous_messages") ?? false),
                ])
            })
    }

    static var unhideChannel: ActionCodec {
        ActionCodec(
            encode: { call, userID in
                var query = Query()
                query.add("user_id", userID.text)
                return .http(method: "DELETE", path: call.channelPath + "/hide", query: query)
            },
            decode: { _, call, _ in
                ActionReply(events: [.channel(url: call.channelURL, .patched(Cause(.eventChannelUnhidden), members: [
                    ChannelPatch(key: "is_hidden", value: JSON.bool(false).serialized()),
                    ChannelPatch(key: "hidden_state", value: JSON.string("unhidden").serialized()),
                ]))])
            })
    }

    static func freeze(_ isFrozen: Bool) -> ActionCodec {
        .channel(
            "PUT", Cause(isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen), path: { $0.channelPath + "/freeze" },
            body: { _, _ in .object(["freeze": .bool(isFrozen)]) })
    }

    /// Messages before the offset are removed at once. The last message and the unread counts are asked for.
    static var resetHistory: ActionCodec {
        .done(
            "PUT",
            { answer, _ in
                let cause = Cause(.eventChannelResetHistory)
                guard let offset = answer?["ts_message_offset"]?.int else { return [.changed(cause)] }
                let patch = ChannelPatch(key: "ts_message_offset", value: JSON.int(offset).serialized())
                return [.patched(cause, members: [patch]), .changed(cause)]
            },
            path: { $0.channelPath + "/reset_user_history" },
            body: { _, userID in .object(["user_id": .string(userID.text)]) })
    }

    static var getMessage: ActionCodec {
        ActionCodec(
            encode: { call, _ in
                var query = Query()
                query.addMessageParts()
                return .http(method: "GET", path: call.messagePath, query: query)
            },
            decode: { answer, _, _ in
                guard let text = answer?.serialized() else { return ActionReply() }
                let message = text.withUnsafeBytes { bytes -> MessageRecord? in
                    var reader = JSONReader(bytes)
                    return (try? MessageCodec.read(from: &reader)).flatMap { $0 }
                }
                return ActionReply(result: message?.json ?? text)
            })
    }

    static var listPublicChannels: ActionCodec {
        .list(path: { _, _ in "/group_channels" }) { call in
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
}
