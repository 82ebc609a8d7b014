import SyncJSON
import SyncModel

// What the codecs of many actions have in common.
extension ActionCodec {
    // MARK: Channels

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

    // MARK: Lists

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
