import SyncModel
import SyncStore

/// The own messages of one channel that the service does not have yet, oldest first, and whether one is being sent.
struct OutboxChannel {
    /// Sorted by their numbers, which grow in the order in which the messages were written.
    private(set) var intents: [Intent] = []
    /// The request id of the message that is being sent.
    var sending: RequestID?
    /// The pause after a failure for which a retry makes sense.
    var gate = RetryGate()

    var isSending: Bool { sending != nil }

    func intent(_ number: Int64) -> Intent? {
        let place = place(of: number)
        return place < intents.count && intents[place].id == number ? intents[place] : nil
    }

    mutating func put(_ intent: Intent) {
        let place = place(of: intent.id)
        if place < intents.count, intents[place].id == intent.id {
            intents[place] = intent
        } else {
            intents.insert(intent, at: place)
        }
    }

    mutating func remove(_ number: Int64) {
        let place = place(of: number)
        if place < intents.count, intents[place].id == number { intents.remove(at: place) }
    }

    mutating func removeAll() { intents = [] }

    /// The index of a number, or where it would be inserted.
    private func place(of number: Int64) -> Int {
        // A new message is the last.
        if let last = intents.last, last.id < number { return intents.count }
        var (start, end) = (0, intents.count)
        while start < end {
            let middle = (start + end) / 2
            if intents[middle].id < number { start = middle + 1 } else { end = middle }
        }
        return start
    }
}
