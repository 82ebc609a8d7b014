import SyncModel
import SyncStore

/// A generator that a seed repeats.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64

    init(seed: UInt64) { state = seed }

    mutating func next() -> UInt64 {
        state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        return mixed ^ (mixed >> 31)
    }
}

func message(_ id: Int64, at time: Int64, sender: String = "bo", text: String = "é🙂") -> MessageRecord {
    MessageRecord(
        id: "\(id)", position: MessagePosition(order: time, tie: id), senderID: sender,
        json: Array("{\"message_id\":\(id),\"text\":\"\(text)\"}".utf8))
}

let everything: MessageFilter = {
    var filter = MessageFilter()
    filter.replyType = .all
    return filter
}()

extension StoredChunk {
    /// A chunk of a service whose positions say all.
    init(start: MessagePosition, end: MessagePosition, reachedFirst: Bool, isOpenEnded: Bool = false) {
        self.init(
            start: HistoryEdge(start), end: HistoryEdge(end), reachedFirst: reachedFirst, isOpenEnded: isOpenEnded)
    }
}
