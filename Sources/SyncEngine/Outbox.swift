import SyncModel
import SyncStore

/// Own messages that are not (yet) the service's: under way or failed.
///
/// The problem. A message that the host saw accepted must be sent or visibly failed, whatever dies in between; a retry
/// after a lost acknowledgement must not make a second message; and messages of one channel must arrive in the order
/// they were written.
///
/// The rules. An intent is on disk before the host is told. Per channel one is sent at a time, oldest first. The
/// request id stays the same for every attempt; the service, or a page that brings the message back, tells us by it
/// that an earlier attempt had arrived. The sent message goes into the cache before the intent leaves the outbox: a
/// crash in between sends once more with the same id. A server page never touches these lists.
struct Outbox {
    struct Call {
        let call: UInt64
        let name: String
    }

    /// By channel, oldest first.
    var entries: [String: [Intent]] = [:]
    /// The call that waits for an intent, by request id.
    var calls: [String: Call] = [:]
    /// Request ids of intents that are done with and may still be on disk.
    var forgotten: [String] = []
    /// Request ids being sent.
    var sending: Set<String> = []
    var backoff: [String: Backoff] = [:]

    var channelURLs: [String] { entries.keys.sorted() }

    func entry(_ requestID: String) -> Intent? {
        for list in entries.values {
            if let found = list.first(where: { $0.requestID == requestID }) { return found }
        }
        return nil
    }

    mutating func put(_ intent: Intent) {
        var list = entries[intent.channelURL] ?? []
        if let index = list.firstIndex(where: { $0.requestID == intent.requestID }) {
            list[index] = intent
        } else {
            list.append(intent)
        }
        entries[intent.channelURL] = list
    }

    mutating func remove(_ intent: Intent) {
        entries[intent.channelURL]?.removeAll { $0.requestID == intent.requestID }
        if entries[intent.channelURL]?.isEmpty == true { entries[intent.channelURL] = nil }
    }

    mutating func takeCalls() -> [Call] {
        defer { calls = [:] }
        return calls.sorted { $0.key < $1.key }.map(\.value)
    }
}
