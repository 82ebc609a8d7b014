import SyncJSON
import SyncModel
import SyncStore

/// Unsent text of the user, by channel and thread. It is shown with the channel.
///
/// Hosts set a draft while the user types, and each change is shown at once. It is stored at most a second later
/// (`storePause`), so that typing costs one write a second. When a draft is sent, it is removed in the transaction that
/// stores the message, so that after a kill there is exactly one of the two.
final class Drafts: Machine {
    /// Bytes of one draft, bytes of all drafts, and the number of drafts.
    static let byteLimit = 65_536
    static let totalLimit = 1_048_576
    static let countLimit = 1000
    /// The time between two writes of drafts, and after one that failed; in milliseconds.
    private static let storePause: Int64 = 1000
    private static let failurePause: Int64 = 10_000

    let texts = DraftTexts()
    /// Drafts whose last change is not on the disk.
    private var unstored: Set<HistoryID> = []
    /// The next write is not made before this time, by the monotonic clock.
    private var storesAt: Int64 = 0

    /// Reads the drafts that an earlier process left.
    func load(_ turn: inout Turn) {
        let stored = turn.storage.intended { (intents) throws(StoreError) in try intents.drafts() } ?? []
        for draft in stored where (try? JSON.parse(draft.body))?.members != nil {
            let place = HistoryID(draft.channelURL, parentID: draft.parentID)
            texts[place] = DraftTexts.Draft(content: draft.body, updatedAt: draft.updatedAt)
        }
    }

    // MARK: Host

    func set(_ action: ActionCall, call: CallID, _ turn: inout Turn) {
        let parentID = MessageID(action.text("parent_message_id") ?? "")
        let place = HistoryID(action.channelURL, parentID: parentID)
        let content = Drafts.content(action, parentID)
        if let refusal = refusal(content, place) {
            return ServiceActions.done(action, call, .tooLarge, explanation: refusal, &turn)
        }
        if texts[place]?.content != content {
            texts[place] = content.map { DraftTexts.Draft(content: $0, updatedAt: turn.now.wall) }
            unstored.insert(place)
            turn.add(.shownAgain(channelURL: place.channelURL, Cause(.draftChanged)))
            store(&turn)
        }
        ServiceActions.done(action, call, .ok, &turn)
    }

    /// The JSON of the draft; `nil`: the host removes it.
    private static func content(_ action: ActionCall, _ parentID: MessageID) -> [UInt8]? {
        guard let message = action.text("message") else { return nil }
        let data = action.text("data")
        let target = action.text("reply_to").map { MessageID($0) }
        if message.isEmpty, data == nil, target == nil { return nil }
        var writer = JSONWriter()
        writer.beginObject()
        if !parentID.isEmpty { writer.member("parent_message_id", raw: parentID.json.serialized()) }
        writer.member("message", message)
        if let data { writer.member("data", data) }
        if let target { writer.member("reply_to", raw: target.json.serialized()) }
        writer.endObject()
        return writer.bytes
    }

    private func refusal(_ content: [UInt8]?, _ place: HistoryID) -> String? {
        guard let content else { return nil }
        let before = texts[place]
        if content.count > Drafts.byteLimit { return "a draft has at most \(Drafts.byteLimit) bytes" }
        if before == nil, texts.count >= Drafts.countLimit { return "there are \(Drafts.countLimit) drafts already" }
        if texts.bytes - (before?.content.count ?? 0) + content.count > Drafts.totalLimit {
            return "all drafts together have at most \(Drafts.totalLimit) bytes"
        }
        return nil
    }

    // MARK: Facts

    /// Messages made from these drafts were stored, and the drafts were removed from the disk.
    func sent(_ places: [HistoryID], _ turn: inout Turn) {
        for place in places {
            texts[place] = nil
            unstored.remove(place)
        }
        for url in Set(places.map(\.channelURL)).sorted() {
            turn.add(.shownAgain(channelURL: url, Cause(.draftChanged)))
        }
    }

    /// These channels are gone for this user, so their drafts are removed.
    func forget(_ urls: [ChannelURL], _ turn: inout Turn) {
        for place in urls.flatMap(texts.places) {
            texts[place] = nil
            unstored.insert(place)
        }
        store(&turn)
    }

    /// All data of this user was removed from the disk, with the drafts.
    func forgetAll(_ turn: inout Turn) {
        let urls = texts.channelURLs
        texts.removeAll()
        unstored = []
        turn.add(.timer(.drafts, at: nil))
        for url in urls { turn.add(.shownAgain(channelURL: url, Cause(.draftChanged))) }
    }

    // MARK: Disk

    /// Stores changed drafts, now or when the pause is over.
    func store(_ turn: inout Turn) {
        guard !unstored.isEmpty else { return }
        let now = turn.now.monotonic
        guard now >= storesAt else { return turn.add(.timer(.drafts, at: storesAt)) }
        let isDone = storeAll(turn.context)
        storesAt = now + (isDone ? Drafts.storePause : Drafts.failurePause)
        turn.add(.timer(.drafts, at: isDone ? nil : storesAt))
    }

    /// The client closes: the last chance to store drafts.
    func end(_ turn: inout Turn) { if !unstored.isEmpty { _ = storeAll(turn.context) } }

    /// Stores all changed drafts in one transaction; `false` when nothing is stored.
    private func storeAll(_ context: Context) -> Bool {
        let done: Void? = context.storage.intended { (intents) throws(StoreError) in
            try intents.transaction { () throws(StoreError) in
                for place in unstored.sorted() {
                    guard let draft = texts[place] else {
                        try intents.removeDraft(in: place.channelURL, parentID: place.parentID)
                        continue
                    }
                    try intents.keep(StoredDraft(
                        channelURL: place.channelURL, parentID: place.parentID, updatedAt: draft.updatedAt,
                        body: draft.content))
                }
            }
        }
        guard done != nil else { return false }
        unstored = []
        return true
    }
}
