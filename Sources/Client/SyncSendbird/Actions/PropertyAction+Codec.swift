import SyncBytes
import SyncJSON
import SyncModel

// Metadata, counters and this user's preferences of a channel.
extension PropertyAction {
    var codec: ActionCodec {
        switch self {
        case .createMetadata: Codecs.change(.metadata, "POST")
        case .updateMetadata: Codecs.change(.metadata, "PUT")
        case .deleteMetadata: Codecs.remove(.metadata)
        case .getMetadata: Codecs.read(.metadata)
        case .createCounters: Codecs.change(.counters, "POST")
        case .updateCounters: Codecs.change(.counters, "PUT")
        case .deleteCounters: Codecs.remove(.counters)
        case .getCounters: Codecs.read(.counters)
        case .getPushPreference: Codecs.getPushPreference
        case .setPushPreference: Codecs.setPushPreference
        case .setCountPreference: Codecs.setCountPreference
        }
    }
}

private enum Codecs {
    /// Which of the two maps of a channel: its name on the wire, the argument that has it, and the reason of a change
    /// by a method.
    enum Map {
        case metadata, counters

        fileprivate var name: String { self == .metadata ? "metadata" : "metacounter" }
        fileprivate var argument: String { self == .metadata ? "metadata" : "counters" }
        fileprivate func source(_ method: String) -> EventSource {
            switch method {
            case "POST": self == .metadata ? .eventMetaDataCreated : .eventMetaCounterCreated
            case "DELETE": self == .metadata ? .eventMetaDataDeleted : .eventMetaCounterDeleted
            default: self == .metadata ? .eventMetaDataUpdated : .eventMetaCounterUpdated
            }
        }
    }

    private static func path(_ map: Map) -> (ActionCall) -> String { { $0.channelPath + "/" + map.name } }

    /// "POST" makes keys, "PUT" changes them.
    static func change(_ map: Map, _ method: String) -> ActionCodec {
        .done(method, hasResult: true, { _, _ in [.changed(Cause(map.source(method)))] }, path: path(map)) { call, _ in
            let values = call.object(map.argument).flatMap { try? JSON.parse($0) } ?? .object()
            let body = JSON.object()
            body.set(map.name, values)
            if let mode = call.text("mode") { body.set("mode", .string(mode)) }
            if let upsert = call.flag("upsert") { body.set("upsert", .bool(upsert)) }
            return body
        }
    }

    static func remove(_ map: Map) -> ActionCodec {
        ActionCodec(
            encode: { call, _ in .http(method: "DELETE", path: path(map)(call), query: keys(call)) },
            decode: { _, call, _ in
                ActionReply(events: [.channel(url: call.channelURL, .changed(Cause(map.source("DELETE"))))])
            })
    }

    static func read(_ map: Map) -> ActionCodec {
        ActionCodec(encode: { call, _ in .http(method: "GET", path: path(map)(call), query: keys(call)) })
    }

    private static func keys(_ call: ActionCall) -> Query {
        var query = Query()
        query.add("keys", list: call.texts("keys") ?? [])
        return query
    }

    // MARK: Preferences

    private static func preference(_ name: String) -> (ActionCall, UserID) -> String {
        { call, userID in
            "/users/\(PercentEncoding.escape(userID.text))/\(name)/\(PercentEncoding.escape(call.channelURL.text))"
        }
    }

    static var getPushPreference: ActionCodec {
        ActionCodec(encode: { call, userID in .http(method: "GET", path: preference("push_preference")(call, userID)) })
    }

    /// No event tells of this change, and only the service knows whether this user's devices are notified at all. So
    /// the channel is asked for.
    static var setPushPreference: ActionCodec {
        changePreference("push_preference", "push_trigger_option") { [.changed($0)] }
    }

    /// Only the service knows what the counts are after this change, so the channel is asked for.
    static var setCountPreference: ActionCodec {
        changePreference("count_preference", "count_preference") { [.changed($0)] }
    }

    /// A preference whose name in the channel is that of the argument.
    private static func changePreference(
        _ path: String, _ key: String, _ more: @escaping (Cause) -> [ChannelEvent]
    ) -> ActionCodec {
        ActionCodec(
            encode: { call, userID in
                let body = JSON.object()
                body.set(key, .string(call.text(key) ?? ""))
                return .http(method: "PUT", path: preference(path)(call, userID), body: body)
            },
            decode: { answer, call, _ in
                let cause = Cause(.eventChannelChanged)
                let value = answer?[key] ?? .string(call.text(key) ?? "")
                let patch = ChannelPatch(key: key, value: value.serialized())
                let events = [.patched(cause, members: [patch])] + more(cause)
                return ActionReply(
                    result: answer?.serialized(), events: events.map { .channel(url: call.channelURL, $0) })
            })
    }
}
