import SyncModel
import SyncStore

func message(
    _ id: Int64, at time: Int64, sender: String = "bo", text: String = "é🙂", thread: String = ""
) -> MessageRecord {
    MessageRecord(
        id: "\(id)", position: MessagePosition(order: time, tie: id), senderID: UserID(sender),
        parentID: MessageID(thread),
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
