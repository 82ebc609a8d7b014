import ServerBase
import SyncBytes
import SyncJSON

/// Messages that are put aside until their time.
public struct ScheduledRules: ChatRules {
    let chat: Chat

    private static func key(_ id: Int64) -> String {
        let digits = String(id)
        return String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits
    }

    public func message(_ id: Int64, in channel: ChannelRow?) throws -> DocumentTable.Document {
        guard let found = try storage.documents.whole(.scheduled, Self.key(id)),
            channel.map({ found.scope.isByteEqual(to: String($0.id)) }) ?? true
        else { throw Refusal(400_201, "\"Scheduled message\" not found.") }
        return found
    }

    /// Puts a message aside until its time. The request is checked now and read again when it goes out.
    public func schedule(_ fields: Fields, _ input: MessageInput, _ caller: Caller, _ channel: ChannelRow) throws
        -> JSON
    {
        guard let time = try fields.int("scheduled_at") else { throw Refusal.missing("scheduled_at") }
        let now = now
        guard time > now else { throw Refusal.outOfRange("scheduled_at") }
        try chat.access.checkSending(caller, channel)
        return try storage.transaction {
            let id = try storage.nextNumber("scheduled")
            let json = JSON.object([
                "scheduled_message_id": .int(id), "scheduled_at": .int(time), "status": "pending",
                "channel_url": .string(channel.url), "channel_type": "group",
                "user_id": .string(caller.userID), "created_at": .int(now), "updated_at": .int(now),
            ])
            try fill(json, fields, input, caller)
            try storage.documents.save(.scheduled, Self.key(id), scope: String(channel.id), at: now, due: time, json)
            chat.dueTimer.arrange(at: time)
            return json
        }
    }

    private func fill(_ json: JSON, _ fields: Fields, _ input: MessageInput, _ caller: Caller) throws {
        json.set("type", .string(input.kind.rawValue))
        json.set("message", .string(input.text))
        json.set("data", .string(input.data))
        json.set("custom_type", .string(input.customType))
        json.set("mention_type", .string(input.mentionType))
        json.set("mentioned_user_ids", .strings(input.mentionedIDs))
        json.set("sorted_metaarray", input.metaarray ?? .array())
        if let file = input.file { json.set("file", file) }
        if !caller.userID.isEmpty { json.set("user", try storage.users.user(caller.userID)?.json) }
        json.set("request", fields.json.deepCopy())
    }

    public func reschedule(_ document: DocumentTable.Document, _ fields: Fields) throws -> JSON {
        guard document.json["status"]?.string == "pending" else {
            throw Refusal.invalid("scheduled_message_id", "it is not pending any more")
        }
        let json = document.json
        let kept = json["request"] ?? .object()
        for (key, value) in fields.json.members ?? [] {
            _ = fields[key]
            kept.set(key, value)
        }
        let time = try fields.int("scheduled_at") ?? json["scheduled_at"]?.int ?? 0
        let now = now
        guard time > now else { throw Refusal.outOfRange("scheduled_at") }
        let kind = MessageRow.Kind(rawValue: json["type"]?.string ?? "") ?? .text
        let input = try MessageInput(Fields(kept), kind: kind, limit: options.maximumMessageLength)
        try fill(json, Fields(kept), input, Caller(userID: json["user_id"]?.string ?? ""))
        json.set("scheduled_at", .int(time))
        json.set("updated_at", .int(now))
        try storage.documents.save(.scheduled, document.id, scope: document.scope, at: now, due: time, json)
        chat.dueTimer.arrange(at: time)
        return json
    }

    public func cancel(_ document: DocumentTable.Document) throws {
        guard document.json["status"]?.string == "pending" else {
            throw Refusal.invalid("scheduled_message_id", "it is not pending any more")
        }
        document.json.set("status", "canceled")
        try storage.documents.save(.scheduled, document.id, scope: document.scope, at: now, document.json)
    }

    /// Sends a scheduled message: its time has come, or somebody asks for it now.
    public func send(_ document: DocumentTable.Document) throws {
        let json = document.json
        guard json["status"]?.string == "pending" else { return }
        guard let channel = try storage.channels.channel(id: Int64(document.scope) ?? 0), !channel.isDeleted else {
            throw Refusal.noChannel()
        }
        let kind = MessageRow.Kind(rawValue: json["type"]?.string ?? "") ?? .text
        var input = try MessageInput(
            Fields(json["request"] ?? .object()), kind: kind, limit: options.maximumMessageLength)
        input.extras.append(("scheduled_message_id", json["scheduled_message_id"] ?? 0))
        input.extras.append(("scheduled_at", json["scheduled_at"] ?? 0))
        let user = json["user_id"]?.string ?? ""
        let sent = try chat.sending.send(input, Caller(userID: user, isAdmin: user.isEmpty), channel)
        json.set("status", "sent")
        json.set("sent_message_id", .int(sent.message.id))
        try storage.documents.save(.scheduled, document.id, scope: document.scope, at: now, json)
    }

    /// A scheduled message as it is told: without the fields from which it will be sent.
    public static func shown(_ json: JSON) -> JSON {
        let result = json.deepCopy()
        result.set("request", nil)
        return result
    }
}

extension Chat {
    public var scheduled: ScheduledRules { ScheduledRules(chat: self) }
}
