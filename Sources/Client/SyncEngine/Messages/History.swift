import SyncModel
import SyncStore

/// What the cache holds of one channel's messages, and how far that is complete.
///
/// The problem. Messages reach us by four roads: pages asked in two directions from a viewpoint, the socket, the change
/// log after a reconnect, and the answer to an own send. Pages are old the moment they arrive; the socket only tells
/// what happens now.
///
/// The rules.
/// - Pages extend a chunk (see `ChunkList`); rows, deletions inside the range, and the range commit together.
/// - A socket message extends the chunk that has reached the newest. If none has, it waits in `strays`: when a page
///   reaches the newest in the same session, everything since that page was made has come by socket, so page and strays
///   together are complete.
/// - The answer to an own send comes by the socket, in order. What a host sent itself may be told before what the
///   socket still holds: such a message is stored, but the chunk is complete only up to `sureEnd`, and from there the
///   gap is asked for after a loss of the connection.
/// - The service may change a message's time, so that it stands behind the newest one known. That tells nothing of what
///   stands before it: it is stored, and the chunk is complete as far as it was.
/// - What was told while a page was under way is newer than the page (`Crossings`).
/// - A loss of the connection makes "newest" unknown; not where the stream of events goes on where it ended
///   (`keepsNewest`): there the chunk that has reached the newest goes on growing, over restarts too, until the service
///   says that the stream broke.
///
/// A value: what a transaction does is done on a copy, which counts when the transaction is committed. So memory never
/// knows more than the file.
struct History {
    private static let strayLimit = 1000

    /// Under which the messages are filed: the channel's, or the thread's.
    let channelKey: Int64
    /// Of a thread: the message that it answers. It is kept with the replies, and no page brings it.
    let parentID: MessageID
    /// The stream of events goes on over sessions and restarts (`ServiceCapabilities.Changes.inStream`).
    let keepsNewest: Bool
    /// Messages get their places here (`ServiceCapabilities.Placement.bySequence`).
    let isBySequence: Bool
    /// Messages are stored with their relations in them (`ServiceCapabilities.hasRelations`).
    let hasRelations: Bool
    private(set) var chunks: ChunkList
    var crossings = Crossings()
    /// Messages stored by this run, since everything was forgotten last.
    private(set) var stored: Int64 = 0

    private var onDisk: [StoredChunk]
    private(set) var strays: [MessageRecord] = []
    /// How many of them came before the page that is asked for since it was not clear where they stand.
    var doubted = 0
    /// Some of what came was dropped, or may have come without our having been told: newest must be asked for again,
    /// also when a page that is under way says that it has it.
    private var hasLostStrays = false
    /// Messages that a host's own connection told of, and ours has not yet: older ones may still be on their way.
    private var outOfOrder: Set<MessageID> = []
    /// Messages that were held and that the last page of their place did not have, with that place: they were deleted,
    /// moved, or hidden from this user. One that an edit tells of at the same place was not moved there.
    private var absent: [MessageID: MessagePosition] = [:]
    /// Ids of messages that the service told to be deleted: an answer that comes late must not bring one back.
    private var deleted: Set<MessageID> = []
    private static let deletedLimit = 10_000
    /// How far the chunk that has reached the newest is complete whatever happens to the connection: its end, but for
    /// messages out of order and moved ones.
    private var sureEnd: MessagePosition?
    /// While the answer to an own send is awaited: messages behind this position may follow one whose acknowledgement
    /// is lost, and the socket does not tell of own messages. So the file says no more than this before it has come,
    /// and neither do we when the session ends first.
    private var send = Send.none

    private enum Send {
        case none
        /// The newest was not known when it was sent: the first page that reaches it says how far it is sure.
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

    /// What the cache knows of a channel or a thread, which gets a key when it has none. A thread of which nothing is
    /// cached begins with what the channel's cache holds of it.
    static func stored(
        _ id: HistoryID, _ capabilities: ServiceCapabilities, _ cache: CacheStore
    ) throws(StoreError) -> History {
        let channel = try cache.channelKey(id.channelURL)
        guard id.isThread else {
            return History(channelKey: channel, stored: try cache.chunks(channel: channel), capabilities)
        }
        let key = try cache.threadKey(channel: channel, parentID: id.parentID)
        if try cache.chunks(channel: key).isEmpty {
            try cache.copyThread(key, parentID: id.parentID, from: channel)
        }
        return History(channelKey: key, parentID: id.parentID, stored: try cache.chunks(channel: key), capabilities)
    }

    /// The message that a thread answers, when it is cached.
    func parent(_ cache: CacheStore) throws(StoreError) -> MessageRecord? {
        parentID.isEmpty ? nil : try cache.message(id: parentID, channel: channelKey)
    }

    /// How far the history is complete at its newest end in this session; `nil` when that is not known.
    private var newestEdge: MessagePosition? {
        guard let last = chunks.last, last.reachedNewest else { return nil }
        return sureEnd ?? last.end.position
    }

    /// Whether an own message of a page may be one that waits in the outbox. Where messages are accepted before their
    /// places are known, the service may name their requests to nobody.
    func mayBeAwaited(_ message: MessageRecord) -> Bool { keepsNewest || !message.requestID.isEmpty }

    /// How many messages are held of the time at which a chunk ends; less than one, when it has been deleted.
    func held(
        atEndOf chunk: ChunkList.Chunk, _ filter: MessageFilter?, _ cache: CacheStore
    ) throws(StoreError) -> Int {
        let end = chunk.end.position
        let first = MessagePosition(order: end.order, tie: Int64.min)
        guard let filter else { return try cache.messageCount(channel: channelKey, from: first, through: end) }
        return try cache.messagesBefore(
            end.successor, notBefore: first, channel: channelKey, filter: filter, limit: 1000).count
    }

    // MARK: Pages

    struct PageOutcome {
        /// What was stored, in no order: some may have been moved meanwhile.
        var rows: [MessageRecord]
        /// What the cache held inside the page's range and the service does not.
        var gone: [MessageID]
    }

    /// Takes in a page: its rows, the deletions inside the range it covers, and the range. Its messages have places.
    /// `others`: of the page, but held elsewhere.
    mutating func take(
        _ page: MessagePage, _ rules: any ServiceRules, _ cache: CacheStore, besides others: Set<MessageID> = []
    ) throws(StoreError) -> PageOutcome {
        guard let range = page.range ?? emptyRange(page) else { return PageOutcome(rows: [], gone: []) }
        var added = ChunkList.Chunk(
            start: range.start, end: range.end, reachedFirst: page.reachedFirst, reachedNewest: page.reachedNewest)
        if added.reachedNewest, hasLostStrays {
            // Some of what came by socket meanwhile was dropped: one more page has to bring it.
            added.reachedNewest = false
            hasLostStrays = false
        }
        let newer = try newerStrays(than: page, endingAt: added.end.position, besides: others, cache)
        if newer == nil { added.reachedNewest = false }
        if let last = chunks.last, last.reachedNewest, last.end.position < added.start.position, !added.reachedFirst {
            // The connection did not tell what lies between: it is dead, or slower than the answer.
            chunks.forgetNewest(sureEnd: storedEnd)
            sureEnd = nil
        }
        // Those that get their places here are newer than what was told meanwhile.
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
        let missing = held.filter { message in
            !present.contains(message.id) && !others.contains(message.id) && message.id != parentID
                && !crossings.isNewer(message.id, isBySequence: isBySequence)
                && (isBySequence ? before.index(covering: message.position) == nil : keepsNewest
                    ? History.isInside(page, range, message.position)
                    : History.speaks(page, range, for: message.position))
        }
        let (gone, known) = (missing.map(\.id), Set(held.map(\.id)))
        try cache.deleteMessages(ids: gone, channel: channelKey)
        try cache.upsert(rows, channel: channelKey)
        outOfOrder.subtract(page.messages.map(\.id))
        for id in present { absent[id] = nil }
        if absent.count + missing.count > History.deletedLimit { absent = [:] }
        for message in missing.prefix(History.deletedLimit) { absent[message.id] = message.position }
        try saveChunks(cache)
        stored += Int64(rows.filter { !known.contains($0.id) }.count)
        return PageOutcome(rows: rows, gone: gone)
    }

    /// The stream leaves out messages: what is held ends at the service's token, and goes on with a page.
    mutating func take(
        hole older: String, _ page: MessagePage, _ rules: any ServiceRules, _ cache: CacheStore
    ) throws(StoreError) -> PageOutcome {
        if let index = try chunk(holding: page, cache) {
            // Pages that were asked for are ahead of the stream and have filled the hole. What they have is newer.
            if chunks.openLast(index) { try saveChunks(cache) }
            return PageOutcome(rows: [], gone: [])
        }
        chunks.endNewest(token: older)
        (sureEnd, strays, doubted, hasLostStrays) = (nil, [], 0, false)
        var page = page
        if !isBySequence, let end = page.range?.end.position, let last = chunks.last, end < last.end.position {
            // Newer messages are held already, and something may be missing before them.
            page.reachedNewest = false
        }
        let outcome = try take(page, by: .newest, rules, cache)
        // A page without a message stores nothing.
        if page.range == nil { try saveChunks(cache) }
        return outcome
    }

    /// A channel without any message is complete, too.
    private func emptyRange(_ page: MessagePage) -> (start: HistoryEdge, end: HistoryEdge)? {
        guard page.reachedFirst, page.reachedNewest else { return nil }
        let edge = HistoryEdge(MessagePosition(order: 0, tie: 0))
        return (edge, edge)
    }

    /// Whether the page speaks for a position: it lies inside what was answered, not at a far edge where messages of
    /// the same time may have been cut off.
    private static func speaks(
        _ page: MessagePage, _ range: (start: HistoryEdge, end: HistoryEdge), for position: MessagePosition
    ) -> Bool {
        guard let low = page.messages.first?.position, let high = page.messages.last?.position else {
            // An answer without any row says nothing about the edge it was asked from.
            return page.reachedFirst && position < range.start.position
                || page.reachedNewest && position > range.end.position
        }
        return (low <= position || page.reachedFirst) && (position <= high || page.reachedNewest)
    }

    // MARK: Facts

    enum Arrival {
        /// Not contiguous with what is complete; kept in memory.
        case stray(isNew: Bool)
        case known
        case stored
    }

    /// A message may get its place.
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
        // A late answer to an own send may lie inside what is covered already: the service had the message all along.
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

    /// Gives what was changed of what is held. `isInOrder`: everything older has been told, too.
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
                // Not held, and now in a place that is complete: the service changed its time.
                changed.append(message)
            }
        }
        try cache.upsert(changed, channel: channelKey)
        guard let last = chunks.last, changed.contains(where: { last.end.position < $0.position })
        else { return changed }
        extendUnsure(to: changed)
        // An open-ended chunk would end there in the file.
        try saveChunks(cache)
        return changed
    }

    /// Some of these messages may have been moved behind the newest one known. While the connection lives, what they
    /// leave between is told; how far the chunk is complete whatever happens to the connection stays as it is.
    private mutating func extendUnsure(to messages: [MessageRecord]) {
        guard var last = chunks.last, last.reachedNewest else { return }
        for message in messages where message.id != parentID { last.extend(to: message.position) }
        if last != chunks.last { chunks.cover(last) }
    }

    /// Whether a message that is not held fits in where history is complete. One that may have overtaken others does
    /// not behind the newest one known.
    private func isComplete(at position: MessagePosition, _ isInOrder: Bool) -> Bool {
        guard let place = chunks.index(covering: position) else { return false }
        let chunk = chunks.chunks[place]
        return isInOrder || !chunk.reachedNewest || position <= sureEnd ?? chunk.end.position
    }

    /// Gives the message as it is now, when it is held.
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

    /// Whether the service told that a message was deleted, while this was shown.
    func hasDeleted(_ id: MessageID) -> Bool { deleted.contains(id) }

    /// The service shows a message that it said was not there: this user was no member then.
    mutating func isShown(_ id: MessageID) { deleted.remove(id) }

    mutating func delete(_ ids: [MessageID], _ cache: CacheStore) throws(StoreError) {
        doubted -= strays.prefix(doubted).count { ids.contains($0.id) }
        strays.removeAll { ids.contains($0.id) }
        if deleted.count > History.deletedLimit { deleted = [] }
        for id in ids { deleted.insert(id) }
        try cache.deleteMessages(ids: ids, channel: channelKey)
    }

    /// History was reset or retired: what is older goes.
    mutating func cut(before order: Int64, _ cache: CacheStore) throws(StoreError) {
        chunks.cut(before: order)
        doubted -= strays.prefix(doubted).count { $0.position.order < order }
        strays.removeAll { $0.position.order < order }
        try cache.deleteMessages(channel: channelKey, before: order)
        try saveChunks(cache)
    }

    mutating func adopt(_ chunks: ChunkList) { self.chunks = chunks }
    /// Forgets everything, in the file too.
    mutating func clear(_ cache: CacheStore) throws(StoreError) {
        try cache.clearMessages(channel: channelKey)
        forget()
    }

    /// Forgets everything that is known in memory; the file has nothing either.
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

    /// Nothing on its way arrives, and what is newest is not known any more but where the stream goes on later.
    mutating func sessionEnded() {
        crossings = Crossings()
        if keepsNewest { return }
        chunks.forgetNewest(sureEnd: storedEnd)
        forgetWhatWaits()
    }

    /// The stream does not go on where it ended: messages may have come, and what is held may have been edited or
    /// deleted. The rows stay until pages have told what became of them.
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

    /// What was told while offline says nothing about what came before and after it: pages bring it.
    mutating func sessionBegan() {
        outOfOrder = []
        if !keepsNewest { strays = [] }
    }

    /// Something may be missing although the connection lives: the own message under way, whose acknowledgement was
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

    /// An own message goes out, or is on its way when the channel is opened.
    mutating func sendBegan() {
        if keepsNewest { return }
        send = newestEdge.map { .since($0) } ?? .sinceNextPage
    }

    /// Its answer, or the news that none comes in time, is about to be taken in.
    mutating func sendEnded() { send = .none }

    /// What could not be stored is missing: what follows it is not contiguous with the cache.
    mutating func loseNewest() {
        chunks.forgetNewest(sureEnd: storedEnd)
        sureEnd = nil
        hasLostStrays = true
    }

    /// What was told of messages could not be stored. Those that wait in memory may be other than they are held: a page
    /// has to bring them.
    mutating func loseStrays() {
        guard !strays.isEmpty else { return }
        (strays, doubted) = ([], 0)
        hasLostStrays = true
    }

    // MARK: Chunks on disk

    /// How far the chunk that has reached the newest is complete whatever is lost; `nil`: to its end.
    private var storedEnd: MessagePosition? {
        guard case .since(let position) = send else { return sureEnd }
        return min(position, sureEnd ?? position)
    }

    /// Stores how far the cache is complete whatever comes. A chunk that grows at its newest end only is open-ended in
    /// the file, and need not be written again.
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
        let isAsStored = wanted.count == onDisk.count && zip(wanted, onDisk).allSatisfy { wanted, stored in
            wanted == stored || wanted.isOpenEnded && stored.isOpenEnded && wanted.start == stored.start
                && wanted.reachedFirst == stored.reachedFirst
        }
        guard !isAsStored else { return }
        try cache.setChunks(channel: channelKey, wanted)
        onDisk = wanted
    }
}
