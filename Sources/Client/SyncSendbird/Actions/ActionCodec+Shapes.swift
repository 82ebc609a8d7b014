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

    /// The event that the answer means: none when the channel is not one of this user's, and only that it has changed
    /// when the answer lacks parts that lists show.
    private static func known(_ answer: JSON?, _ cause: Cause) -> ServiceEvent? {
        guard let answer, let url = answer["channel_url"]?.string, !url.isEmpty,
            answer["member_state"]?.string != "none"
        else { return nil }
        // When a distinct channel is created a second time, the service gives the existing one.
        let wasThere = cause.source == .eventChannelCreated && answer["is_created"]?.bool == false
        let cause = wasThere ? Cause(.channelRefresh) : cause
        for part in ["members", "read_receipt", "delivery_receipt", "metadata"] where answer[part] == nil {
            return .channel(url: ChannelURL(url), .changed(cause))
        }
        let channel = answer.deepCopy()
        // `is_created` describes the answer, not the channel.
        channel.set("is_created", nil)
        return ChannelRecord(json: channel.serialized()).map { .channelAnswered($0, cause) }
    }

    /// A request whose answer says nothing new, since its effect on the channel is known. `hasResult`: hosts are
    /// promised the answer, even when it is empty.
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

    /// A list of users, under whatever key the answer has it. For a banned user the members of the ban are joined with
    /// those of the user.
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
