import SyncModel
import SyncStore

/// Own messages that the service has and that are not in the cache yet. They are shown as pending until they are.
/// Limitation: a list that waits for its first page cannot place such a message, and shows it only when that page has
/// come.
struct LeavingMessages {
    private var all: [RequestID: Intent] = [:]

    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ intent: Intent) { all[intent.requestID] = intent }

    /// Removes the own message that this message of the service is: found by its request id, or by the id under which
    /// it was accepted.
    mutating func take(_ message: MessageRecord, in url: ChannelURL) -> Intent? {
        let intent = all[message.requestID] ?? all.values.first { $0.messageID == message.id }
        guard let intent, intent.channelURL == url else { return nil }
        return all.removeValue(forKey: intent.requestID)
    }

    /// All of them, in the order in which they were written.
    mutating func takeAll() -> [Intent] {
        defer { all = [:] }
        return all.values.sorted { $0.id < $1.id }
    }
}
