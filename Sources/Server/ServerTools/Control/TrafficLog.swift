import ServerHTTP
import SyncJSON

/// What came in, for tests to look at: the last ten thousand requests and socket frames.
public final class TrafficLog {
    private var entries: [JSON] = []
    private var dropped = 0

    private static let limit = 10_000
    private static let textLimit = 4096

    public func request(_ request: HTTPRequest, status: Int, at now: Int64) {
        add(
            .object([
                "kind": "request", "ts": .int(now), "method": .string(request.method),
                "target": .string(request.target.raw),
                "body": .string(TrafficLog.text(request.body)), "status": .int(Int64(status)),
            ]))
    }

    public func frame(_ text: [UInt8], of userID: String, at now: Int64) {
        add(
            .object([
                "kind": "frame", "ts": .int(now), "user_id": .string(userID), "text": .string(TrafficLog.text(text)),
            ]))
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes.prefix(textLimit), as: UTF8.self) }

    private func add(_ entry: JSON) {
        if entries.count == TrafficLog.limit {
            entries.removeFirst(TrafficLog.limit / 2)
            dropped += TrafficLog.limit / 2
        }
        entries.append(entry)
    }

    var document: JSON { .object(["received": .array(entries), "dropped": .int(Int64(dropped))]) }

    func clear() {
        entries = []
        dropped = 0
    }
}
