import SyncJSON
import SyncModel

/// Messages as the service writes them: the REST shape, which is the canonical one, and the older one of the socket.
enum MessageCodec {
    /// Reads a message in REST shape out of a validated text; its JSON is the text as it stands.
    static func record(_ slice: JSONSlice) -> MessageRecord? {
        guard slice.isObject else { return nil }
        var id: Int64?
        var createdAt: Int64?
        var record = MessageRecord(position: .init(createdAt: 0, id: 0), json: [])
        slice.forEachMember { key, value in
            // Ordered by length first: most members are none of these.
            switch key.bytes.count - 2 {
            case 4:
                if key.equals("type") { record.kind = kind(value) }
                else if key.equals("user") { record.senderID = value["user_id"]?.string ?? value["guest_id"]?.string ?? "" }
            case 6: if key.equals("req_id") { record.requestID = value.string ?? record.requestID }
                else if key.equals("silent") { record.isSilent = value.bool ?? false }
            case 10:
                if key.equals("message_id") { id = value.int }
                else if key.equals("created_at") { createdAt = value.int }
                else if key.equals("updated_at") { record.updatedAt = value.int ?? 0 }
                else if key.equals("request_id") { record.requestID = value.string ?? record.requestID }
            case 11: if key.equals("custom_type") { record.customType = value.string ?? "" }
            case 17: if key.equals("parent_message_id") { record.parentID = value.int ?? 0 }
            case 19: if key.equals("is_reply_to_channel") { record.isReplyToChannel = value.bool ?? false }
            case 16: if key.equals("reply_to_channel") { record.isReplyToChannel = value.bool ?? record.isReplyToChannel }
            default: break
            }
        }
        guard let id, let createdAt else { return nil }
        record.position = MessagePosition(createdAt: createdAt, id: id)
        record.json = slice.copy()
        return record
    }

    private static func kind(_ value: JSONSlice) -> MessageRecord.Kind {
        if value.equals("FILE") { return .file }
        return value.equals("ADMM") || value.equals("ADMN") || value.equals("BRDM") ? .admin : .user
    }

    /// Turns the socket's shape into the canonical one and reads it. `command` is the frame's, as its type.
    static func record(socket frame: JSON, command: String) -> MessageRecord? {
        let canonical = JSON.object()
        var order: [String]?
        for (key, value) in frame.members ?? [] {
            switch key {
            case "msg_id": canonical.set("message_id", value)
            case "ts": if frame["created_at"] == nil { canonical.set("created_at", value) }
            case "custom": if frame["data"] == nil { canonical.set("data", value) }
            case "unread_cnt", "previous_message_id", "old_values", "unique_id", "channel_id", "request_id": break
            case "req_id": if let text = value.string, !text.isEmpty { canonical.set("req_id", value) }
            case "metaarray": if value.kind != .object { canonical.set(key, value) }
            case "metaarray_key_order": order = value.array?.compactMap(\.string)
            case "reply_to_channel": canonical.set("is_reply_to_channel", value)
            default: canonical.set(key, value)
            }
        }
        if canonical["type"] == nil || ["MEDI", "FEDI", "AEDI"].contains(command) {
            let types = ["MEDI": "MESG", "FEDI": "FILE", "AEDI": "ADMM"]
            canonical.set("type", .string(types[command] ?? command))
        }
        if let map = frame["metaarray"], map.kind == .object {
            let keys = order ?? (map.members ?? []).map(\.key)
            canonical.set("sorted_metaarray", .array(keys.map { key in
                .object(["key": .string(key), "value": map[key] ?? .array()])
            }))
        }
        if let user = canonical["user"] { normalise(user) }
        return read(canonical)
    }

    /// Reads a message document in canonical shape.
    static func read(_ document: JSON) -> MessageRecord? {
        let bytes = document.serialized()
        return bytes.withUnsafeBytes { raw in
            guard let slice = try? JSONSlice.checked(raw) else { return nil }
            return record(slice)
        }
    }

    /// The old names of a user's fields.
    private static func normalise(_ user: JSON) {
        for (old, new) in [("guest_id", "user_id"), ("name", "nickname"), ("image", "profile_url")] {
            if user[new] == nil, let value = user[old] { user.set(new, value) }
            if user[new] != nil { user.set(old, nil) }
        }
    }
}
