import ServerBase
import SyncBytes
import SyncJSON

/// Reactions to messages.
public struct ReactionRules: ChatRules {
    let chat: Chat

    /// Adds or takes away a reaction; returns what REST answers and the socket tells.
    public func react(_ id: Int64, _ key: String, _ caller: Caller, _ channel: ChannelRow, adds: Bool) throws -> JSON {
        guard !key.isEmpty else { throw Refusal.missing("reaction") }
        // Those who may only read (when invited, or in a public channel) may not react.
        try chat.access.checkManaging(caller, channel, needsOperator: false)
        guard var message = try storage.messages.message(id, in: channel.id) else { throw Refusal.noMessage() }
        let now = now
        let reactions = message.reactions.flatMap { try? JSON.parse($0) } ?? .array()
        let kept = JSON.array()
        var isFound = false
        for entry in reactions.array ?? [] {
            guard (entry["key"]?.string).isByteEqual(to: key) else {
                kept.append(entry)
                continue
            }
            isFound = true
            var users = (entry["user_ids"]?.array ?? []).compactMap(\.string)
            users.removeAll { $0.isByteEqual(to: caller.userID) }
            if adds { users.append(caller.userID) }
            if users.isEmpty { continue }
            kept.append(.object(["key": .string(key), "user_ids": .strings(users), "updated_at": .int(now)]))
        }
        if adds, !isFound {
            kept.append(.object(["key": .string(key), "user_ids": .strings([caller.userID]), "updated_at": .int(now)]))
        }
        message.reactions = kept.count == 0 ? nil : kept.serialized()
        let told = JSON.object([
            "channel_url": .string(channel.url), "channel_type": "group", "channel_id": .int(channel.id),
            "msg_id": .int(id),
            "reaction": .string(key), "user_id": .string(caller.userID), "operation": adds ? "ADD" : "DELETE",
            "success": true, "updated_at": .int(now),
        ])
        try change { broadcasts in
            try storage.messages.update(message)
            try storage.changes.note(message, isDeleted: false, at: now)
            broadcasts.append(
                Broadcast(frame: Frames.frame("MRCT", told), users: try storage.audience(channel.id)))
        }
        return told
    }
}

extension Chat {
    public var reactions: ReactionRules { ReactionRules(chat: self) }
}
