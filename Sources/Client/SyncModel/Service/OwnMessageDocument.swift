import SyncBytes
import SyncJSON

/// Own messages as hosts see them before the service has them, and as filters look at them.
public enum OwnMessageDocument {
    /// Whether a document is that of a file message. A message that the host sends by itself may have the file's
    /// address beside the text.
    public static func isFile(_ document: JSON) -> Bool {
        let type = document["type"]?.string
        return type == "FILE" || type == "file" || document["file"] != nil || document["files"] != nil
            || document["url"] != nil
    }

    /// The message's document with its state. `canceled`: the code of a file message that the host gave up;
    /// `isResendable`: whether a failure with a code may be cured by sending again.
    public static func json(
        of message: OwnMessageContent, userID: UserID, canceled: Int, _ isResendable: (Int) -> Bool
    ) -> [UInt8] {
        let document = (try? JSON.parse(message.body)).flatMap { $0.kind == .object ? $0 : nil } ?? .object()
        document.set("message_id", message.acceptedID?.json ?? .int(0))
        document.set("request_id", .string(message.requestID.text))
        document.set("channel_url", .string(message.channelURL.text))
        if document["type"] == nil { document.set("type", isFile(document) ? "FILE" : "MESG") }
        document.set("created_at", .int(message.createdAt))
        if document["user"] == nil { document.set("user", .object(["user_id": .string(userID.text)])) }
        let status =
            if message.isCanceled { "canceled" }
            else if message.acceptedID != nil { "sent" }
            else if message.failure != nil { "failed" }
            else { "pending" }
        document.set("status", .string(status))
        if message.isCanceled, isFile(document) {
            document.set("error_code", .int(Int64(canceled)))
        }
        if let failure = message.failure {
            document.set("error_code", .int(Int64(failure.code)))
            document.set("resendable", .bool(isResendable(failure.code)))
            document.set("retry_count", .int(Int64(failure.retryCount)))
        }
        return document.serialized()
    }

    /// `json`: the message's document.
    public static func record(
        of message: OwnMessageContent, userID: UserID, _ json: [UInt8]
    ) -> MessageRecord {
        var record = MessageRecord(
            id: MessageID(message.requestID.text), position: MessagePosition(order: message.createdAt, tie: 0),
            senderID: userID, requestID: message.requestID, json: json)
        json.withUnsafeBytes { bytes in
            guard let slice = try? JSONSlice.checked(bytes) else { return }
            let type = slice["type"]?.string ?? slice["message_type"]?.string ?? ""
            // In some file messages `type` is the file's media type.
            let hasFile = slice["file"] != nil || slice["files"] != nil || slice["url"] != nil
            if type == "FILE" || type == "file" || hasFile { record.kind = .file }
            record.customType = slice["custom_type"]?.string ?? ""
            let parent = slice["parent_message_id"]
            record.parentID = parent?.int.map { $0 > 0 ? MessageID(number: $0) : "" } ?? MessageID(parent?.string ?? "")
            record.isReplyToChannel = (slice["reply_to_channel"] ?? slice["is_reply_to_channel"])?.bool ?? false
        }
        return record
    }
}
