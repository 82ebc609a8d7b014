import SyncJSON

/// The shape of users and messages in socket frames: new names and the old ones that older clients know.
public enum SocketDialect {
    /// A user with both spellings of its fields.
    public static func user(_ user: JSON) -> JSON {
        let result = user.deepCopy()
        for (new, old) in [("user_id", "guest_id"), ("nickname", "name"), ("profile_url", "image")] {
            if let value = user[new] { result.set(old, value) }
        }
        return result
    }

    /// A message out of its REST shape; `known` is that shape when it is at hand, which saves reading it again.
    public static func message(_ row: MessageRow, known: JSON? = nil) -> JSON {
        guard let rest = known ?? (try? JSON.parse(row.bytes(.all))) else { return .object() }
        let result = JSON.object()
        for (key, value) in rest.members ?? [] {
            switch key {
            case "message_id":
                result.set("msg_id", value)
                result.set("message_id", value)
            case "created_at":
                result.set("ts", value)
                result.set("created_at", value)
            case "data":
                result.set("data", value)
                result.set("custom", value)
            case "user": result.set("user", user(value))
            case "mentioned_users": result.set(key, .array((value.array ?? []).map(user)))
            // The command says the type; and for files, the old shape has the media type under this name.
            case "type", "req_id": break
            case "file":
                result.set("file", value)
                for (name, part) in value.members ?? [] where ["url", "name", "type", "size"].contains(name) {
                    result.set(name, part)
                }
            case "sorted_metaarray":
                let map = JSON.object()
                let order = JSON.array()
                for element in value.array ?? [] {
                    guard let name = element["key"] else { continue }
                    map.set(name.string ?? "", element["value"] ?? .array())
                    order.append(name)
                }
                result.set("metaarray", map)
                result.set("metaarray_key_order", order)
            case "is_reply_to_channel":
                result.set(key, value)
                result.set("reply_to_channel", value)
            default: result.set(key, value)
            }
        }
        result.set("channel_id", .int(row.channelID))
        return result
    }
}
