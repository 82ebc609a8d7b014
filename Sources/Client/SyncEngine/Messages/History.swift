import SyncModel
import SyncStore

/// What the cache has of one channel's messages, and where that is complete.
///
/// The problem. Messages come in four ways: by pages in two directions from a viewpoint, by the socket, by the change
/// log after a reconnect, and by the answer to an own send. Pages are old when they arrive; the socket only tells what
/// happens now.
///
/// The rules.
/// - Pages extend a chunk (see `ChunkList`); rows, deletions inside the range, and the range commit together.
/// - A socket message extends the chunk that has reached the newest. If there is none, it waits in `strays`: when a
///   page reaches the newest in the same session, everything since that page was made has come by socket, so page and
///   strays together are complete.
/// - The answer to an own send comes by the socket, in order. A message that the host sent by itself may overtake
///   others on the socket: it is stored, but the chunk is complete only up to `sureEnd`, and after a lost connection
///   the gap is asked for from there.
/// - The service may change a message's time, so that it moves behind the newest one known. This tells nothing of what
///   comes before its new place: it is stored, and the chunk is complete only as far as before.
/// - Facts that came while a page was under way are newer than the page (`Crossings`).
/// - After a lost connection it is not known which message is the newest, except where the event stream goes on where
///   it ended (`keepsNewest`): there the chunk that has reached the newest goes on growing, over restarts too, until
///   the service says that the stream broke.
///
/// A value: a transaction works on a copy, which replaces this one after the commit. So memory never claims more than
/// the file.
struct History {
    private static let strayLimit = 1000

    /// The key under which the messages are stored: the channel's, or the thread's.
    let channelKey: Int64
    /// The id of a thread's parent message, else empty. The parent is stored with the replies, and no page brings it.
    let parentID: MessageID
    /// The stream of events goes on over sessions and restarts (`ServiceCapabilities.Changes.inStream`).
    let keepsNewest: Bool
    /// The client gives messages their places (`ServiceCapabilities.Placement.bySequence`).
    let isBySequence: Bool
    /// Messages are stored with their relations folded in (`ServiceCapabilities.hasRelations`).
    let hasRelations: Bool
    private(set) var chunks: ChunkList
    var crossings = Crossings()
    /// How many messages were stored since this history was loaded from the file, or last forgotten.
    private(set) var stored: Int64 = 0

    private var onDisk: [StoredChunk]
    private(set) var strays: [MessageRecord] = []
    /// How many strays came before the page was asked for that is to decide where they belong.
    var doubted = 0
    /// Some strays were dropped, or messages may have come without being told. So the newest must be asked for again,
    /// also when a page under way says that it has reached the newest.
    private var hasLostStrays = false
    /// Messages that the host told and this client's connection did not yet: older ones may be on their way.
    private var outOfOrder: Set<MessageID> = []
    /// Messages that were cached and were missing from a later page of their place, with that place: they were deleted,
    /// moved, or hidden from this user. An edit that names the same place did not move the message there.
    private var absent: [MessageID: MessagePosition] = [:]
    /// Ids of messages that the service told to be deleted: a late answer must not bring one back.
    private var deleted: Set<MessageID> = []
    private static let deletedLimit = 10_000
    /// How far the chunk that has reached the newest is complete even if the connection is lost: up to its end, or less
    /// far because of messages out of order and moved ones.
    private var sureEnd: MessagePosition?
    /// Set while the answer to an own send is awaited. The socket does not tell own messages, so after a lost answer an
    /// own message may be missing behind this position. Until the answer has come the file is complete only up to here,
    /// and so is memory if the session ends first.
    private var send = Send.none

    private enum Send {
        case none
        /// At the send the newest was not known: the first page that reaches it says up to where the chunk is sure.
        case sinceNextPage
        case since(MessagePosition)
    }

    init(
        channelKey: Int64, parentID: MessageID = "", stored: [StoredChunk], _ capabilities: ServiceCapabilities
    ) {
        self.channelKey = channelKey
        self.parentID = parentID
        let keepsNewest = capabilities.messageChanges == .inStream
        self.keepsNewest = keepsNewest
        isBySequence = capabilities.placement == .bySequence
        hasRelations = capabilities.hasRelations
        onDisk = stored
        chunks = ChunkList(stored.map {
            .init(
                start: $0.start, end: $0.end, reachedFirst: $0.reachedFirst,
                reachedNewest: keepsNewest && $0.isOpenEnded)
        })
    }

    /// How far the history is complete at its newest end in this session; `nil` when that is not known.
    private var newestEdge: MessagePosition? {
        guard let last = chunks.last, last.reachedNewest else { return nil }
        return sureEnd ?? last.end.position
    }

    /// Whether an own message of a page may be one that waits in the outbox. Where messages are accepted before their
    /// places are known, the service may not tell the request id.
    func mayBeAwaited(_ message: MessageRecord) -> Bool { keepsNewest || !message.requestID.isEmpty }

    // MARK: Pages

    struct PageOutcome {
        /// The stored messages, in no order: some may have been moved meanwhile.
        var rows: [MessageRecord]
        /// Messages that the cache had inside the page's range and the service does not.
        var gone: [MessageID]
    }

    /// Stores a page: its rows, the deletions inside its range, and the range. Its messages have places. `others`:
    /// messages of the page that are cached at another place.
    mutating func take(
        _ page: MessagePage, _ rules: any ServiceRules, _ cache: CacheStore, besides others: Set<MessageID> = []
    ) throws(StoreError) -> PageOutcome {
        guard let range = PageRange(page) else { return PageOutcome(rows: [], gone: []) }
        var added = ChunkList.Chunk(
            start: range.start, end: range.end, reachedFirst: page.reachedFirst, reachedNewest: page.reachedNewest)
        if added.reachedNewest, hasLostStrays {
            // Some strays were dropped meanwhile: one more page has to bring them.
            added.reachedNewest = false
            hasLostStrays = false
        }
        let newer = try newerStrays(than: page, endingAt: added.end.position, besides: others, cache)
        if newer == nil { added.reachedNewest = false }
        forgetNewest(before: added)
        // Where the client places messages, its pages have the crossings applied already.
        var rows = isBySequence ? page.messages : crossings.applied(to: page.messages, rules)
        if added.reachedNewest {
            if case .sinceNextPage = send { send = .since(added.end.position) }
            let known = Set(rows.map(\.id))
            let behind = isBySequence
                ? newer ?? [] : strays.filter { !known.contains($0.id) && $0.position > range.start.position }
            let inOrder = behind.filter { !outOfOrder.contains($0.id) }.map(\.position)
            sureEnd = (inOrder + [added.end.position, sureEnd].compactMap { $0 }).max()
            (rows, strays, doubted) = (rows + behind, [], 0)
            for message in behind { added.extend(to: message.position) }
        }
        rows = try RelatedMessages.folded(rows, into: self, rules, cache)
        let before = chunks
        chunks.cover(added)
        extendUnsure(to: rows)
        let present = Set(rows.map(\.id))
        let held = try cache.messageReferences(
            channel: channelKey, from: added.reachedFirst ? .first : added.start.position,
            through: added.reachedNewest ? .last : added.end.position)
        let missing = held.filter { !present.contains($0.id) && !others.contains($0.id) && isGone($0, range, before) }
        let (gone, known) = (missing.map(\.id), Set(held.map(\.id)))
        try cache.deleteMessages(ids: gone, channel: channelKey)
        try cache.upsert(rows, channel: channelKey)
        outOfOrder.subtract(page.messages.map(\.id))
        note(missing: missing, present)
        try saveChunks(cache)
        stored += Int64(rows.filter { !known.contains($0.id) }.count)
        return PageOutcome(rows: rows, gone: gone)
    }

    /// A page is newer than all that was told, with messages in between that the connection did not tell: it is dead,
    /// or slower than the answer.
    private mutating func forgetNewest(before added: ChunkList.Chunk) {
        guard let last = chunks.last, last.reachedNewest, last.end.position < added.start.position, !added.reachedFirst
        else { return }
        chunks.forgetNewest(sureEnd: storedEnd)
        sureEnd = nil
    }

    /// Whether a cached message that is not in a page of this range was deleted. `before`: the chunks before the page.
    private func isGone(_ message: MessageReference, _ range: PageRange, _ before: ChunkList) -> Bool {
        guard message.id != parentID, !crossings.isNewer(message.id, isBySequence: isBySequence) else { return false }
        if isBySequence { return before.index(covering: message.position) == nil }
        return keepsNewest ? range.holds(message.position) : range.decides(message.position)
    }

    private mutating func note(missing: [MessageReference], _ present: Set<MessageID>) {
        for id in present { absent[id] = nil }
        if absent.count + missing.count > History.deletedLimit { absent = [:] }
        for message in missing.prefix(History.deletedLimit) { absent[message.id] = message.position }
    }

    /// The stream skips messages: the chunk ends at the service's token, and the history goes on with a page.
    mutating func take(
        hole older: String, _ page: MessagePage, _ rules: any ServiceRules, _ cache: CacheStore
    ) throws(StoreError) -> PageOutcome {
        if let index = try chunk(holding: page, cache) {
            // Pages that were asked for are ahead of the stream and have filled the hole. Their messages are newer.
            if chunks.openLast(index) { try saveChunks(cache) }
            return PageOutcome(rows: [], gone: [])
        }
        chunks.endNewest(token: older)
        (sureEnd, strays, doubted, hasLostStrays) = (nil, [], 0, false)
        var page = page
        if !isBySequence, let end = page.range?.end.position, let last = chunks.last, end < last.end.position {
            // Newer messages are cached already, and something may be missing before them.
            page.reachedNewest = false
        }
        let outcome = try take(page, by: .newest, rules, cache)
        // A page without a message stores nothing.
        if page.range == nil { try saveChunks(cache) }
        return outcome
    }

    // MARK: Facts

    enum Arrival {
        /// The message is not contiguous with a complete range; it is kept in memory.
        case stray(isNew: Bool)
        case known
        case stored
    }

    /// A message arrives; where the client places messages, it gets its place here.
    mutating func arrive(
        _ message: inout MessageRecord, isInOrder: Bool, _ cache: CacheStore
    ) throws(StoreError) -> Arrival {
        var isPlaced = true
        if isBySequence {
            switch try sequencePlace(of: message, isInOrder: isInOrder, cache) {
            case .held(let position):
                message.position = position
                return .known
            case .new(let position): message.position = position
            case .waits: isPlaced = false
            case .later: return .stray(isNew: false)
            }
        }
        // A late answer to an own send may lie inside a chunk: the service had the message all along.
        if isInOrder { outOfOrder.remove(message.id) } else { outOfOrder.insert(message.id) }
        guard isPlaced, let place = chunks.index(covering: message.position) else {
            guard !strays.contains(where: { $0.id == message.id }) else { return .stray(isNew: false) }
            strays.append(message)
            if strays.count > History.strayLimit {
                strays.removeFirst()
                doubted = max(0, doubted - 1)
                hasLostStrays = true
            }
            return .stray(isNew: true)
        }
        var chunk = chunks.chunks[place]
        chunk.extend(to: message.position)
        if isInOrder, let sure = sureEnd { sureEnd = max(sure, message.position) }
        chunks.cover(chunk)
        let isKnown = try cache.message(id: message.id, channel: channelKey) != nil
        if !isKnown {
            try cache.upsert([message], channel: channelKey)
            stored += 1
        }
        try saveChunks(cache)
        return isKnown ? .known : .stored
    }

    /// Returns the cached messages that changed. `isInOrder`: everything older has been told, too.
    mutating func edit(
        _ messages: [MessageRecord], isInOrder: Bool, _ rules: any ServiceRules, _ cache: CacheStore
    ) throws(StoreError) -> [MessageRecord] {
        var changed: [MessageRecord] = []
        for var message in messages {
            if let index = strays.firstIndex(where: { $0.id == message.id }) {
                message.json = rules.edited(message.json, from: strays[index].json)
                strays[index] = message
            }
            if let held = try cache.message(id: message.id, channel: channelKey) {
                message.json = rules.edited(message.json, from: held.json)
                if isBySequence { message.position = held.position }
                if held.updatedAt <= message.updatedAt { changed.append(message) }
            } else if isBySequence, message.id != parentID {
                continue
            } else if message.id == parentID
                || absent[message.id] != message.position && isComplete(at: message.position, isInOrder)
            {
                // The message was not cached, and its place is now in a complete range: the service changed its time.
                changed.append(message)
            }
        }
        try cache.upsert(changed, channel: channelKey)
        guard let last = chunks.last, changed.contains(where: { last.end.position < $0.position })
        else { return changed }
        extendUnsure(to: changed)
        // In the file, an open-ended chunk would end at a moved message.
        try saveChunks(cache)
        return changed
    }

    /// Some of these messages may have been moved behind the newest one known. While the connection lives, it tells the
    /// messages in between; `sureEnd` stays, because after a lost connection they may be missing.
    private mutating func extendUnsure(to messages: [MessageRecord]) {
        guard var last = chunks.last, last.reachedNewest else { return }
        for message in messages where message.id != parentID { last.extend(to: message.position) }
        if last != chunks.last { chunks.cover(last) }
    }

    /// Whether a message that is not cached belongs into a complete range. A message that may have overtaken others
    /// does not if its place is behind the newest one known.
    private func isComplete(at position: MessagePosition, _ isInOrder: Bool) -> Bool {
        guard let place = chunks.index(covering: position) else { return false }
        let chunk = chunks.chunks[place]
        return isInOrder || !chunk.reachedNewest || position <= sureEnd ?? chunk.end.position
    }

    /// Returns the message as it is now, if it is cached.
    mutating func patch(
        _ id: MessageID, _ patch: MessagePatch, _ rules: any ServiceRules, _ cache: CacheStore
    ) throws(StoreError) -> MessageRecord? {
        if let index = strays.firstIndex(where: { $0.id == id }),
            let json = rules.apply(patch, to: strays[index].json)
        {
            strays[index].json = json
        }
        guard var held = try cache.message(id: id, channel: channelKey), let json = rules.apply(patch, to: held.json)
        else { return nil }
        held.json = json
        try cache.upsert([held], channel: channelKey)
        return held
    }

    /// Whether the service told that a message was deleted, since this history is open.
    func hasDeleted(_ id: MessageID) -> Bool { deleted.contains(id) }

    /// The service shows a message that it called absent earlier, when this user was not a member.
    mutating func isShown(_ id: MessageID) { deleted.remove(id) }

    /// Removes messages, and returns those that were cached. `isForGood`: the service deleted them; otherwise it moved
    /// them to where this user does not see them, and they may be moved back.
    @discardableResult
    mutating func remove(
        _ ids: [MessageID], isForGood: Bool, _ cache: CacheStore
    ) throws(StoreError) -> [MessageID] {
        guard !ids.isEmpty else { return [] }
        removeStrays { ids.contains($0.id) }
        if isForGood {
            if deleted.count > History.deletedLimit { deleted = [] }
            for id in ids { deleted.insert(id) }
        }
        return try cache.deleteMessages(ids: ids, channel: channelKey)
    }

    private mutating func removeStrays(where isGone: (MessageRecord) -> Bool) {
        doubted -= strays.prefix(doubted).count(where: isGone)
        strays.removeAll(where: isGone)
    }

    /// The history was reset, or messages were purged: older ones are removed.
    mutating func cut(before order: Int64, _ cache: CacheStore) throws(StoreError) {
        chunks.cut(before: order)
        removeStrays { $0.position.order < order }
        try cache.deleteMessages(channel: channelKey, before: order)
        try saveChunks(cache)
    }

    mutating func adopt(_ chunks: ChunkList) { self.chunks = chunks }
    /// Forgets everything, in the file too.
    mutating func clear(_ cache: CacheStore) throws(StoreError) {
        try cache.clearMessages(channel: channelKey)
        forget()
    }

    /// Forgets what memory has; the file has nothing any more either.
    mutating func forget() {
        chunks = ChunkList()
        absent = [:]
        onDisk = []
        stored = 0
        (strays, doubted) = ([], 0)
        hasLostStrays = false
        outOfOrder = []
        sureEnd = nil
        if case .since = send { send = .sinceNextPage }
        crossings = Crossings()
    }

    // MARK: Session

    /// Answers under way will not come. The newest is not known any more, except where the stream goes on.
    mutating func sessionEnded() {
        crossings = Crossings()
        if keepsNewest { return }
        chunks.forgetNewest(sureEnd: storedEnd)
        forgetWhatWaits()
    }

    /// The stream does not go on where it ended: messages may have come, and cached ones may have been edited or
    /// deleted. The rows stay until pages tell what became of them.
    mutating func streamBroke() {
        (chunks, onDisk) = (ChunkList(), [])
        forgetWhatWaits()
    }

    private mutating func forgetWhatWaits() {
        send = .none
        sureEnd = nil
        outOfOrder = []
        (strays, doubted) = ([], 0)
        hasLostStrays = false
    }

    /// Messages that the host told while offline say nothing about what came before and after them: pages bring them.
    mutating func sessionBegan() {
        outOfOrder = []
        if !keepsNewest { strays = [] }
    }

    /// Something may be missing although the connection lives: an own message in flight, whose acknowledgement was
    /// lost.
    mutating func doubtNewest(_ cache: CacheStore) throws(StoreError) {
        // The stream tells of own messages, too.
        if keepsNewest { return }
        guard let last = chunks.last, last.reachedNewest else {
            hasLostStrays = true
            return
        }
        chunks.forgetNewest(sureEnd: storedEnd)
        sureEnd = nil
        try saveChunks(cache)
    }

    /// An own message is sent now, or is in flight when the channel is opened.
    mutating func sendBegan() {
        if keepsNewest { return }
        send = newestEdge.map { .since($0) } ?? .sinceNextPage
    }

    /// The answer to the send, or its timeout, is about to be taken in.
    mutating func sendEnded() { send = .none }

    /// A message could not be stored: messages after it are not contiguous with the cache.
    mutating func loseNewest() {
        chunks.forgetNewest(sureEnd: storedEnd)
        sureEnd = nil
        hasLostStrays = true
    }

    /// Facts about messages could not be stored. The strays in memory may be out of date: a page has to bring them.
    mutating func loseStrays() {
        guard !strays.isEmpty else { return }
        (strays, doubted) = ([], 0)
        hasLostStrays = true
    }

    // MARK: Chunks on disk

    /// How far the chunk that has reached the newest is complete, whatever is lost; `nil`: to its end.
    private var storedEnd: MessagePosition? {
        guard case .since(let position) = send else { return sureEnd }
        return min(position, sureEnd ?? position)
    }

    /// Stores the chunks, only as far as they are complete whatever happens. A chunk that only grows at its newest end
    /// is open-ended in the file, and need not be written again.
    mutating func saveChunks(_ cache: CacheStore) throws(StoreError) {
        var sure = chunks
        sure.forgetNewest(sureEnd: storedEnd)
        let isOpen = chunks.last?.reachedNewest == true && outOfOrder.isEmpty
            && sure.last?.end.position == chunks.last?.end.position
        let last = sure.chunks.indices.last
        let wanted = sure.chunks.indices.map { index in
            let chunk = sure.chunks[index]
            return StoredChunk(
                start: chunk.start, end: chunk.end, reachedFirst: chunk.reachedFirst,
                isOpenEnded: isOpen && index == last)
        }
        let isAsStored = wanted.count == onDisk.count && zip(wanted, onDisk).allSatisfy { wanted, stored -> Bool in
            if wanted == stored { return true }
            return wanted.isOpenEnded && stored.isOpenEnded && wanted.start == stored.start
                && wanted.reachedFirst == stored.reachedFirst
        }
        guard !isAsStored else { return }
        try cache.chunks.set(channel: channelKey, wanted)
        onDisk = wanted
    }
}
