import SyncJSON
import SyncModel

extension ActionCodec {
    static func reaction(isAdded: Bool) -> ActionCodec {
        ActionCodec(
            encode: { call, userID in
                let key = call.text("key") ?? ""
                if isAdded {
                    let body = JSON.object(["user_id": .string(userID), "reaction": .string(key)])
                    return .http(method: "POST", path: call.messagePath + "/reactions", body: body)
                }
                var query = Query()
                query.add("user_id", userID)
                query.add("reaction", key)
                return .http(method: "DELETE", path: call.messagePath + "/reactions", query: query)
            },
            decode: { answer, call, userID in
                let reaction = MessageReaction(
                    key: call.text("key") ?? "", userID: userID, isAdded: isAdded,
                    updatedAt: answer?["updated_at"]?.int ?? 0)
                return ActionReply(
                    result: answer?.serialized(),
                    events: [.messagePatched(
                        channelURL: call.channelURL, messageID: call.messageID, patch: .reaction(reaction))])
            })
    }
}
