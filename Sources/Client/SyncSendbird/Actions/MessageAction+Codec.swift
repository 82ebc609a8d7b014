import SyncJSON
import SyncModel

extension MessageAction {
    var codec: ActionCodec {
        switch self {
        case .editMessage: Codecs.editMessage
        case .deleteMessage: Codecs.deleteMessage
        case .addReaction, .removeReaction: Codecs.reaction(isAdded: self == .addReaction)
        case .pinMessage, .unpinMessage: Codecs.pin(isPinned: self == .pinMessage)
        case .translateMessage: Codecs.translateMessage
        case .createMetaArrayKeys, .addMetaArrayValues: Codecs.metaArray(isAdded: true)
        case .deleteMetaArrayKeys, .removeMetaArrayValues: Codecs.metaArray(isAdded: false)
        }
    }
}

private enum Codecs {
    /// The service wants to be told what kind of message it is.
    private static func messageType(_ call: ActionCall) -> String { call.isOfFileMessage ? "FILE" : "MESG" }

    /// The answer is the message as it is now.
    private static func messageChanged(_ answer: JSON?, _ call: ActionCall, _: UserID) -> ActionReply {
        let text = answer?.serialized()
        let message = text?.withUnsafeBytes { bytes -> MessageRecord? in
            var reader = JSONReader(bytes)
            return (try? MessageCodec.read(from: &reader)).flatMap { $0 }
        }
        guard let message else { return ActionReply(result: text) }
        return ActionReply(
            result: message.json, events: [.messageUpdated(channelURL: call.channelURL, message: message)])
    }

    static var editMessage: ActionCodec {
        ActionCodec(
            encode: { call, userID in
                let body = JSON.object([
                    "message_type": .string(messageType(call)), "user_id": .string(userID.text),
                ])
                for key in ["message", "data", "custom_type", "mention_type"] {
                    if let text = call.text(key) { body.set(key, .string(text)) }
                }
                if let ids = call.texts("mentioned_user_ids") { body.set("mentioned_user_ids", .strings(ids)) }
                return .http(method: "PUT", path: call.messagePath, body: body)
            },
            decode: messageChanged)
    }

    static var deleteMessage: ActionCodec {
        ActionCodec(
            encode: { call, _ in .http(method: "DELETE", path: call.messagePath) },
            decode: { _, call, _ in
                ActionReply(events: [.messageDeleted(channelURL: call.channelURL, messageID: call.messageID)])
            })
    }

    static func reaction(isAdded: Bool) -> ActionCodec {
        ActionCodec(
            encode: { call, userID in
                let key = call.text("key") ?? ""
                if isAdded {
                    let body = JSON.object(["user_id": .string(userID.text), "reaction": .string(key)])
                    return .http(method: "POST", path: call.messagePath + "/reactions", body: body)
                }
                var query = Query()
                query.add("user_id", userID.text)
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

    /// An event tells all members what is pinned now.
    static func pin(isPinned: Bool) -> ActionCodec {
        ActionCodec(
            encode: { call, _ in
                .http(method: isPinned ? "POST" : "DELETE", path: call.messagePath + "/pin", body: .object())
            },
            decode: { _, _, _ in ActionReply() })
    }

    static var translateMessage: ActionCodec {
        ActionCodec(
            encode: { call, _ in
                let body = JSON.object(["target_langs": .strings(call.texts("target_langs") ?? [])])
                return .http(method: "POST", path: call.messagePath + "/translation", body: body)
            },
            decode: messageChanged)
    }

    /// Each key has a list of values. `keys` are sent with an empty list: adding such a list makes the key, removing it
    /// removes the key.
    static func metaArray(isAdded: Bool) -> ActionCodec {
        ActionCodec(
            encode: { call, _ in
                let entries = JSON.array()
                for key in call.texts("keys") ?? [] {
                    entries.append(.object(["key": .string(key), "value": .array()]))
                }
                let values = call.object("values").flatMap { try? JSON.parse($0) }
                for (key, list) in values?.members ?? [] {
                    entries.append(.object(["key": .string(key), "value": list]))
                }
                let change = JSON.object([
                    "array": entries, "mode": isAdded ? "add" : "remove", "upsert": true,
                ])
                let body = JSON.object(["channel_url": .string(call.channelURL.text), "metaarray": change])
                body.set("msg_id", call.messageID.json)
                return .frame(call.isOfFileMessage ? "FEDI" : "MEDI", body, isAnswered: true)
            },
            decode: messageChanged)
    }
}

extension ActionCall {
    /// Whether the action's message is known to be a file message.
    fileprivate var isOfFileMessage: Bool { flag(ActionCall.concernsFile) == true }
}
