import SyncJSON
import SyncModel

/// The fields that are read out of a message in one pass over its text.
struct MessageFields {
    private var id: Int64?
    private var createdAt: Int64?
    private var kind: MessageRecord.Kind?
    private var hasFile = false
    private var updatedAt: Int64 = 0
    private var customType = ""
    private var senderID = ""
    private var parentID: Int64 = 0
    private var isReplyToChannel = false
    private var isSilent = false
    private var requestID: RequestID = ""

    /// Reads the value of a member. Gives the value as it stands in the text.
    ///
    /// This runs for every member of every message of a page. The length of the member's name is compared first, since
    /// most members are not read here.
    @inline(__always)
    mutating func read(_ key: JSONKey, from reader: inout JSONReader) throws(JSONError) -> JSONSlice {
        switch key.count {
        case 4:
            if key.equals("user") {
                let start = reader.position()
                try readSender(from: &reader)
                return reader.slice(from: start)
            }
            let value = try reader.value()
            if key.equals("type") { kind = MessageFields.kind(value) }
            else if key.equals("file") { hasFile = value.isObject }
            return value
        case 6:
            let value = try reader.value()
            if key.equals("req_id") { requestID = value.string.map { RequestID($0) } ?? requestID }
            else if key.equals("silent") { isSilent = value.bool ?? false }
            return value
        case 10:
            let value = try reader.value()
            switch key.first {
            case UInt8(ascii: "m"): if key.equals("message_id") { id = MessageFields.id(value) }
            case UInt8(ascii: "c"): if key.equals("created_at") { createdAt = MessageFields.time(value) }
            case UInt8(ascii: "u"): if key.equals("updated_at") { updatedAt = value.int ?? 0 }
            case UInt8(ascii: "r"):
                if key.equals("request_id") { requestID = value.string.map { RequestID($0) } ?? requestID }
            default: break
            }
            return value
        case 11:
            let value = try reader.value()
            if key.equals("custom_type") { customType = value.string ?? "" }
            return value
        case 17:
            let value = try reader.value()
            if key.equals("parent_message_id") { parentID = value.int ?? 0 }
            return value
        case 16, 19:
            let value = try reader.value()
            if key.equals("reply_to_channel") || key.equals("is_reply_to_channel") {
                isReplyToChannel = value.bool ?? isReplyToChannel
            }
            return value
        default: return try reader.value()
        }
    }

    /// The user object of a message; other values are passed over.
    private mutating func readSender(from reader: inout JSONReader) throws(JSONError) {
        senderID = ""
        guard reader.peek() == UInt8(ascii: "{") else {
            _ = try reader.value()
            return
        }
        var old = ""
        try reader.beginObject()
        while let key = try reader.nextKey() {
            let value = try reader.value()
            if key.equals("user_id") { senderID = value.string ?? "" }
            else if key.equals("guest_id") { old = value.string ?? "" }
        }
        if senderID.isEmpty { senderID = old }
    }

    /// `nil` for what is no message type: some file messages have the file's MIME type there.
    private static func kind(_ value: JSONSlice) -> MessageRecord.Kind? {
        if value.equals("MESG") { return .user }
        if value.equals("FILE") { return .file }
        return value.equals("ADMM") || value.equals("ADMN") || value.equals("BRDM") ? .admin : nil
    }

    /// Ids begin at 1, and times (ms) at the epoch; `nil` for a value that is none.
    static func id(_ value: JSONSlice) -> Int64? { value.int.flatMap { $0 > 0 ? $0 : nil } }
    static func time(_ value: JSONSlice) -> Int64? { value.int.flatMap { $0 >= 0 ? $0 : nil } }

    /// Whether the message has an id and a time under the canonical names.
    var isPlaced: Bool { id != nil && createdAt != nil }

    /// Uses what stands under the socket's names where the canonical ones are missing.
    mutating func setFallback(id oldID: Int64?, time: Int64?) {
        id = id ?? oldID
        createdAt = createdAt ?? time
    }

    mutating func setKind(_ kind: MessageRecord.Kind) { self.kind = kind }
    mutating func setRequestID(_ requestID: RequestID) { self.requestID = requestID }

    /// The message with this text; `nil` when it has no id or no time.
    func record(json: @autoclosure () -> [UInt8]) -> MessageRecord? {
        guard let id, let createdAt else { return nil }
        return MessageRecord(
            id: MessageID(number: id), position: MessagePosition(order: createdAt, tie: id), updatedAt: updatedAt,
            kind: kind ?? (hasFile ? .file : .user), customType: customType, senderID: UserID(senderID),
            parentID: parentID == 0 ? "" : MessageID(number: parentID), isReplyToChannel: isReplyToChannel,
            isSilent: isSilent, requestID: requestID, json: json())
    }
}
