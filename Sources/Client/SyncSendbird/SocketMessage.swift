import SyncBytes
import SyncJSON
import SyncModel

/// A message in the socket's shape, read in one pass; its text is put together in the canonical shape from pieces of
/// the old one, and only if the two differ.
///
/// Differences: older names (`msg_id`, `ts`, `custom`, `reply_to_channel`, those of users), the type as the command's
/// name, a file's own fields beside the message's, the meta array as a map with an order, and members that concern the
/// delivery. Where both names are there, the canonical one counts, if its value is an id or a time.
///
/// It must not outlive the bytes it was read from.
struct SocketMessage {
    private struct Member {
        var key: JSONKey
        var value: JSONSlice
        var role: Role
    }

    /// What becomes of a member in the canonical shape.
    private enum Role {
        case kept
        /// Concerns the delivery, not the message.
        case dropped
        case requestID, type, user, users, metaArray, metaArrayOrder
        /// The canonical names of members that have an older one.
        case id, time, data, reply, sortedMetaArray
        case oldID, oldTime, oldData, oldReply
        /// A file as an object, and a file's fields beside the message's.
        case file, filePart
    }

    private let text: JSONSlice
    private let members: [Member]
    private var fields: MessageFields

    /// The channel it belongs to; empty when it does not say.
    private(set) var channelURL = ""
    /// The id of the request that it answers; empty when it answers none.
    private(set) var requestID: RequestID = ""
    private(set) var isOfOtherChannels = false
    private(set) var isError = false
    /// See `JSONReader`: the text has to be repaired and read once more.
    let hasLoneSurrogate: Bool

    /// Reads one JSON object.
    init(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
        var reader = JSONReader(bytes)
        var members: [Member] = []
        members.reserveCapacity(40)
        var fields = MessageFields()
        let start = reader.position()
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let value = try fields.read(key, from: &reader)
            members.append(Member(key: key, value: value, role: SocketMessage.role(key, value)))
        }
        text = reader.slice(from: start)
        try reader.end()
        hasLoneSurrogate = reader.hasLoneSurrogate
        self.members = members
        self.fields = fields
        readEnvelope()
    }

    private static func role(_ key: JSONKey, _ value: JSONSlice) -> Role {
        switch key.count {
        case 2: return key.equals("ts") ? .oldTime : .kept
        case 3: return key.equals("sts") ? .dropped : key.equals("url") ? .filePart : .kept
        case 4:
            if key.equals("user") { return .user }
            if key.equals("type") { return .type }
            if key.equals("data") { return .data }
            if key.equals("file") { return .file }
            return key.equals("name") || key.equals("size") ? .filePart : .kept
        case 6:
            if key.equals("msg_id") { return .oldID }
            if key.equals("custom") { return .oldData }
            return key.equals("req_id") ? .requestID : .kept
        case 9: return key.equals("metaarray") ? .metaArray : key.equals("unique_id") ? .dropped : .kept
        case 10:
            if key.equals("message_id") { return MessageFields.id(value) == nil ? .dropped : .id }
            if key.equals("created_at") { return MessageFields.time(value) == nil ? .dropped : .time }
            return key.equals("unread_cnt") || key.equals("old_values") || key.equals("channel_id")
                || key.equals("request_id") ? .dropped : .kept
        case 15: return key.equals("mentioned_users") ? .users : .kept
        case 16:
            if key.equals("reply_to_channel") { return .oldReply }
            return key.equals("sorted_metaarray") ? .sortedMetaArray : .kept
        case 19:
            if key.equals("is_reply_to_channel") { return .reply }
            if key.equals("previous_message_id") { return .dropped }
            return key.equals("metaarray_key_order") ? .metaArrayOrder : .kept
        default: return .kept
        }
    }

    /// Reads what the frame says beside the message, and members under older names.
    private mutating func readEnvelope() {
        var id: Int64?
        var time: Int64?
        for member in members {
            switch member.role {
            case .oldID: id = MessageFields.id(member.value)
            case .oldTime: time = MessageFields.time(member.value)
            case .requestID: requestID = RequestID(member.value.string ?? "")
            case .kept:
                switch member.key.count {
                case 5: if member.key.equals("error") { isError = member.value.bool ?? false }
                case 11: if member.key.equals("channel_url") { channelURL = member.value.string ?? "" }
                case 12:
                    guard member.key.equals("channel_type") else { break }
                    isOfOtherChannels = member.value.equals("open") || member.value.equals("feed")
                default: break
                }
            default: break
            }
        }
        fields.setFallback(id: id, time: time)
        fields.setRequestID(requestID)
    }

    /// The unread counts after this message, if the frame has them.
    var unreadCounts: JSON? {
        members.last { $0.role == .dropped && $0.key.equals("unread_cnt") }.flatMap { try? JSON.parse($0.value.bytes) }
    }

    /// The request id is that of an edit, not of the message's own sending.
    mutating func forgetRequestID() {
        requestID = ""
        fields.setRequestID("")
    }

    // MARK: The canonical shape

    private func value(_ role: Role) -> JSONSlice? { members.last { $0.role == role }?.value }

    /// The message; `nil` when it has no id or no time. `command` is the frame's: it says the type.
    func record(command: String) -> MessageRecord? {
        var fields = fields
        let type: StaticString
        switch command {
        case "MESG", "MEDI":
            type = "MESG"
            fields.setKind(.user)
        case "BRDM":
            type = "BRDM"
            fields.setKind(.admin)
        case "ADMM", "AEDI":
            // An edited broadcast stays one.
            type = value(.type)?.equals("BRDM") ?? false ? "BRDM" : "ADMM"
            fields.setKind(.admin)
        default:
            type = "FILE"
            fields.setKind(.file)
        }
        return fields.record(json: canonicalText(type))
    }

    private func canonicalText(_ type: StaticString) -> [UInt8] {
        let isFile = type.utf8CodeUnitCount == 4 && type.utf8Start[0] == UInt8(ascii: "F")
        let file = isFile && value(.file) == nil && members.contains { $0.key.equals("url") }
        // Beside a `file` object, the file's own fields only repeat what the object says.
        let hasParts = isFile && (file || value(.file) != nil) && value(.filePart) != nil
        if !hasParts, isCanonical(type) { return text.copy() }
        let hasID = value(.id) != nil
        let hasTime = value(.time) != nil
        let hasData = value(.data) != nil
        let hasReply = value(.reply) != nil
        var writer = JSONWriter(capacity: text.bytes.count + 64)
        writer.beginObject()
        writer.key("type")
        writer.string(plain: type)
        for member in members {
            switch member.role {
            case .kept, .id, .time, .data, .reply, .sortedMetaArray, .file: writer.member(member.key, member.value)
            case .dropped, .type, .metaArray, .metaArrayOrder: break
            case .requestID: if !requestID.isEmpty { writer.member(member.key, member.value) }
            case .oldID: if !hasID { writer.member("message_id", member.value) }
            case .oldTime: if !hasTime { writer.member("created_at", member.value) }
            case .oldData: if !hasData { writer.member("data", member.value) }
            case .oldReply: if !hasReply { writer.member("is_reply_to_channel", member.value) }
            case .filePart: if !hasParts { writer.member(member.key, member.value) }
            case .user:
                writer.key("user")
                SocketMessage.write(user: member.value, to: &writer)
            case .users:
                writer.key("mentioned_users")
                guard member.value.isArray else {
                    writer.raw(member.value)
                    continue
                }
                writer.beginArray()
                member.value.forEachElement { SocketMessage.write(user: $0, to: &writer) }
                writer.endArray()
            }
        }
        if file { writeFile(to: &writer) }
        if value(.sortedMetaArray) == nil, let metaArray = value(.metaArray) { write(metaArray, to: &writer) }
        writer.endObject()
        return writer.bytes
    }

    private func isCanonical(_ type: StaticString) -> Bool {
        var hasType = false
        for member in members {
            switch member.role {
            case .kept, .id, .time, .data, .reply, .sortedMetaArray, .file, .filePart: break
            case .type:
                guard member.value.equals(type) else { return false }
                hasType = true
            case .requestID: if requestID.isEmpty { return false }
            case .user: if SocketMessage.hasOldNames(member.value) { return false }
            case .users:
                var isOld = false
                member.value.forEachElement { isOld = isOld || SocketMessage.hasOldNames($0) }
                if isOld { return false }
            case .dropped, .metaArray, .metaArrayOrder, .oldID, .oldTime, .oldData, .oldReply: return false
            }
        }
        return hasType
    }

    /// A file's own fields, which stand beside the message's here, as an object.
    private func writeFile(to writer: inout JSONWriter) {
        writer.key("file")
        writer.beginObject()
        for name in ["url", "name", "size"] as [StaticString] {
            if let part = members.last(where: { $0.key.equals(name) }) { writer.member(name, part.value) }
        }
        if let type = value(.type), type.isString, !type.equals("FILE") { writer.member("type", type) }
        writer.endObject()
    }

    /// The sorted list of a map with the order of its keys; keys that the order leaves out come last.
    private func write(_ map: JSONSlice, to writer: inout JSONWriter) {
        if map.isArray { writer.member("sorted_metaarray", map) }
        guard map.isObject else { return }
        var keys: [String] = []
        var values: [TextKey: JSONSlice] = [:]
        map.forEachMember { key, value in
            guard let name = key.string else { return }
            if values.updateValue(value, forKey: TextKey(name)) == nil { keys.append(name) }
        }
        var ordered: [String] = []
        value(.metaArrayOrder)?.forEachElement { if let name = $0.string { ordered.append(name) } }
        writer.key("sorted_metaarray")
        writer.beginArray()
        for name in ordered + keys {
            guard let value = values.removeValue(forKey: TextKey(name)) else { continue }
            writer.beginObject()
            writer.member("key", name)
            writer.member("value", value)
            writer.endObject()
        }
        writer.endArray()
    }

    // MARK: Users

    /// The old name of a user's field, and the one that took its place.
    private static func newName(_ key: JSONSlice) -> StaticString? {
        if key.equals("guest_id") { return "user_id" }
        if key.equals("name") { return "nickname" }
        return key.equals("image") ? "profile_url" : nil
    }

    private static func hasOldNames(_ user: JSONSlice) -> Bool {
        var result = false
        user.forEachMember { key, _ in result = result || newName(key) != nil }
        return result
    }

    private static func write(user: JSONSlice, to writer: inout JSONWriter) {
        guard user.isObject else { return writer.raw(user) }
        writer.beginObject()
        user.forEachMember { key, value in
            guard let new = newName(key) else { return writer.member(key, value) }
            if user[new] == nil { writer.member(new, value) }
        }
        writer.endObject()
    }
}
