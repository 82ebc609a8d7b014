import ServerBase
import SyncJSON

/// Announcements: one message for many channels, at a time.
public struct AnnouncementRules: ChatRules {
    let chat: Chat

    /// Accepts an announcement. Without a time, or with a past one, it goes out at once.
    public func schedule(_ fields: Fields) throws -> JSON {
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
        let json = try document(fields, id, message, kind: kind, sender: sender, target: target, at: time)
        let announcement = Announcement(json, chat)
        json.set("target_channel_count", .int(Int64(try announcement.channels().count)))
        json.set("target_user_count", .int(Int64(try announcement.users().count)))
        try storage.documents.save(.announcement, id, at: now, due: time, json)
        if time <= now { try send(id, json) } else { chat.dueTimer.arrange(at: time) }
        return json
    }

    /// An announcement as it is stored and told, before it has gone out.
    private func document(
        _ fields: Fields, _ id: String, _ message: Fields, kind: String, sender: String, target: String, at time: Int64
    ) throws -> JSON {
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
        return json
    }

    public func find(_ id: String) throws -> JSON {
        guard let json = try storage.documents.document(.announcement, id) else {
            throw Refusal(400_201, "\"Announcement\" not found.")
        }
        return json
    }

    /// Stops an announcement, lets it go on or gives it another time, as the fields say.
    public func changeState(_ id: String, _ json: JSON, _ fields: Fields) throws {
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
        chat.dueTimer.arrange(at: due)
    }

    /// An announcement goes out.
    public func send(_ id: String, _ json: JSON) throws {
        guard json["status"]?.string == "scheduled" else { return }
        let announcement = Announcement(json, chat)
        let sent = try announcement.send()
        json.set("status", "completed")
        json.set("completed_at", .int(now))
        json.set("sent_channel_count", .int(Int64(sent.channels)))
        json.set("sent_user_count", .int(Int64(sent.users)))
        try storage.documents.save(.announcement, id, at: now, json)
    }
}

extension Chat {
    public var announcements: AnnouncementRules { AnnouncementRules(chat: self) }
}
