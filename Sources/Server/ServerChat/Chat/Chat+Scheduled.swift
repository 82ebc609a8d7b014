import ServerBase
import SyncBytes
import SyncJSON

extension Chat {
    // MARK: Scheduled messages

    private static func key(_ id: Int64) -> String {
        let digits = String(id)
        return String(repeating: "0", count: max(0, 20 - digits.utf8.count)) + digits
    }

    public func scheduledMessage(_ id: Int64, in channel: ChannelRow?) throws -> DocumentTable.Document {
        guard let found = try storage.documents.whole(.scheduled, Chat.key(id)),
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
        try checkSending(caller, channel)
        return try storage.transaction {
            let id = try storage.nextNumber("scheduled")
            let json = JSON.object([
                "scheduled_message_id": .int(id), "scheduled_at": .int(time), "status": "pending",
                "channel_url": .string(channel.url), "channel_type": "group",
                "user_id": .string(caller.userID), "created_at": .int(now), "updated_at": .int(now),
            ])
            try fill(json, fields, input, caller)
            try storage.documents.save(.scheduled, Chat.key(id), scope: String(channel.id), at: now, due: time, json)
            arrange(at: time)
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
        arrange(at: time)
        return json
    }

    public func cancelScheduled(_ document: DocumentTable.Document) throws {
        guard document.json["status"]?.string == "pending" else {
            throw Refusal.invalid("scheduled_message_id", "it is not pending any more")
        }
        document.json.set("status", "canceled")
        try storage.documents.save(.scheduled, document.id, scope: document.scope, at: now, document.json)
    }

    /// Sends a scheduled message: its time has come, or somebody asks for it now.
    public func sendScheduled(_ document: DocumentTable.Document) throws {
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
        let sent = try send(input, Caller(userID: user, isAdmin: user.isEmpty), channel)
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

    // MARK: Announcements

    /// Accepts an announcement. Without a time, or with a past one, it goes out at once.
    public func scheduleAnnouncement(_ fields: Fields) throws -> JSON {
        guard let message = try fields.object("message") else { throw Refusal.missing("message") }
        let target = try fields.required("target_at")
        guard Announcement.targets.contains(target) else {
            throw Refusal.invalid("target_at", "one of \(Announcement.targets.joined(separator: ", ")) is expected")
        }
        let kind = try message.string("type") ?? "MESG"
        guard kind == "MESG" || kind == "ADMM" else { throw Refusal.invalid("type", "MESG or ADMM is expected") }
        let sender = try message.string("user_id") ?? ""
        if kind == "MESG" { _ = try activeUser(sender) }
        let now = now
        let id = try fields.string("unique_id") ?? storage.random.hex(8)
        if try storage.documents.document(.announcement, id) != nil { throw Refusal.exists("\"unique_id\"") }
        let time = max(try fields.int("scheduled_at") ?? 0, now)
        let json = JSON.object([
            "unique_id": .string(id), "announcement_group": .string(try fields.string("announcement_group") ?? ""),
            "message": .object([
                "type": .string(kind), "user_id": .string(sender),
                "content": .string(try message.string("content") ?? ""),
                "custom_type": .string(try message.string("custom_type") ?? ""),
                "data": .string(try message.string("data") ?? ""), "message_retention_hour": -1,
            ]),
            "target_at": .string(target), "target_list": .strings(try fields.strings("target_list") ?? []),
            "target_channel_type": .string(try fields.string("target_channel_type") ?? "all"),
            "target_custom_type": .string(try fields.string("target_custom_type") ?? ""),
            "scheduled_at": .int(time), "end_at": .int(try fields.int("end_at") ?? 0), "completed_at": 0,
            "cease_at": .string(try fields.string("cease_at") ?? ""),
            "resume_at": .string(try fields.string("resume_at") ?? ""),
            "create_channel": .bool(try fields.bool("create_channel") ?? false),
            "enable_push": .bool(try fields.bool("enable_push") ?? true),
            "mark_as_read": .bool(try fields.bool("mark_as_read") ?? true),
            "send_to_frozen_channels": .bool(try fields.bool("send_to_frozen_channels") ?? true),
            "priority": .string(try fields.string("priority") ?? "normal"), "status": "scheduled", "open_count": 0,
            "open_rate": .real(0), "sent_channel_count": 0, "sent_user_count": 0,
        ])
        for key in ["assign_sender_as_channel_inviter", "keep_channel_hidden_for_sender"] {
            json.set(key, .bool(try fields.bool(key) ?? false))
        }
        if let options = try fields.object("create_channel_options") {
            json.set("create_channel_options", options.json.deepCopy())
        }
        let announcement = Announcement(json, self)
        json.set("target_channel_count", .int(Int64(try announcement.channels().count)))
        json.set("target_user_count", .int(Int64(try announcement.users().count)))
        try storage.documents.save(.announcement, id, at: now, due: time, json)
        if time <= now { try announce(id, json) } else { arrange(at: time) }
        return json
    }

    public func announcement(_ id: String) throws -> JSON {
        guard let json = try storage.documents.document(.announcement, id) else {
            throw Refusal(400_201, "\"Announcement\" not found.")
        }
        return json
    }

    /// Stops an announcement, lets it go on or gives it another time, as the fields say.
    public func changeAnnouncement(_ id: String, _ json: JSON, _ fields: Fields) throws {
        if let action = try fields.string("action") {
            let known = ["cancel": "canceled", "remove": "removed", "pause": "paused", "resume": "scheduled"]
            guard let status = known[action] else {
                throw Refusal.invalid("action", "cancel, remove, pause or resume is expected")
            }
            guard json["status"]?.string != "completed" else {
                throw Refusal.invalid("action", "the announcement has gone out")
            }
            json.set("status", .string(status))
        }
        if let time = try fields.int("scheduled_at") { json.set("scheduled_at", .int(time)) }
        let waits = json["status"]?.string == "scheduled"
        let due = waits ? max(json["scheduled_at"]?.int ?? 0, 1) : 0
        try storage.documents.save(.announcement, id, at: now, due: due, json)
        arrange(at: due)
    }

    /// An announcement goes out.
    public func announce(_ id: String, _ json: JSON) throws {
        guard json["status"]?.string == "scheduled" else { return }
        let announcement = Announcement(json, self)
        let sent = try announcement.send()
        json.set("status", "completed")
        json.set("completed_at", .int(now))
        json.set("sent_channel_count", .int(Int64(sent.channels)))
        json.set("sent_user_count", .int(Int64(sent.users)))
        try storage.documents.save(.announcement, id, at: now, json)
    }
}
