import ServerBase
import SyncJSON

/// A message as a client or the administration wants it, read out of a socket command or a REST body.
public struct MessageInput {
    public var kind: MessageRow.Kind
    public var text = ""
    public var data = ""
    public var customType = ""
    public var mentionType = "users"
    public var mentionedIDs: [String] = []
    /// A JSON array of {key, value[]}, or nothing.
    public var metaarray: JSON?
    public var parentID: Int64 = 0
    public var isReplyToChannel = false
    public var isSilent = false
    public var updatesLastMessage = false
    public var marksAsRead = false
    /// The members that only file messages have.
    public var file: JSON?
    public var files: JSON?
    public var thumbnails: JSON?
    public var requiresAuth = false
    /// Members that are stored and passed on as they came.
    public var extras: [(String, JSON)] = []
    /// As sent, whatever type it has; `nil` when there was none.
    public var requestID: JSON?
    /// A second message of the sender with this id is the same message.
    public var dedupID: String?
    /// When it was sent; only the administration may say that. `nil` is now.
    public var createdAt: Int64?
    /// Whether it is old and comes from another service: it is then unread for nobody.
    public var isHistory = false
    public var sendsPush = true
    public var pollID: Int64 = 0
    public var translations = JSON.object()
    /// Whether it is pinned at once.
    public var pins = false

    public init(kind: MessageRow.Kind) { self.kind = kind }

    public init(_ fields: Fields, kind: MessageRow.Kind, limit: Int) throws {
        self.kind = kind
        text = try fields.string("message") ?? ""
        if text.unicodeScalars.count > limit { throw Refusal.tooLong("message") }
        data = try fields.string(["data", "custom"]) ?? ""
        customType = try fields.string("custom_type") ?? ""
        mentionType = try fields.string("mention_type") ?? "users"
        guard mentionType == "users" || mentionType == "channel" else {
            throw Refusal.invalid("mention_type", "users or channel is expected")
        }
        mentionedIDs =
            try fields.strings("mentioned_user_ids") ?? fields.strings("mentioned_users")
            ?? fields.strings("mentioned") ?? []
        metaarray = try MessageInput.metaarray(fields)
        parentID = max(0, try fields.int("parent_message_id") ?? 0)
        isReplyToChannel = try fields.bool("reply_to_channel") ?? fields.bool("is_reply_to_channel") ?? false
        isSilent = try fields.bool("is_silent") ?? fields.bool("silent") ?? false
        updatesLastMessage = try fields.bool("force_update_last_message") ?? false
        marksAsRead = try fields.bool("mark_as_read") ?? false
        dedupID = try fields.string("dedup_id").flatMap { $0.isEmpty ? nil : $0 }
        sendsPush = try fields.bool("send_push") ?? (fields.string("push_option") != "suppress")
        pollID = max(0, try fields.int("poll_id") ?? 0)
        // As it came: null and "" are echoed too.
        for key in ["req_id", "request_id"] { _ = fields[key] }
        requestID = fields.json["req_id"] ?? fields.json["request_id"]
        translations = try Translations.make(fields, of: text)
        pins = try fields.bool("pin_message") ?? false
        for key in [
            "target_langs", "mentioned_message_template", "apple_critical_alert_options",
            "extended_message", "extended_message_payload",
        ] {
            guard let value = fields[key] else { continue }
            extras.append((key == "extended_message" ? "extended_message_payload" : key, value))
        }
        // Keys that count as read: those about pushes, which this server does not send; a time that only the
        // administration may choose; the channel, which the path names too; and other names of what was read already.
        for key in [
            "apns_bundle_id", "push_message_template", "push_option", "sound", "volume", "created_at", "channel_url",
            "channel_type", "silent", "is_reply_to_channel", "sorted_metaarray", "mentioned_users", "mentioned",
        ] { _ = fields[key] }
        if kind == .file { try readFile(fields) }
    }

    private mutating func readFile(_ fields: Fields) throws {
        // One file may come without the list around it.
        if let one = fields["files"], one.kind == .object { files = .array([MessageInput.fileOfMany(one)]) }
        if let list = fields["files"], list.kind == .array, list.count > 0 {
            guard list.count <= 30 else { throw Refusal(400_203, "Too many files.") }
            files = .array((list.array ?? []).map(MessageInput.fileOfMany))
        }
        let first = files?[0]
        guard let url = try fields.string(["url", "file_url"]) ?? first?["url"]?.string, !url.isEmpty else {
            throw Refusal.missing("url")
        }
        requiresAuth = try fields.bool("require_auth") ?? false
        let type = try fields.string(["file_type", "type"]) ?? first?["file_type"]?.string ?? ""
        let name = try fields.string(["file_name", "name"]) ?? first?["file_name"]?.string ?? ""
        let size = try fields.int("file_size") ?? fields.int("size") ?? first?["file_size"]?.int ?? 0
        let described = JSON.object()
        described.set("url", .string(url))
        described.set("name", .string(name))
        described.set("type", .string(type == "FILE" ? "" : type))
        described.set("size", .int(size))
        described.set("data", .string(data))
        described.set("require_auth", .bool(requiresAuth))
        file = described
        // A text is the size of a thumbnail that is to be made, which is the task of whoever has the file.
        let given = (fields["thumbnails"] ?? first?["thumbnails"])?.array ?? []
        thumbnails = .array(given.filter { $0.kind == .object })
        for key in ["thumbnail1", "thumbnail2", "thumbnail3"] { _ = fields[key] }
    }

    /// One file of several, whichever names its members have.
    private static func fileOfMany(_ entry: JSON) -> JSON {
        let result = JSON.object()
        for (name, other, usual) in [
            ("url", "url", JSON.string("")), ("file_name", "name", .string("")), ("file_type", "type", .string("")),
            ("file_size", "size", .int(0)), ("require_auth", "require_auth", .bool(false)),
            ("thumbnails", "thumbnails", .array()),
        ] { result.set(name, entry[name] ?? entry[other] ?? usual) }
        return result
    }

    /// The meta arrays in their sorted shape, from any of the shapes they come in.
    public static func metaarray(_ fields: Fields) throws -> JSON? {
        guard let value = fields["metaarray"] ?? fields["sorted_metaarray"] ?? fields["metaarrays"] else {
            return nil
        }
        let result = JSON.array()
        if let members = value.members {
            for (key, list) in members { result.append(.object(["key": .string(key), "value": list])) }
        } else if let elements = value.array {
            for element in elements {
                guard let key = element["key"]?.string else { throw Refusal(900_027, "A meta array needs a key.") }
                let list = element["value"] ?? .array()
                guard list.kind == .array else { throw Refusal(900_028, "The value of a meta array is a list.") }
                result.append(.object(["key": .string(key), "value": list]))
            }
        } else {
            throw Refusal(900_029, "\"metaarray\" should be a list.")
        }
        return result
    }
}
