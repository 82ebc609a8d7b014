import SyncBytes
import SyncJSON
import SyncModel

// The service tells all members by events what was read and received, also on this user's sockets, so the answers need
// not tell it.
extension ReadingAction {
    var codec: ActionCodec {
        switch self {
        case .markAsRead: Codecs.markAsRead
        case .markAllAsRead: Codecs.markAllAsRead
        case .markAsUnread: Codecs.markAsUnread
        case .markAsDelivered: Codecs.markAsDelivered
        case .startTyping: Codecs.typing("TPST")
        case .endTyping: Codecs.typing("TPEN")
        }
    }
}

private enum Codecs {
    static var markAsRead: ActionCodec {
        ActionCodec(
            encode: { call, _ in
                .frame("READ", .object(["channel_url": .string(call.channelURL.text)]), isAnswered: true)
            },
            decode: { _, _, _ in ActionReply() })
    }

    static var markAllAsRead: ActionCodec {
        ActionCodec(
            encode: { call, userID in
                let body = JSON.object()
                if let urls = call.texts("channel_urls") { body.set("channel_urls", .strings(urls)) }
                return .http(
                    method: "PUT", path: "/users/\(PercentEncoding.escape(userID.text))/mark_as_read_all", body: body)
            },
            decode: { _, _, _ in ActionReply() })
    }

    static var markAsUnread: ActionCodec {
        ActionCodec(encode: { call, userID in
            let body = JSON.object(["user_id": .string(userID.text), "is_excluded": true])
            body.set("message_id", call.messageID.json)
            return .http(method: "PUT", path: call.channelPath + "/messages/mark_as_read", body: body)
        })
    }

    static var markAsDelivered: ActionCodec {
        ActionCodec(encode: { call, userID in
            let body = JSON.object(["user_id": .string(userID.text)])
            if let time = call.integer("time") { body.set("ts", .int(time)) }
            return .http(method: "PUT", path: call.channelPath + "/messages/mark_as_delivered", body: body)
        })
    }

    /// The command is not answered: when it is lost, that matters for a short time only.
    static func typing(_ command: String) -> ActionCodec {
        ActionCodec(
            encode: { call, _ in
                let time = call.integer(ActionCall.sentAt) ?? 0
                return .frame(command, .object(["channel_url": .string(call.channelURL.text), "time": .int(time)]))
            },
            decode: { _, _, _ in ActionReply() })
    }
}
