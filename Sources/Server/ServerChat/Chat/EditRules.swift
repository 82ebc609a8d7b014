import ServerBase
import SyncBytes
import SyncJSON

/// Changed and deleted messages.
public struct EditRules: ChatRules {
    let chat: Chat

    /// A message that the caller may change.
    public func ownMessage(_ id: Int64, _ caller: Caller, _ channel: ChannelRow, operatorsMay: Bool) throws
        -> MessageRow
    {
        guard let message = try storage.messages.message(id, in: channel.id) else { throw Refusal.noMessage() }
        if caller.isAdmin { return message }
        let member = try chat.access.joinedMembership(caller.userID, in: channel)
        guard message.sender.isByteEqual(to: caller.userID) || operatorsMay && member.isOperator else {
            throw Refusal(900_022, "Only its sender may do that.", status: 403)
        }
        return message
    }

    /// Changes a message; only what the fields mention. Returns the frame that told of it.
    public func edit(_ id: Int64, _ fields: Fields, _ caller: Caller, _ channel: ChannelRow) throws -> SentMessage {
        try chat.access.checkSending(caller, channel)
        var message = try ownMessage(id, caller, channel, operatorsMay: false)
        guard let json = try? JSON.parse(message.json) else { throw Refusal.noMessage() }
        let old = oldValues(json)
        if let text = try fields.string("message"), message.kind != .file {
            if text.unicodeScalars.count > options.maximumMessageLength { throw Refusal.tooLong("message") }
            json.set("message", .string(text))
        }
        if fields.has("message") || fields.has("translations") || fields.has("target_langs") {
            let known = (json["translations"]?.members ?? []).map(\.key)
            json.set("translations", try Translations.make(fields, of: json["message"]?.string ?? "", known: known))
        }
        // Keys that repeat what the path says, or that may be given by another name: they count as read.
        for key in ["message_type", "channel_url", "channel_type", "extended_message_payload", "sorted_metaarray"] {
            _ = fields[key]
        }
        if let url = try fields.string("url"), message.kind == .file, let file = json["file"] {
            file.set("url", .string(url))
        }
        if let data = try fields.string(["data", "custom"]) { json.set("data", .string(data)) }
        if let type = try fields.string("custom_type") {
            json.set("custom_type", .string(type))
            message.customType = type
        }
        try editMentions(json, fields)
        if let value = fields["extended_message"] ?? fields["extended_message_payload"] {
            json.set("extended_message_payload", value)
        }
        try editMetaarray(&message, fields)
        let now = now
        json.set("updated_at", .int(now))
        message.json = json.serialized()
        return try changed(message, old, channel, at: now, caller)
    }

    /// What the frame of an edit tells of the message before it.
    private func oldValues(_ json: JSON) -> JSON {
        .object([
            "mention_type": json["mention_type"] ?? "users",
            "mentioned_user_ids": json["mentioned_user_ids"] ?? .array(),
        ])
    }

    private func editMentions(_ json: JSON, _ fields: Fields) throws {
        if let type = try fields.string("mention_type") {
            guard type == "users" || type == "channel" else {
                throw Refusal.invalid("mention_type", "users or channel is expected")
            }
            json.set("mention_type", .string(type))
        }
        if let ids = try fields.strings("mentioned_user_ids") {
            json.set("mentioned_user_ids", .strings(ids))
            json.set("mentioned_users", .array(try ids.compactMap { try storage.users.user($0)?.json }))
        }
        if let value = fields["mentioned_message_template"] { json.set("mentioned_message_template", value) }
    }

    /// After an edit that added or removed mentions: corrects the unread mentions of those who have not read the
    /// message.
    private func moveMentions(of message: MessageRow, from old: Mentions, to new: Mentions) throws {
        guard message.isCountable else { return }
        let before = try storage.messages.countablesBefore(message)
        try storage.members.countMentions(message, old, by: -1, before: before)
        try storage.members.countMentions(message, new, by: 1, before: before)
    }

    /// Changes the extra data of a message; any member may.
    public func editExtraData(_ id: Int64, _ fields: Fields, _ caller: Caller, _ channel: ChannelRow) throws
        -> SentMessage
    {
        try chat.access.checkReading(caller, channel)
        guard var message = try storage.messages.message(id, in: channel.id), let json = try? JSON.parse(message.json)
        else {
            throw Refusal.noMessage()
        }
        let old = oldValues(json)
        try editMetaarray(&message, fields)
        return try changed(message, old, channel, at: now, caller)
    }

    /// Sets members of a message that no edit by its sender touches.
    public func rewrite(_ message: MessageRow, _ members: KeyValuePairs<String, JSON>, _ channel: ChannelRow) throws
        -> MessageRow
    {
        var changed = message
        guard let json = try? JSON.parse(message.json) else { throw Refusal.noMessage() }
        let old = oldValues(json)
        for (key, value) in members { json.set(key, value) }
        let now = now
        json.set("updated_at", .int(now))
        changed.json = json.serialized()
        return try self.changed(changed, old, channel, at: now, Caller(userID: "", isAdmin: true)).message
    }

    /// Stores a changed message and tells the members.
    private func changed(_ message: MessageRow, _ old: JSON, _ channel: ChannelRow, at now: Int64, _ caller: Caller)
        throws -> SentMessage
    {
        try change { broadcasts in
            try storage.messages.update(message)
            try storage.changes.note(message, isDeleted: false, at: now)
            let mentions = Mentions(try? JSON.parse(message.json))
            if Mentions(old) != mentions {
                try moveMentions(of: message, from: Mentions(old), to: mentions)
                // A count of mentions changed: clients that were away learn it from the change log.
                try storage.channels.touch(channel.id, at: now)
            }
            try chat.threads.refreshParentInfo(of: message, at: now)
            let isLast = try channel.lastMessageID == message.id || storage.members.isSilentLast(message)
            if isLast { try storage.channels.touch(channel.id, at: now) }
            let frame = editFrame(message, old)
            broadcasts.append(
                Broadcast(frame: frame, users: try storage.audience(channel.id), except: caller.socket))
            return SentMessage(message: message, frame: frame)
        }
    }

    public func editFrame(_ message: MessageRow, _ old: JSON) -> [UInt8] {
        let body = SocketDialect.message(message)
        body.set("old_values", old)
        let command = message.kind == .file ? "FEDI" : message.kind == .text ? "MEDI" : "AEDI"
        return Frames.frame(command, body)
    }

    /// Applies the meta arrays of an edit: {array, mode: add or remove, upsert}, or a list that replaces all.
    private func editMetaarray(_ message: inout MessageRow, _ fields: Fields) throws {
        guard let value = fields["metaarray"] ?? fields["sorted_metaarray"] else { return }
        let isOperation = value.kind == .object && value["array"]?.kind == .array
        let given = try MessageInput.metaarray(
            Fields(.object(["metaarray": isOperation ? value["array"] ?? .array() : value])))
        guard isOperation else {
            message.metaarray = given?.serialized()
            return
        }
        var entries: [(key: String, values: [JSON])] = []
        for element in message.metaarray.flatMap({ try? JSON.parse($0) })?.array ?? [] {
            if let key = element["key"]?.string { entries.append((key, element["value"]?.array ?? [])) }
        }
        let removes = value["mode"]?.string == "remove"
        let upserts = try Fields(value).bool("upsert") ?? true
        for element in given?.array ?? [] {
            guard let key = element["key"]?.string else { continue }
            let values = element["value"]?.array ?? []
            if let place = entries.firstIndex(where: { $0.key.isByteEqual(to: key) }) {
                entries[place].values.removeAll { values.contains($0) }
                if !removes { entries[place].values += values } else if values.isEmpty { entries.remove(at: place) }
            } else if !removes, upserts {
                entries.append((key, values))
            }
        }
        let result = JSON.array(entries.map { .object(["key": .string($0.key), "value": .array($0.values)]) })
        message.metaarray = result.serialized()
    }

    /// Deletes a message. Its replies stay and tell that the parent is gone.
    public func delete(_ id: Int64, _ caller: Caller, _ channel: ChannelRow) throws {
        try remove(try ownMessage(id, caller, channel, operatorsMay: true), channel)
    }

    /// Takes a message away and tells the members.
    public func remove(_ message: MessageRow, _ channel: ChannelRow) throws {
        let id = message.id
        let now = now
        try change { broadcasts in
            try storage.messages.delete(message)
            try remember(removed: message)
            try storage.messages.uncount(message)
            try storage.changes.note(message, isDeleted: true, at: now)
            if channel.lastMessageID == message.id {
                try storage.messages.recallLastMessage(channel.id, settings.lastMessageThreading)
            }
            try storage.members.recallSilent(after: message, settings.lastMessageThreading)
            let pinned = channel.pinnedIDs
            if pinned.contains(id) { try chat.pins.set(pinned.filter { $0 != id }, channel, at: now, &broadcasts) }
            if message.threadInfo != nil {
                let info = JSON.object(["type": "DELE", "ts": .int(message.createdAt)])
                try chat.threads.replaceParentInfo(id, info.serialized(), at: now)
            }
            try storage.channels.touch(channel.id, at: now)
            let frame = Frames.frame(
                "DELM",
                .object([
                    "channel_url": .string(channel.url), "channel_type": "group", "channel_id": .int(channel.id),
                    "msg_id": .int(id), "ts": .int(now),
                ]))
            broadcasts.append(
                Broadcast(frame: frame, users: try storage.audience(channel.id), carriesUnread: true))
            if message.parentID > 0 { try chat.threads.refresh(message.parentID, channel, at: now, &broadcasts) }
        }
    }

    private func remember(removed message: MessageRow) throws {
        guard let json = try? JSON.parse(message.json) else { return }
        var kept = message
        json.set("is_removed", true)
        kept.json = json.serialized()
        try storage.messages.keepRemoved(kept)
    }

    /// "Translates" a message: the same text, marked with the language, so that clients have something to show.
    public func translate(_ id: Int64, _ fields: Fields, _ caller: Caller, _ channel: ChannelRow) throws -> MessageRow {
        guard let languages = try fields.strings("target_langs"), !languages.isEmpty else {
            throw Refusal.missing("target_langs")
        }
        try chat.access.checkReading(caller, channel)
        guard let message = try storage.messages.message(id, in: channel.id), message.kind == .text,
            let json = try? JSON.parse(message.json)
        else { throw Refusal.noMessage() }
        let texts = json["translations"] ?? .object()
        let text = json["message"]?.string ?? ""
        for language in languages { texts.set(language, Translations.echo(text, language)) }
        return try rewrite(message, ["translations": texts], channel)
    }
}

extension Chat {
    public var edits: EditRules { EditRules(chat: self) }
}
