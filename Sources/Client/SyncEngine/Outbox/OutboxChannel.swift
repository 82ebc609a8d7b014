import SyncModel
import SyncStore

/// The own messages of one channel that are not the service's yet, oldest first, and whether one is being sent.
struct OutboxChannel {
    private(set) var intents: [Intent] = []
    /// The request id of the one that is being sent.
    var sending: String?
    /// Waits after a failure that a retry may cure.
    var gate = RetryGate()

    var isSending: Bool { sending != nil }

    func intent(_ requestID: String) -> Intent? { intents.first { $0.requestID.isByteEqual(to: requestID) } }

    mutating func put(_ intent: Intent) {
        if let index = intents.firstIndex(where: { $0.requestID.isByteEqual(to: intent.requestID) }) {
            intents[index] = intent
        } else {
            intents.append(intent)
        }
    }

    mutating func remove(_ requestID: String) { intents.removeAll { $0.requestID.isByteEqual(to: requestID) } }
}
