import SyncJSON
import SyncModel

/// Messages as the service writes them: the REST shape, which is the canonical one, and the older one of the socket.
enum MessageCodec {
    /// Reads the next value as a message, in one pass. In REST shape its JSON is the text as it stands; the rare one in
    /// the socket's shape is rewritten. `nil` for a value that is no message.
    static func read(from reader: inout JSONReader) throws(JSONError) -> MessageRecord? {
        let start = reader.position()
        guard reader.peek() == UInt8(ascii: "{") else {
            _ = try reader.value()
            return nil
        }
        var fields = MessageFields()
        try reader.beginObject()
        while let key = try reader.nextKey() { _ = try fields.read(key, from: &reader) }
        let text = reader.slice(from: start)
        if fields.isPlaced { return fields.record(json: text.copy()) }
        return try? SocketMessage(text.bytes).record(command: command(text))
    }

    /// The socket command that would have brought a message which came in another way.
    static func command(_ message: JSONSlice) -> String {
        let type = message["type"]?.string ?? ""
        switch type {
        case "MESG", "FILE", "ADMM", "BRDM": return type
        case "ADMN": return "ADMM"
        // In some file messages `type` is the file's MIME type.
        default: return message["file"] == nil && message["url"] == nil ? "MESG" : "FILE"
        }
    }

    /// The user's id, name and picture, without the document's other members.
    static func user(_ document: JSON) -> JSON {
        let user = JSON.object()
        for (key, old) in [("user_id", "guest_id"), ("nickname", "name"), ("profile_url", "image")] {
            if let value = document[key] ?? document[old] { user.set(key, value) }
        }
        return user
    }
}
