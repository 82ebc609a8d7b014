import SyncBytes
import SyncJSON
import SyncModel

// Users of the application, beyond one channel.
extension ActionCodec {
    private static func block(of userID: UserID) -> String { "/users/\(PercentEncoding.escape(userID.text))/block" }

    static var listUsers: ActionCodec {
        list(path: { _, _ in "/users" }) { call in
            var query = Query()
            query.add("user_ids", list: call.texts("user_ids") ?? [])
            for key in ["nickname_startswith", "nickname"] { query.add(key, call.text(key) ?? "") }
            query.add("metadatakey", call.text("metadata_key") ?? "")
            query.add("metadatavalues_in", list: call.texts("metadata_values") ?? [])
            return query
        } read: { users($0, "users") }
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
                // The same once more, as a page of a list.
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
        list(path: { _, userID in block(of: userID) }, read: { users($0, "users") })
    }
}
