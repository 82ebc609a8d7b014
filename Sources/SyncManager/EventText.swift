import SyncEngine
import SyncJSON

/// The JSON of change events.
enum EventText {
    static func write(_ change: CollectionChange, into writer: inout JSONWriter) {
        writer.member("collection", Int64(bitPattern: change.collection))
        writer.member("list", change.list.rawValue)
        writer.member("action", change.action.rawValue)
        writer.member("source", change.source.rawValue)
        writer.member("from_event", change.source.isFromEvent)
        if let reason = change.reason { writer.member("reason", reason.rawValue) }
        writer.key("changes")
        writer.beginArray()
        for item in change.items {
            writer.beginObject()
            if change.action == .move {
                writer.member("from", item.from)
                writer.member("to", item.index)
            } else {
                writer.member("index", item.index)
            }
            switch item.key {
            case .message(let id): writer.member("id", quoting: id)
            case .text(let id): writer.member("id", id)
            }
            writer.endObject()
        }
        writer.endArray()
        guard change.action != .remove, change.action != .clear else { return }
        writer.key(change.list == .channels ? "channels" : "messages")
        writer.beginArray()
        for item in change.items { writer.raw(item.json) }
        writer.endArray()
    }
}
