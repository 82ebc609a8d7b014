import SyncEngine
import SyncJSON

/// An event that counts as delivered, in the hands of the draining thread.
struct DrainedEvent {
    let payload: EventQueue.Payload
    /// When the engine told it, in milliseconds since the epoch.
    let time: Int64
    let sequence: Int64
    /// Whoever made the call that this is the result of.
    let caller: Listener?
    /// Whoever hears what no caller hears.
    let target: Listener

    func text() -> JSONWriter {
        var size = 512
        if case .event(.change(let change)) = payload {
            for item in change.items { size &+= item.json.count &+ 64 }
        }
        var writer = JSONWriter(capacity: size)
        writer.beginObject()
        switch payload {
        case .completion(let completion):
            begin("result", &writer)
            writer.member("request", Int64(bitPattern: completion.call))
            writer.member("call", completion.name)
            writer.member("status", Int64(completion.status.rawValue))
            add(completion.members, &writer)
            if let info = completion.info { writer.member("collection", Int64(bitPattern: info.collection)) }
        case .event(.client(let type, let members)):
            begin(type, &writer)
            add(members, &writer)
        case .event(.collection(let id, let type, let members)):
            begin(type, &writer)
            writer.member("collection", Int64(bitPattern: id))
            add(members, &writer)
        case .event(.change(let change)):
            begin("change", &writer)
            EventText.write(change, into: &writer)
        }
        writer.endObject()
        return writer
    }

    private func begin(_ type: String, _ writer: inout JSONWriter) {
        writer.member("type", type)
        writer.member("seq", sequence)
        writer.member("ts", time)
    }

    private func add(_ members: [(key: String, value: [UInt8])], _ writer: inout JSONWriter) {
        for (key, value) in members {
            writer.key(escaping: key)
            writer.raw(value)
        }
    }

    /// Tells the host. A result that its caller does not want to hear goes where events go.
    func deliver() {
        var text = text()
        text.withText { text, count in
            if case .completion(let completion) = payload, let result = caller?.result {
                result(caller?.userData, completion.status.rawValue, text, count)
            } else {
                target.event?(target.userData, text, count)
            }
        }
    }
}
