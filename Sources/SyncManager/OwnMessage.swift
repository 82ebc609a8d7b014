import SyncJSON
import SyncModel
import SyncService
import SyncWebSocket

/// The documents with which hosts send, edit and delete own messages.
enum OwnMessage {
    struct Outgoing {
        var requestID: String
        var body: [UInt8]
        /// The request id of a failed message to send again.
        var resend: String?
    }

    static func outgoing(_ bytes: [UInt8]) throws(BorderError) -> Outgoing {
        var reader = try DocumentReader(bytes)
        if let resend = try reader.string("resend") {
            try reader.end()
            return Outgoing(requestID: resend, body: [], resend: resend)
        }
        guard try reader.string("message", required: true) != nil else { throw reader.fail("message", "a text") }
        let requestID = try reader.string("request_id")
        try readFields(&reader)
        try reader.end()
        if let requestID, requestID.isEmpty { throw reader.fail("request_id", "a text that is not empty") }
        guard let id = requestID ?? freshRequestID() else {
            throw BorderError(.internal, "the system has no random bytes")
        }
        reader.document.set("request_id", nil)
        return Outgoing(requestID: id, body: reader.document.serialized())
    }

    private static func readFields(_ reader: inout DocumentReader) throws(BorderError) {
        _ = try reader.string("data")
        _ = try reader.string("custom_type")
        _ = try reader.word("mention_type", ["users", "channel"])
        _ = try reader.strings("mentioned_user_ids")
        if let parent = reader.value("parent_message_id"), parent.int == nil {
            throw reader.fail("parent_message_id", "a whole number")
        }
        _ = try reader.bool("reply_to_channel")
    }

    /// A message the host sends by its own means: any object with a request id and a text.
    static func appended(_ bytes: [UInt8]) throws(BorderError) -> (requestID: String, body: [UInt8]) {
        var reader = try DocumentReader(bytes)
        let id = try reader.string("request_id", required: true) ?? ""
        _ = try reader.string("message", required: true)
        return (id, reader.document.serialized())
    }

    /// The outcome of such a send: the service's message, or the document given before.
    static func response(
        _ bytes: [UInt8], errorCode: Int32
    ) throws(BorderError) -> (requestID: String, message: MessageRecord?) {
        var reader = try DocumentReader(bytes)
        var id = try reader.string("request_id")
        if id == nil { id = try reader.string("req_id") }
        guard let id, !id.isEmpty else { throw reader.fail("request_id", "a text that is not empty") }
        guard errorCode == 0 else { return (id, nil) }
        guard let message = SendbirdService.message(reader.document) else {
            throw reader.fail("message_id", "the service's message, with message_id and created_at")
        }
        return (id, message)
    }

    /// Which message an edit or a deletion means, and the fields to change.
    static func change(
        _ bytes: [UInt8], isDeletion: Bool
    ) throws(BorderError) -> (messageID: Int64, requestID: String, body: [UInt8]) {
        var reader = try DocumentReader(bytes)
        var messageID: Int64 = 0
        if let value = reader.value("message_id") {
            guard let id = value.int ?? value.string.flatMap({ Int64($0) }), id >= 0 else {
                throw reader.fail("message_id", "a whole number, or one as a text")
            }
            messageID = id
        }
        let requestID = try reader.string("request_id") ?? ""
        guard messageID != 0 || !requestID.isEmpty else {
            throw reader.fail("message_id", "a message_id or a request_id")
        }
        if !isDeletion {
            _ = try reader.string("message")
            try readFields(&reader)
        }
        try reader.end()
        reader.document.set("message_id", nil)
        reader.document.set("request_id", nil)
        return (messageID, messageID == 0 ? requestID : "", reader.document.serialized())
    }

    /// A UUID of version 4.
    static func freshRequestID() -> String? {
        var bytes = [UInt8](repeating: 0, count: 16)
        guard SystemRandom.fill(&bytes) else { return nil }
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        for (index, byte) in bytes.enumerated() {
            if [4, 6, 8, 10].contains(index) { text.append(UInt8(ascii: "-")) }
            text += [digits[Int(byte >> 4)], digits[Int(byte & 15)]]
        }
        return String(decoding: text, as: UTF8.self)
    }
}
