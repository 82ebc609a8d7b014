import SyncJSON
import SyncModel

/// Messages as the service writes them: the REST shape, which is the canonical one, and the older one of the socket.
enum MessageCodec {
    /// Reads a message out of a validated text. In REST shape its JSON is the text as it stands; the rare one in the
    /// socket's shape is rewritten.
    static func record(_ slice: JSONSlice) -> MessageRecord? { canonical(slice) ?? rewritten(slice) }

    private static func canonical(_ slice: JSONSlice) -> MessageRecord? {
        guard slice.isObject else { return nil }
        var id: Int64?
        var createdAt: Int64?
        var kind: MessageRecord.Kind?
        var hasFile = false
        var record = MessageRecord(position: .init(createdAt: 0, id: 0), json: [])
        slice.forEachMember { key, value in
            // Ordered by length first: most members are none of these.
            switch key.bytes.count - 2 {
            case 4:
                if key.equals("type") {
                    kind = MessageCodec.kind(value)
                } else if key.equals("user") {
                    record.senderID = value["user_id"]?.string ?? value["guest_id"]?.string ?? ""
                } else if key.equals("file") {
                    hasFile = value.isObject
                }
            case 6:
                if key.equals("req_id") { record.requestID = value.string ?? record.requestID }
                else if key.equals("silent") { record.isSilent = value.bool ?? false }
            case 10:
                if key.equals("message_id") { id = value.int }
                else if key.equals("created_at") { createdAt = value.int }
                else if key.equals("updated_at") { record.updatedAt = value.int ?? 0 }
                else if key.equals("request_id") { record.requestID = value.string ?? record.requestID }
            case 11: if key.equals("custom_type") { record.customType = value.string ?? "" }
            case 17: if key.equals("parent_message_id") { record.parentID = value.int ?? 0 }
            case 16, 19:
                if key.equals("is_reply_to_channel") || key.equals("reply_to_channel") {
                    record.isReplyToChannel = value.bool ?? record.isReplyToChannel
                }
            default: break
            }
        }
        guard let id, let createdAt else { return nil }
        record.kind = kind ?? (hasFile ? .file : .user)
        record.position = MessagePosition(createdAt: createdAt, id: id)
        record.json = slice.copy()
        return record
    }

    /// `nil` for what is no message type: some file messages have the file's MIME type there.
    private static func kind(_ value: JSONSlice) -> MessageRecord.Kind? {
        if value.equals("MESG") { return .user }
        if value.equals("FILE") { return .file }
        return value.equals("ADMM") || value.equals("ADMN") || value.equals("BRDM") ? .admin : nil
    }

    private static func rewritten(_ slice: JSONSlice) -> MessageRecord? {
        guard slice["msg_id"] != nil || slice["ts"] != nil, let frame = try? JSON.parse(slice.bytes) else { return nil }
        return record(socket: frame, command: frame["file"] == nil && frame["url"] == nil ? "MESG" : "FILE")
    }

    /// Turns the socket's shape into the canonical one and reads it. `command` is the frame's, as its type.
    static func record(socket frame: JSON, command: String) -> MessageRecord? {
        let canonical = JSON.object()
        for (key, value) in frame.members ?? [] {
            switch key {
            case "msg_id": canonical.set("message_id", value)
            case "ts": if frame["created_at"] == nil { canonical.set("created_at", value) }
            case "custom": if frame["data"] == nil { canonical.set("data", value) }
            case "req_id": if let text = value.string, !text.isEmpty { canonical.set(key, value) }
            case "reply_to_channel": canonical.set("is_reply_to_channel", value)
            // What concerns the delivery, not the message; and what gets another form below.
            case "unread_cnt", "previous_message_id", "old_values", "unique_id", "channel_id", "request_id", "sts",
                "metaarray", "metaarray_key_order":
                break
            default: canonical.set(key, value)
            }
        }
        setType(of: canonical, command)
        if canonical["sorted_metaarray"] == nil, let sorted = sortedMetaArray(frame) {
            canonical.set("sorted_metaarray", sorted)
        }
        if let user = canonical["user"] { normalise(user) }
        for user in canonical["mentioned_users"]?.array ?? [] { normalise(user) }
        return read(canonical)
    }

    /// The type is the command's, and a file's own fields stand in an object of their own.
    private static func setType(of message: JSON, _ command: String) {
        let old = message["type"]?.string
        switch command {
        case "MESG", "MEDI": message.set("type", "MESG")
        case "BRDM": message.set("type", "BRDM")
        // An edited broadcast stays one.
        case "ADMM", "AEDI": message.set("type", old == "BRDM" ? "BRDM" : "ADMM")
        default:
            message.set("type", "FILE")
            guard message["file"] == nil, message["url"] != nil else { return }
            let file = JSON.object()
            for key in ["url", "name", "size"] {
                file.set(key, message[key])
                message.set(key, nil)
            }
            if let old, old != "FILE" { file.set("type", .string(old)) }
            message.set("file", file)
        }
    }

    /// The sorted list of a map with the order of its keys; what the order leaves out comes behind.
    private static func sortedMetaArray(_ frame: JSON) -> JSON? {
        guard let map = frame["metaarray"] else { return nil }
        guard map.kind == .object else { return map.kind == .array ? map : nil }
        var keys = frame["metaarray_key_order"]?.array?.compactMap(\.string) ?? []
        keys += (map.members ?? []).map(\.key).filter { !keys.contains($0) }
        let sorted = JSON.array()
        for key in keys {
            if let value = map[key] { sorted.append(.object(["key": .string(key), "value": value])) }
        }
        return sorted
    }

    /// Reads a message document in canonical shape.
    static func read(_ document: JSON) -> MessageRecord? {
        let bytes = document.serialized()
        return bytes.withUnsafeBytes { raw in
            guard let slice = try? JSONSlice.checked(raw) else { return nil }
            return record(slice)
        }
    }

    /// Who a user is, and nothing else that stood beside it.
    static func user(_ document: JSON) -> JSON {
        normalise(document)
        let user = JSON.object()
        for key in ["user_id", "nickname", "profile_url"] {
            if let value = document[key] { user.set(key, value) }
        }
        return user
    }

    /// The old names of a user's fields.
    private static func normalise(_ user: JSON) {
        for (old, new) in [("guest_id", "user_id"), ("name", "nickname"), ("image", "profile_url")] {
            if user[new] == nil, let value = user[old] { user.set(new, value) }
            if user[new] != nil { user.set(old, nil) }
        }
    }
}
