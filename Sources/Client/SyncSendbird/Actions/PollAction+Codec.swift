import SyncBytes
import SyncJSON
import SyncModel

// Polls. All members are told by frames; the poll in an answer counts only when no frame has come meanwhile.
extension PollAction {
    var codec: ActionCodec {
        switch self {
        case .createPoll: Codecs.createPoll
        case .getPoll: Codecs.getPoll
        case .listPolls: Codecs.listPolls
        case .updatePoll: Codecs.updatePoll
        case .closePoll: Codecs.closePoll
        case .deletePoll: Codecs.deletePoll
        case .addPollOption: Codecs.addPollOption
        case .updatePollOption: Codecs.updatePollOption
        case .deletePollOption: Codecs.deletePollOption
        case .votePoll: Codecs.votePoll
        case .listPollVoters: Codecs.listPollVoters
        case .listPollChanges: Codecs.listPollChanges
        }
    }
}

private enum Codecs {
    private static func path(_ call: ActionCall) -> String {
        "/polls/" + PercentEncoding.escape(call.text("poll_id") ?? "")
    }

    private static func optionPath(_ call: ActionCall) -> String {
        path(call) + "/options/" + PercentEncoding.escape(call.text("option_id") ?? "")
    }

    private static func place(_ call: ActionCall) -> JSON {
        .object(["channel_url": .string(call.channelURL.text), "channel_type": "group"])
    }

    private static func placeQuery(_ call: ActionCall) -> Query {
        var query = Query()
        query.add("channel_url", call.channelURL.text)
        query.add("channel_type", "group")
        return query
    }

    private static func body(_ call: ActionCall, _ body: JSON) -> JSON {
        if let title = call.text("title") { body.set("title", .string(title)) }
        if let data = call.text("data") { body.set("data", .object(["text": .string(data)])) }
        for key in ["allow_user_suggestion", "allow_multiple_votes"] {
            if let flag = call.flag(key) { body.set(key, .bool(flag)) }
        }
        if let time = call.integer("close_at") { body.set("close_at", .int(time)) }
        return body
    }

    static var createPoll: ActionCodec {
        ActionCodec(encode: { call, _ in
            let body = body(call, .object())
            body.set("options", .strings(call.texts("options") ?? []))
            return .http(method: "POST", path: "/polls", body: body)
        })
    }

    static var getPoll: ActionCodec {
        ActionCodec(encode: { call, _ in .http(method: "GET", path: path(call), query: placeQuery(call)) })
    }

    static var listPolls: ActionCodec {
        .list(path: { _, _ in "/polls" }, query: placeQuery) { answer in
            .object(["polls": answer["polls"] ?? .array(), "next": answer["next"] ?? ""])
        }
    }

    static var listPollVoters: ActionCodec {
        .list(path: { call, _ in optionPath(call) + "/voters" }, query: placeQuery) { answer in
            let result = ActionCodec.users(answer, "voters")
            if let count = answer["vote_count"] { result.set("vote_count", count) }
            return result
        }
    }

    static var listPollChanges: ActionCodec {
        ActionCodec(
            encode: { call, _ in
                var query = Query()
                if let token = call.text("token"), !token.isEmpty {
                    query.add("token", token)
                } else {
                    query.add("change_ts", String(call.integer("since") ?? 0))
                }
                query.add("limit", String(call.integer("limit") ?? 20))
                return .http(method: "GET", path: call.channelPath + "/polls/changelogs", query: query)
            },
            decode: { answer, _, _ in
                guard let answer else { return ActionReply() }
                let result = JSON.object([
                    "updated": answer["updated"] ?? .array(), "deleted": answer["deleted"] ?? .array(),
                    "has_more": answer["has_more"] ?? false, "next": answer["next"] ?? "",
                ])
                return ActionReply(result: result.serialized())
            })
    }

    /// A request whose answer is the poll.
    static func poll(
        _ method: String, _ path: @escaping (ActionCall) -> String,
        _ body: @escaping (ActionCall) -> JSON
    ) -> ActionCodec {
        ActionCodec(
            encode: { call, _ in .http(method: method, path: path(call), body: body(call)) },
            decode: { answer, call, _ in
                let event = PollReader.changed(answer).map { poll in
                    ServiceEvent.messagePatched(
                        channelURL: call.channelURL, messageID: poll.messageID, patch: .poll(poll.change))
                }
                return ActionReply(result: answer?.serialized(), events: event.map { [$0] } ?? [])
            })
    }

    static var updatePoll: ActionCodec { poll("PUT", path) { body($0, place($0)) } }

    static var closePoll: ActionCodec { poll("PUT", { path($0) + "/close" }, place) }

    static var deletePoll: ActionCodec {
        ActionCodec(
            encode: { call, _ in .http(method: "DELETE", path: path(call), query: placeQuery(call)) },
            decode: { _, _, _ in ActionReply() })
    }

    private static func optionBody(_ call: ActionCall) -> JSON {
        let body = place(call)
        body.set("text", .string(call.text("text") ?? ""))
        return body
    }

    static var addPollOption: ActionCodec { poll("POST", { path($0) + "/options" }, optionBody) }

    static var updatePollOption: ActionCodec { poll("PUT", optionPath, optionBody) }

    static var deletePollOption: ActionCodec {
        ActionCodec(
            encode: { call, _ in .http(method: "DELETE", path: optionPath(call), query: placeQuery(call)) },
            decode: { _, _, _ in ActionReply() })
    }

    /// Sent over the socket, so that the acknowledgement comes in order among the votes of others.
    static var votePoll: ActionCodec {
        ActionCodec(
            encode: { call, _ in
                let body = place(call)
                body.set("poll_id", MessageID(call.text("poll_id") ?? "").json)
                body.set("option_ids", .array((call.texts("option_ids") ?? []).map { MessageID($0).json }))
                return .frame("VOTE", body, isAnswered: true)
            },
            decode: { answer, call, _ in
                guard let answer else { return ActionReply() }
                let event = answer.deepCopy()
                for key in ["req_id", "unread_cnt"] { event.set(key, nil) }
                let result = event.serialized()
                // The frame has already told the vote. Only when it lacks what this user chose, the choice is told
                // here.
                guard answer["voted_option_ids"] == nil else { return ActionReply(result: result) }
                event.set("voted_option_ids", .array((call.texts("option_ids") ?? []).map { MessageID($0).json }))
                if event["message_id"] == nil { event.set("message_id", call.messageID.json) }
                let vote = PollReader.voted(event).map { vote in
                    ServiceEvent.messagePatched(
                        channelURL: call.channelURL, messageID: vote.messageID, patch: .poll(vote.change))
                }
                return ActionReply(result: result, events: vote.map { [$0] } ?? [])
            })
    }
}
