import SyncModel
import SyncStore

/// The differences for a service whose changes are in its stream, and for one whose messages are placed by the client
/// (`ServiceCapabilities.Placement.bySequence`).
extension History {
    /// Stores a page: its rows, the deletions inside its range, and the range. `road`: why the page was asked for,
    /// which says where it belongs when the service does not.
    mutating func take(
        _ page: MessagePage, by road: SequencePage.Road, _ rules: any ServiceRules, _ cache: CacheStore
    ) throws(StoreError) -> PageOutcome {
        guard isBySequence else { return try take(page, rules, cache) }
        var page = page
        page.messages = crossings.applied(to: page.messages, rules)
        guard let placed = try SequencePage(page, by: road, chunks, channel: channelKey, cache) else {
            return PageOutcome(rows: [], gone: [])
        }
        adopt(placed.chunks)
        let elsewhere = try RelatedMessages.folded(placed.elsewhere, into: self, rules, cache)
        try cache.upsert(elsewhere, channel: channelKey)
        var outcome = try take(placed.page, rules, cache, besides: Set(elsewhere.map(\.id)))
        if placed.page.range == nil { try saveChunks(cache) }
        outcome.rows += elsewhere
        if let range = placed.emptied {
            let gone = try cache.messageReferences(
                channel: channelKey, from: range.lowerBound, through: range.upperBound).map(\.id)
            try cache.deleteMessages(ids: gone, channel: channelKey)
            outcome.gone += gone
        }
        return outcome
    }

    /// The chunk inside which a page of the newest messages lies.
    func chunk(holding page: MessagePage, _ cache: CacheStore) throws(StoreError) -> Int? {
        guard isBySequence else {
            return page.range.flatMap { chunks.index(from: $0.start.position, through: $0.end.position) }
        }
        var index: Int?
        for message in page.messages {
            guard let place = try cache.message(id: message.id, channel: channelKey)?.position,
                let found = chunks.index(covering: place), found == index ?? found
            else { return nil }
            index = found
        }
        // A message that came late may be cached elsewhere with a page; it does not show that the hole of the stream is
        // filled.
        guard let index, index == chunks.chunks.count - 1, let last = page.messages.last else { return nil }
        let newest = try cache.outermost(
            .next, from: chunks.chunks[index].start.position, through: .last, channel: channelKey)
        return try cache.message(id: last.id, channel: channelKey)?.position == newest ? index : nil
    }

    /// The waiting messages that are newer than a page that has reached the newest, where the client places messages.
    /// The page may be ahead of the stream, which then tells of messages that are older than the page. So a waiting
    /// message is newer only if it was told after one that is in the page, or in the chunk that the page extends; if
    /// there is no such one, only if it was told after the page was asked for. `nil`: this does not decide for all of
    /// them, and another page has to be asked for.
    mutating func newerStrays(
        than page: MessagePage, endingAt end: MessagePosition, besides others: Set<MessageID>, _ cache: CacheStore
    ) throws(StoreError) -> [MessageRecord]? {
        guard isBySequence, page.reachedNewest else { return [] }
        let start = page.range?.start.position
        let known = others.union(page.messages.map(\.id))
        var newer: [MessageRecord] = []
        var isSure = page.reachedFirst
        for (index, message) in strays.enumerated() {
            let held = try cache.message(id: message.id, channel: channelKey)?.position
            let home = held.flatMap { chunks.index(covering: $0) }
            if known.contains(message.id) || home.map({ chunks.chunks[$0].end.position == start }) ?? false {
                (newer, isSure) = ([], true)
            } else if home == nil, isSure || index >= doubted {
                newer.append(message)
            }
        }
        if isSure || newer.isEmpty { return placed(newer, behind: end) }
        doubted = strays.count
        return nil
    }

    /// Gives messages places behind a position.
    private func placed(_ messages: [MessageRecord], behind end: MessagePosition) -> [MessageRecord] {
        let rows = messages.map { SequencePlaces.Row(time: SequencePlaces.time($0)) }
        let places = SequencePlaces.behind(end, before: nil, rows, isEnd: true) ?? []
        return zip(messages, places).map { message, place in
            var message = message
            message.position = place
            return message
        }
    }

    /// The service told the token of an edge again; `nil`: there is none, and the chunk cannot be extended from there.
    mutating func found(
        _ token: String?, of edge: HistoryEdge, _ direction: PageDirection, _ cache: CacheStore
    ) throws(StoreError) {
        var next = chunks
        if let token {
            _ = next.find(token, of: edge, direction)
        } else {
            let isStart = direction == .previous
            next.forget(Set(chunks.chunks.indices.filter {
                (isStart ? chunks.chunks[$0].start : chunks.chunks[$0].end) == edge
            }))
        }
        adopt(next)
        try saveChunks(cache)
    }

    /// The place of a message that the service told.
    enum SequencePlace {
        case held(MessagePosition)
        case new(MessagePosition)
        /// After the page that will say which message is the newest.
        case waits
        /// The stream or a page will say where.
        case later
    }

    func sequencePlace(
        of message: MessageRecord, isInOrder: Bool, _ cache: CacheStore
    ) throws(StoreError) -> SequencePlace {
        let held = try cache.message(id: message.id, channel: channelKey)
        if let held, chunks.index(covering: held.position) != nil { return .held(held.position) }
        if !isInOrder { return .later }
        guard let last = chunks.last, last.reachedNewest else { return .waits }
        // A message that is cached outside every chunk loses its old place.
        if held != nil { try cache.deleteMessages(ids: [message.id], channel: channelKey) }
        let row = SequencePlaces.Row(time: SequencePlaces.time(message))
        let places = SequencePlaces.behind(last.end.position, before: nil, [row], isEnd: true)
        return .new(places?.first ?? last.end.position.successor)
    }
}
