import SyncBytes
import SyncJSON
import SyncModel

// Channels as a whole. An answer that is the channel makes it known at once; of the others the answer says what
// happened.
extension ActionCodec {
    private static let texts = ["name", "cover_url", "data", "custom_type", "access_code", "channel_url"]
    private static let flags = [
        "is_distinct", "is_public", "is_discoverable", "is_super", "is_broadcast", "is_exclusive", "is_ephemeral",
        "strict",
    ]

    private static func body(_ call: ActionCall) -> JSON {
        let body = JSON.object()
        for key in texts where call.action == .createChannel || key != "channel_url" {
            if let text = call.text(key) { body.set(key, .string(text)) }
        }
        for key in flags { if let flag = call.flag(key) { body.set(key, .bool(flag)) } }
        if let seconds = call.integer("message_survival_seconds") {
            body.set("message_survival_seconds", .int(seconds))
        }
        if let ids = call.texts("operator_ids") { body.set("operator_ids", .strings(ids)) }
        return body
    }

    /// The parts of a channel that lists show have to be asked for.
    private static var parts: Query {
        var query = Query()
        query.addChannelParts()
        return query
    }

    /// A request whose answer is the channel.
    static func channel(
        _ method: String, _ cause: Cause, path: @escaping (ActionCall) -> String = \.channelPath,
        body: @escaping (_ call: ActionCall, _ userID: UserID) -> JSON? = { _, _ in nil }
    ) -> ActionCodec {
        ActionCodec(
            encode: { call, userID in
                .http(method: method, path: path(call), query: parts, body: body(call, userID))
            },
            decode: { answer, _, _ in
                ActionReply(result: answer?.serialized(), events: known(answer, cause).map { [$0] } ?? [])
            })
    }

    /// What the answer says of the channel: nothing when it is none of this user's, and only that it has changed when
    /// parts are missing that lists show.
    private static func known(_ answer: JSON?, _ cause: Cause) -> ServiceEvent? {
        guard let answer, let url = answer["channel_url"]?.string, !url.isEmpty,
            answer["member_state"]?.string != "none"
        else { return nil }
        // A distinct channel that is asked for twice is made once.
        let wasThere = cause.source == .eventChannelCreated && answer["is_created"]?.bool == false
        let cause = wasThere ? Cause(.channelRefresh) : cause
        for part in ["members", "read_receipt", "delivery_receipt", "metadata"] where answer[part] == nil {
            return .channel(url: ChannelURL(url), .changed(cause))
        }
        let channel = answer.deepCopy()
        // Says something of the answer, not of the channel.
        channel.set("is_created", nil)
        return ChannelRecord(json: channel.serialized()).map { .channelAnswered($0, cause) }
    }

    /// A request that the service answers with nothing of interest; what it did to the channel is known. `hasResult`:
    /// hosts are promised the answer, also when nothing is in it.
    static func done(
        _ method: String, hasResult: Bool = false,
        _ event: @escaping (_ answer: JSON?, _ call: ActionCall) -> [ChannelEvent],
        path: @escaping (ActionCall) -> String,
        body: @escaping (_ call: ActionCall, _ userID: UserID) -> JSON? = { _, _ in nil }
    ) -> ActionCodec {
        ActionCodec(
            encode: { call, userID in .http(method: method, path: path(call), body: body(call, userID)) },
            decode: { answer, call, _ in
                let result = answer.flatMap { hasResult || $0.count > 0 ? $0.serialized() : nil }
                let events = event(answer, call).map { ServiceEvent.channel(url: call.channelURL, $0) }
                return ActionReply(result: result, events: events)
            })
    }

    // MARK: The actions

    static var createChannel: ActionCodec {
        channel("POST", Cause(.eventChannelCreated), path: { _ in "/group_channels" }) { call, userID in
            let body = body(call)
            let others = (call.texts("user_ids") ?? []).filter { !$0.isByteEqual(to: userID.text) }
            body.set("user_ids", .strings([userID.text] + others))
            return body
        }
    }

    static var getChannel: ActionCodec { channel("GET", Cause(.channelRefresh)) }

    static var updateChannel: ActionCodec {
        channel("PUT", Cause(.eventChannelChanged), body: { call, _ in body(call) })
    }

    static var deleteChannel: ActionCodec {
        done("DELETE", { _, _ in [.removed(Cause(.eventChannelDeleted))] }, path: \.channelPath)
    }

    static var hideChannel: ActionCodec {
        done(
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
        channel(
            "PUT", Cause(isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen), path: { $0.channelPath + "/freeze" },
            body: { _, _ in .object(["freeze": .bool(isFrozen)]) })
    }

    /// What is before the offset goes at once; which message is the last one then, and what is unread, is asked for.
    static var resetHistory: ActionCodec {
        done(
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
}
