import SyncModel
import SyncStore

/// A page of a service that tells no places, adapted to what is cached: its messages get places, and its range gets
/// positions, which the service does not know.
///
/// A cached message keeps its place if it is in one of three chunks: the one that the page extends, the one that the
/// page has met, or the one that the stream extends, which has messages in the order in which they came. When a page of
/// one range runs into another chunk that is at a different place, message times were wrong: that chunk does not count
/// as complete any more, and its messages get the places that pages say. A page may be ahead of the stream, which has
/// not told yet that the first messages of its chunk are deleted: then the page meets this chunk at the first message
/// that is left.
struct SequencePage {
    /// Why the page was asked for.
    enum Road: Equatable {
        case page(from: HistoryEdge, PageDirection)
        /// The first page at a place that no chunk covers.
        case around(MessagePosition)
        /// The stream skipped messages, and goes on after this page.
        case newest
    }

    private(set) var page: MessagePage
    /// Messages of the page that are cached at another place, and stay there.
    private(set) var elsewhere: [MessageRecord] = []
    private(set) var chunks: ChunkList
    /// A range by which a chunk was extended in which the service has no message: cached messages there are to be
    /// deleted.
    private(set) var emptied: ClosedRange<MessagePosition>?

    private let channel: Int64
    private let cache: CacheStore
    /// The page ran into the chunk that the stream extends, and was cut there, so there is no token for its end.
    private var isCut = false
    private var held: [MessageID: MessagePosition] = [:]

    /// `nil`: the edge from which the page was asked does not exist any more.
    init?(
        _ page: MessagePage, by road: Road, _ chunks: ChunkList, channel: Int64, _ cache: CacheStore
    ) throws(StoreError) {
        self.page = page
        self.chunks = chunks
        self.channel = channel
        self.cache = cache
        var seen: Set<MessageID> = []
        self.page.messages = page.messages.filter { seen.insert($0.id).inserted }
        for message in self.page.messages {
            held[message.id] = try cache.message(id: message.id, channel: channel)?.position
        }
        switch road {
        case .page(let edge, .previous):
            guard let index = chunks.chunks.firstIndex(where: { $0.start == edge }) else { return nil }
            if try !isWithinAnother(index, .previous) { try placeOlder(index) }
        case .page(let edge, .next):
            guard let index = chunks.chunks.firstIndex(where: { $0.end == edge }) else { return nil }
            if try !isWithinAnother(index, .next) { try placeNewer(index) }
        case .around(let place):
            if chunks.index(covering: place) != nil { return nil }
            try placeAround(place)
        case .newest: placeNewest()
        }
    }

    // MARK: What is held

    /// The chunk in which a message of the page is cached.
    private func home(_ message: MessageRecord) -> Int? {
        held[message.id].flatMap { chunks.index(covering: $0) }
    }

    /// The chunk that the stream extends.
    private var open: Int? { chunks.last?.reachedNewest == true ? chunks.chunks.count - 1 : nil }

    /// The outermost message of a chunk.
    private func outermost(_ index: Int, _ direction: PageDirection) throws(StoreError) -> MessagePosition? {
        let chunk = chunks.chunks[index]
        return try cache.outermost(
            direction, from: chunk.reachedFirst ? .first : chunk.start.position,
            through: chunk.reachedNewest ? .last : chunk.end.position, channel: channel)
    }

    /// For `.next`: whether the page begins inside a chunk, or at its last message, and goes on behind it. For
    /// `.previous` the same in the other direction.
    private func isContinuation(of index: Int, _ direction: PageDirection) throws(StoreError) -> Bool {
        let near = direction == .next ? page.messages.first : page.messages.last
        guard page.messages.count > 1, let near, home(near) == index else { return false }
        let pair = direction == .next ? page.messages.prefix(2) : page.messages.suffix(2)
        if pair.allSatisfy({ home($0) == index }) { return true }
        return try outermost(index, direction) == held[near.id]
    }

    /// Other chunks that the page runs into or begins in: those of which it has an outermost message, or nothing else.
    private func runInto(from index: Int?) throws(StoreError) -> Set<Int> {
        let homes = page.messages.map(home)
        var result: Set<Int> = []
        for other in Set(homes.compactMap { $0 }) where other != index {
            let ends = [try outermost(other, .previous), try outermost(other, .next)]
            let hasEnd = page.messages.contains { held[$0.id].map { ends.contains($0) } ?? false }
            if hasEnd || homes.allSatisfy({ $0 == other }) { result.insert(other) }
        }
        return result
    }

    /// Whether a chunk without a message lies within another one; then it is forgotten, and the page is empty.
    private mutating func isWithinAnother(_ index: Int, _ direction: PageDirection) throws(StoreError) -> Bool {
        let isBack = direction == .previous
        guard let near = isBack ? page.messages.last : page.messages.first, let other = home(near), other != index,
            page.messages.allSatisfy({ home($0) == other }), try outermost(index, .next) == nil,
            try outermost(other, isBack ? .next : .previous) != held[near.id]
        else { return false }
        for message in page.messages { keep(message) }
        forget([index])
        page = MessagePage(messages: [], range: nil, reachedFirst: false, reachedNewest: false)
        return true
    }

    /// These chunks are not complete, or not at the right place.
    private mutating func forget(_ indices: Set<Int>) { chunks.forget(indices) }

    private func rows(_ messages: [MessageRecord]) -> [SequencePlaces.Row] {
        // The place of a message outside every chunk is only a hint, from before the stream broke.
        messages.map { SequencePlaces.Row(time: SequencePlaces.time($0), held: held[$0.id]) }
    }

    private mutating func keep(_ message: MessageRecord) {
        var message = message
        if let place = held[message.id] { message.position = place }
        elsewhere.append(message)
    }

    private mutating func give(_ places: [MessagePosition], to messages: [MessageRecord]) {
        page.messages = zip(messages, places).map { message, place in
            var message = message
            message.position = place
            return message
        }
    }

    // MARK: Roads

    private mutating func placeOlder(_ asked: Int) throws(StoreError) {
        let start = chunks.chunks[asked].start
        var isMet = asked > 0 && page.range?.start == chunks.chunks[asked - 1].end
        // A single message inside another chunk came late, and keeps its place.
        var lost = try runInto(from: asked).filter { $0 != asked - 1 && $0 != open }
        // If the page runs into a farther chunk without meeting the nearer ones, these cannot be in between.
        if !isMet, let farthest = lost.min(), farthest < asked { lost.formUnion(farthest..<asked) }
        if page.reachedFirst, !isMet { lost.formUnion(0..<asked) }
        forget(lost)
        let index = asked - lost.count { $0 < asked }
        // Messages older than the chunk that the page has run into are before that chunk.
        if let place = page.messages.firstIndex(where: { home($0) == index - 1 }) {
            page.messages.removeSubrange(..<place)
        }
        var new: [MessageRecord] = []
        for message in page.messages {
            guard let home = home(message) else {
                new.append(message)
                continue
            }
            if home == index - 1 { isMet = true }
            keep(message)
        }
        page.reachedFirst = page.reachedFirst && !isMet
        let isEnd = page.reachedFirst
        let lower = index > 0 ? chunks.chunks[index - 1].end : nil
        var places = SequencePlaces.before(start.position, behind: lower?.position, rows(new), isEnd: isEnd)
        if places == nil, lower != nil {
            forget([index - 1])
            isMet = false
            places = SequencePlaces.before(start.position, behind: nil, rows(new), isEnd: isEnd)
        }
        give(places ?? [], to: new)
        let token = page.range?.start.token ?? ""
        let first = HistoryEdge(page.messages.first?.position ?? start.position, token: token)
        page.range = (isMet ? lower ?? first : first, start)
        page.reachedNewest = false
    }

    private mutating func placeNewer(_ asked: Int) throws(StoreError) {
        let end = chunks.chunks[asked].end
        var isMet = asked + 1 < chunks.chunks.count && page.range?.end == chunks.chunks[asked + 1].start
        let last = chunks.chunks.count - 1
        var lost = try runInto(from: asked).filter { $0 != asked + 1 }
        if !isMet, let farthest = lost.max(), farthest > asked { lost.formUnion((asked + 1)...farthest) }
        if page.reachedNewest, !isMet, asked < last { lost.formUnion((asked + 1)...last) }
        if let open { lost.remove(open) }
        forget(lost)
        let asked = asked - lost.count { $0 < asked }
        // The stream tells what follows the first message of its chunk. This chunk may have lost the token at which the
        // page would have ended.
        try cutAtOpenChunk(from: asked)
        if isCut, asked + 1 == open { isMet = true }
        // The page meets the chunk: the messages that it would have run into are deleted, which the stream has not told
        // yet.
        if page.reachedNewest, asked + 1 == open { isMet = true }
        if let place = page.messages.lastIndex(where: { home($0) == asked + 1 }), asked + 1 != open {
            page.messages.removeSubrange((place + 1)...)
        }
        var new: [MessageRecord] = []
        for message in page.messages {
            guard let home = home(message) else {
                new.append(message)
                continue
            }
            if home == asked + 1, home != open { isMet = true }
            keep(message)
        }
        page.reachedNewest = page.reachedNewest && !isMet && asked == chunks.chunks.count - 1
        let isEnd = page.reachedNewest
        let upper = asked + 1 < chunks.chunks.count ? chunks.chunks[asked + 1].start : nil
        guard let places = try places(behind: asked, before: upper?.position, rows(new), isEnd: isEnd) else {
            // No room: the range is asked for again from a chunk beside which there is some.
            forget([asked])
            page = MessagePage(messages: [], range: nil, reachedFirst: false, reachedNewest: false)
            return
        }
        give(places, to: new)
        let token = isCut ? "" : page.range?.end.token ?? ""
        let far = HistoryEdge(max(page.messages.last?.position ?? end.position, end.position), token: token)
        page.range = (end, isMet ? upper ?? far : far)
        page.reachedFirst = false
    }

    private func places(
        behind index: Int, before upper: MessagePosition?, _ rows: [SequencePlaces.Row], isEnd: Bool
    ) throws(StoreError) -> [MessagePosition]? {
        let end = chunks.chunks[index].end.position
        if let places = SequencePlaces.behind(end, before: upper, rows, isEnd: isEnd) { return places }
        // The chunk may extend beyond its last message, and there is room directly behind that message.
        guard let last = try outermost(index, .next), last < end else { return nil }
        return SequencePlaces.behind(last, before: upper, rows, isEnd: isEnd)
    }

    /// Removes messages from the page that are in the chunk that the stream extends: from the first message of that
    /// chunk on. This first message may be deleted, which the stream has not told yet; then from where all the rest of
    /// the page is cached in that chunk.
    private mutating func cutAtOpenChunk(from index: Int?) throws(StoreError) {
        guard let open, open != index else { return }
        let rest = page.messages.reversed().prefix { home($0) == open }.count
        var start: Int?
        if let first = try outermost(open, .previous) {
            start = page.messages.firstIndex { held[$0.id] == first }
        }
        if start == nil, rest == 1, !page.reachedNewest, let last = page.messages.last,
            index != nil || page.messages.count > 1
        {
            // It may have come late, or be the first message left: in both cases its place is where the page has it.
            // The rest of the chunk may begin behind it, so the token is asked for again by the message at that edge.
            held[last.id] = nil
            _ = chunks.find("", of: chunks.chunks[open].start, .previous)
        } else if start == nil, rest > 0 {
            start = page.messages.count - rest
        }
        guard let place = start else { return }
        for message in page.messages[place...] where held[message.id] != nil { keep(message) }
        page.messages.removeSubrange(place...)
        isCut = true
    }

    private mutating func placeAround(_ place: MessagePosition) throws(StoreError) {
        try cutAtOpenChunk(from: nil)
        if isCut { page.reachedNewest = false }
        if page.messages.isEmpty, !elsewhere.isEmpty { return reach(open, place) }
        let homes = page.messages.map(home)
        if let whole = homes.first ?? nil, homes.allSatisfy({ $0 == whole }) {
            if page.reachedNewest, !SequencePlaces.isTime(place.order) { return try end(whole) }
            for message in page.messages { keep(message) }
            page.messages = []
            return reach(whole, place)
        }
        // The page extends a chunk beside the place; other chunks that it runs into are at a wrong place.
        let below = chunks.index(atOrBelow: place)
        let above = (below ?? -1) + 1
        if let below, below != open, try isContinuation(of: below, .next) {
            return try lengthen(below, .next, to: place)
        }
        if above < chunks.chunks.count, above != open, try isContinuation(of: above, .previous) {
            return try lengthen(above, .previous, to: place)
        }
        forget(try runInto(from: open))
        stand(apart: place)
    }

    private mutating func lengthen(
        _ index: Int, _ direction: PageDirection, to place: MessagePosition
    ) throws(StoreError) {
        if direction == .next { try placeNewer(index) } else { try placeOlder(index) }
        guard var range = page.range, SequencePlaces.isTime(place.order) else { return }
        if direction == .next, !chunks.chunks.contains(where: { $0.start == range.end }) {
            range.end.position = max(range.end.position, place)
        }
        if direction == .previous, !chunks.chunks.contains(where: { $0.end == range.start }) {
            range.start.position = min(range.start.position, place)
        }
        page.range = range
    }

    /// All messages of the page are cached in one chunk, so this chunk reaches the place that was asked about; chunks
    /// in between are forgotten.
    private mutating func reach(_ index: Int?, _ place: MessagePosition) {
        page.range = nil
        (page.reachedFirst, page.reachedNewest) = (false, false)
        guard let index, SequencePlaces.isTime(place.order) else { return }
        let below = chunks.index(atOrBelow: place) ?? -1
        let between = below < index ? (below + 1)..<index : (index + 1)..<(below + 1)
        forget(Set(between))
        let new = below < index ? index - between.count : index
        let chunk = chunks.chunks[new]
        emptied = below < index
            ? place...max(place, chunk.start.position.predecessor)
            : min(place, chunk.end.position.successor)...place
        chunks.stretch(new, to: place)
    }

    /// All messages of the newest page are cached in one chunk, so this chunk has reached the newest: there is no time
    /// to which it could be stretched. What it has behind the page is deleted.
    private mutating func end(_ index: Int) throws(StoreError) {
        let end = chunks.chunks[index].end.position
        if let newest = page.messages.compactMap({ held[$0.id] }).max(), newest < end {
            emptied = newest.successor...end
        }
        try placeNewer(index)
    }

    /// The page becomes a chunk of its own, between the chunks beside a place.
    private mutating func stand(apart place: MessagePosition) {
        var new: [MessageRecord] = []
        for message in page.messages { if home(message) == nil { new.append(message) } else { keep(message) } }
        if page.reachedFirst { forget(Set(0..<((chunks.index(atOrBelow: place) ?? -1) + 1))) }
        let next = (chunks.index(atOrBelow: place) ?? -1) + 1
        if page.reachedNewest, open == nil { forget(Set(next..<chunks.chunks.count)) }
        let upper = next < chunks.chunks.count ? chunks.chunks[next].start.position : nil
        page.reachedNewest = page.reachedNewest && upper == nil
        var places: [MessagePosition]?
        while places == nil {
            let below = chunks.index(atOrBelow: place)
            places = SequencePlaces.behind(
                below.map { chunks.chunks[$0].end.position }, before: upper, rows(new), isApart: true,
                isEnd: page.reachedNewest)
            guard places == nil else { break }
            // There is no room beside this chunk, so it is forgotten.
            guard let below else { break }
            forget([below])
        }
        give(places ?? [], to: new)
        guard let range = page.range else { return }
        var start = page.messages.first?.position ?? bottom(at: place, range)
        var end = page.messages.last?.position ?? start
        if SequencePlaces.isTime(place.order) { (start, end) = (min(start, place), max(end, place)) }
        page.range = (
            HistoryEdge(start, token: range.start.token), HistoryEdge(end, token: isCut ? "" : range.end.token)
        )
    }

    /// The place of a range whose page has no message left, since they were deleted meanwhile. If `place` is not a
    /// possible time, new messages would have no room beside it, so another one is chosen.
    private func bottom(
        at place: MessagePosition, _ range: (start: HistoryEdge, end: HistoryEdge)
    ) -> MessagePosition {
        if SequencePlaces.isTime(place.order) { return place }
        let below = chunks.index(atOrBelow: place)
        let claimed = range.end.position.order
        var order = SequencePlaces.isTime(claimed) ? claimed : 0
        if let below { order = max(order, chunks.chunks[below].end.position.order + 1) }
        let next = (below ?? -1) + 1
        if next < chunks.chunks.count { order = min(order, chunks.chunks[next].start.position.order - 1) }
        return MessagePosition(order: order, tie: 0)
    }

    private mutating func placeNewest() {
        guard let range = page.range else { return }
        var new: [MessageRecord] = []
        for message in page.messages { if home(message) == nil { new.append(message) } else { keep(message) } }
        let last = chunks.last?.end.position
        let places = SequencePlaces.behind(last, before: nil, rows(new), isApart: true, isEnd: true) ?? []
        give(places, to: new)
        let bottom = last.map { MessagePosition(order: $0.order + 1, tie: 0) } ?? MessagePosition(order: 0, tie: 0)
        page.range = (
            HistoryEdge(places.first ?? bottom, token: range.start.token),
            HistoryEdge(places.last ?? bottom, token: range.end.token)
        )
    }
}
