import SyncModel
import SyncSendbird
import SyncStore
import TestSupport
import XCTest

@testable import SyncEngine

/// Places of messages of a service that tells none: whatever times they claim, what a chunk holds stands in the order
/// in which the service has it, without a hole.
final class SequencePlacesTests: StoryTestCase {
    // MARK: A place

    private func row(_ time: Int64, held: MessagePosition? = nil) -> SequencePlaces.Row {
        SequencePlaces.Row(time: time, held: held)
    }

    private func place(_ order: Int64, _ steps: Int64 = 0) -> MessagePosition {
        MessagePosition(order: order, tie: steps * SequencePlaces.step)
    }

    func testNewerMessagesNeverGoBack() {
        let rows = [row(7), row(3), row(7), row(9)]
        XCTAssertEqual(
            SequencePlaces.behind(place(5), before: nil, rows, isEnd: true),
            [place(5, 1), place(5, 2), place(7), place(9)])
    }

    func testASingleAbsurdTimeTakesNothingWithIt() {
        XCTAssertEqual(
            SequencePlaces.before(place(9), behind: nil, [row(6), row(7), row(0), row(8)], isEnd: true),
            [place(6), place(7, -1), place(7), place(8)])
        XCTAssertEqual(
            SequencePlaces.before(place(9), behind: nil, [row(0), row(8)], isEnd: false), [place(8, -1), place(8)])
        XCTAssertEqual(
            SequencePlaces.before(place(9), behind: nil, [row(0), row(8)], isEnd: true), [place(0), place(8)])
    }

    func testWhatFillsAHoleStandsBetween() {
        XCTAssertEqual(
            SequencePlaces.before(place(9), behind: place(5), [row(1), row(20)], isEnd: false),
            [place(9, -2), place(9, -1)])
        XCTAssertEqual(
            SequencePlaces.before(place(6), behind: place(5), [row(1), row(5)], isEnd: false),
            [place(6, -2), place(6, -1)])
        XCTAssertEqual(
            SequencePlaces.behind(place(5), before: place(6), [row(9), row(1)], isEnd: false),
            [place(5, 1), place(5, 2)])
    }

    /// A stretch of its own leaves room for what lies before it.
    func testAStretchApartIsAMillisecondAway() {
        XCTAssertEqual(
            SequencePlaces.behind(place(5), before: nil, [row(1), row(2)], isApart: true, isEnd: true),
            [place(6), place(6, 1)])
        XCTAssertNil(SequencePlaces.behind(place(5), before: place(6), [row(1)], isApart: true, isEnd: true))
    }

    func testTimesThatCannotBeAreNone() throws {
        var message = try Letters.message("b")
        message.position.order = Int64.max
        XCTAssertEqual(SequencePlaces.time(message), 253_402_300_799_999)
        message.position.order = Int64.min
        XCTAssertEqual(SequencePlaces.time(message), 0)
    }

    /// One time holds 2^31 messages in each direction, and then the next millisecond.
    func testTiesAreNeverExhausted() {
        let last = MessagePosition(order: 5, tie: Int64.max - 1)
        XCTAssertEqual(SequencePlaces.behind(last, before: nil, [row(5)], isEnd: true), [place(6)])
        let first = MessagePosition(order: 5, tie: Int64.min + 1)
        XCTAssertEqual(SequencePlaces.before(first, behind: nil, [row(5)], isEnd: true), [place(4)])
        XCTAssertNil(SequencePlaces.before(first, behind: place(4), [row(5)], isEnd: true))
    }

    // MARK: Histories

    /// Each history of four messages with lying times: the stream begins somewhere, two places in the past are looked
    /// at, the stream leaves something out, and pages fill everything.
    func testEveryOrderOfTimes() throws {
        let (times, views): ([Int64], [Int64]) = ([10, 20, 30], [5, 15, 25])
        for number in 0..<81 {
            let claimed = [number % 3, number / 3 % 3, number / 9 % 3, number / 27].map { times[$0] }
            for first in views {
                for second in views {
                    var service = try SequenceHistory(claimed, cache, newChannel())
                    do {
                        try service.hole(to: 2, with: 1)
                        try service.around(first)
                        try service.around(second)
                        try service.hole(to: 4, with: 1)
                        try service.fill()
                    } catch {
                        return XCTFail("times \(claimed), views \(first) \(second): \(error)")
                    }
                }
            }
        }
    }

    /// What the stream tells while pages are on their way to the newest, and they bring it, too.
    func testPagesThatMeetWhatWaits() throws {
        var service = try SequenceHistory([10, 20, 30, 40, 50, 60], cache, newChannel())
        try service.look(at: 0..<2, of: 2)
        for _ in 0..<2 { try service.wait() }
        try service.follow(2..<4, of: 5)
        try service.follow(4..<5, of: 5)
        // It was told before the page was asked for, and is not in it: it is older.
        var other = try SequenceHistory([10, 20, 30, 40, 50], cache, newChannel())
        try other.look(at: 0..<0, of: 0)
        for _ in 0..<3 { try other.wait() }
        try other.look(at: 3..<5, of: 5)
        XCTAssertEqual(other.history.chunks.last?.reachedNewest, false)
        try other.follow(5..<5, of: 5)
        XCTAssertEqual(other.history.chunks.last?.reachedNewest, true)
    }

    /// One that waits is deleted: what comes behind it is no older for that.
    func testWhatWaitsBehindAMessageThatIsDeleted() throws {
        var service = try SequenceHistory([10, 20, 30, 40], cache, newChannel())
        try service.look(at: 0..<2, of: 2)
        try service.wait()
        try service.follow(2..<2, of: 2)
        service.delete(2)
        try service.tellDeletions()
        try service.wait()
        try service.follow(3..<3, of: 3)
        XCTAssertEqual(service.history.chunks.last?.reachedNewest, false)
        try service.follow(3..<4, of: 4)
        XCTAssertEqual(service.history.chunks.last?.reachedNewest, true)
    }

    /// The service has deleted the messages at the start of what the stream lengthens, and nobody has told so yet:
    /// pages run into what is behind them.
    func testPagesMeetAStretchThatHasLostItsFirstMessages() throws {
        for gone in [[2], [2, 3], [2, 3, 4]] {
            var service = try SequenceHistory([10, 20, 30, 40, 50], cache, newChannel())
            try service.hole(to: 5, with: 4)
            // Its start has no token to which pages could be bounded.
            try service.trim()
            for index in gone { service.delete(index) }
            try service.around(10)
            for _ in 0..<5 where service.history.chunks.chunks.count > 1 { try service.newer(0, 4) }
            XCTAssertEqual(service.history.chunks.chunks.count, 1, "without \(gone)")
            XCTAssertEqual(service.history.chunks.last?.reachedNewest, true)
        }
    }

    /// All of the newest page was deleted while it was under way: what comes next has places behind it.
    func testANewestPageOfWhichNothingIsLeft() throws {
        var service = try SequenceHistory([10, 20, 30, 40, 50, 60], cache, newChannel())
        for index in 0..<3 { service.delete(index) }
        try service.look(at: 0..<3, of: 3)
        for _ in 0..<3 { try service.arrive() }
        let held = try cache.messageReferences(
            channel: service.history.channelKey, from: .first, through: .last)
        XCTAssertEqual(held.map(\.position), [place(40), place(50), place(60)])
    }

    /// A service need not tell whether a page around a time has the newest message. When all of the newest page is
    /// cached with such a page, what that is part of has reached the newest.
    func testANewestPageThatIsCachedAsAWhole() throws {
        for gone in [[], [4], [3, 4]] {
            var service = try SequenceHistory([10, 20, 30, 40, 50], cache, newChannel())
            service.tellsEnds = false
            try service.lookAround(30, 0..<5)
            XCTAssertEqual(service.history.chunks.last?.reachedNewest, false)
            for index in gone { service.delete(index) }
            try service.newest(2)
            let held = try cache.messageReferences(
                channel: service.history.channelKey, from: .first, through: .last)
            XCTAssertEqual(held.map(\.id), (0..<(5 - gone.count)).map { "$\($0)" }, "without \(gone)")
        }
    }

    func testRandomHistories() throws {
        for seed in Seeds.chosen(usual: 400) {
            var random = SeededGenerator(seed: seed)
            let claimed = (0..<(4 + random.below(10))).map { _ in Int64(random.below(6) * 10) }
            var service = try SequenceHistory(claimed, cache, newChannel())
            service.tellsEnds = seed % 2 == 0
            do {
                for _ in 0..<30 { try service.act(&random) }
                try service.fill()
            } catch {
                return XCTFail("seed \(seed), times \(claimed): \(error)\n\(service.story.joined(separator: "\n"))")
            }
        }
    }
}

/// A channel of a service that knows an order and no places, and a history that learns of it.
struct SequenceHistory {
    struct Wrong: Error, CustomStringConvertible { let description: String }

    private let cache: CacheStore
    private let messages: [MessageRecord]
    private(set) var history: History
    private(set) var story: [String] = []
    /// Up to where the stream has told.
    private var told = 0
    /// Whether a page around a time says that it has the first or the newest message.
    var tellsEnds = true
    /// What the service has deleted, and what the stream has told of that.
    private var gone: Set<MessageID> = []
    private var toldGone: Set<MessageID> = []

    init(_ times: [Int64], _ cache: CacheStore, _ url: ChannelURL) throws {
        self.cache = cache
        messages = times.enumerated().map { index, time in
            MessageRecord(
                id: MessageID("$\(index)"), position: MessagePosition(order: time, tie: 0),
                json: Array(#"{"message_id":"$\#(index)"}"#.utf8))
        }
        let capabilities = ServiceCapabilities(
            channelChanges: .inStream, messageChanges: .inStream, hasGapCheck: false, placement: .bySequence)
        history = try CachedHistory.read(HistoryID(url), capabilities, cache)
    }

    /// A token stands before the message with its number.
    private func edge(_ index: Int, _ time: Int64 = 0) -> HistoryEdge {
        HistoryEdge(MessagePosition(order: time, tie: 0), token: "\(index)")
    }

    private func page(_ range: Range<Int>) -> MessagePage {
        MessagePage(
            messages: messages[range].filter { !gone.contains($0.id) },
            range: (
                edge(range.lowerBound, range.isEmpty ? 0 : messages[range.lowerBound].position.order),
                edge(range.upperBound, range.isEmpty ? 0 : messages[range.upperBound - 1].position.order)
            ), reachedFirst: range.lowerBound == 0, reachedNewest: range.upperBound == told)
    }

    private mutating func take(_ page: MessagePage, by road: SequencePage.Road) throws {
        _ = try history.take(page, by: road, SendbirdRules(), cache)
        try check()
    }

    // MARK: What happens

    mutating func act(_ random: inout SeededGenerator) throws {
        switch random.below(9) {
        case 8: try newest(1 + random.below(3))
        case 0, 1: if told < messages.count { try arrive() }
        case 6:
            if random.below(2) == 0 { try tellDeletions() } else if told > 0 { delete(random.below(told)) }
        case 7: if random.below(2) == 0 { try trim() }
        case 2: try hole(to: min(messages.count, told + 1 + random.below(4)), with: random.below(3))
        case 3: try around(Int64(random.below(60)))
        default:
            let chunks = history.chunks.chunks
            guard !chunks.isEmpty else { return }
            let index = random.below(chunks.count)
            try random.below(2) == 0 ? older(index, 1 + random.below(3)) : newer(index, 1 + random.below(3))
        }
    }

    /// At the service; the stream tells it later.
    mutating func delete(_ index: Int) {
        story.append("delete \(index)")
        gone.insert(messages[index].id)
    }

    mutating func tellDeletions() throws {
        story.append("tell deletions")
        try history.remove(gone.subtracting(toldGone).sorted(), isForGood: true, cache)
        toldGone = gone
        try check()
    }

    /// Room is made: the oldest message goes, and what is complete begins at the next one, at an edge without a token.
    mutating func trim() throws {
        let key = history.channelKey
        guard let end = try cache.room.trimEnd(channel: key, rows: 1, keeping: .newest(1)) else { return }
        story.append("trim")
        _ = try cache.room.deleteMessages(channel: key, through: end)
        var left = history.chunks
        left.trim(
            through: end, oldest: try cache.outermost(.previous, from: end.successor, through: .last, channel: key))
        history.adopt(left)
        try history.saveChunks(cache)
        try check()
    }

    mutating func arrive() throws {
        guard history.chunks.last?.reachedNewest == true else { return }
        story.append("arrive \(told)")
        var message = messages[told]
        told += 1
        _ = try history.arrive(&message, isInOrder: true, cache)
        try check()
    }

    /// The stream tells one where the newest is not known.
    mutating func wait() throws {
        story.append("wait \(told)")
        var message = messages[told]
        told += 1
        _ = try history.arrive(&message, isInOrder: true, cache)
    }

    /// The newest messages, when the service had so many.
    mutating func look(at range: Range<Int>, of count: Int) throws {
        story.append("look at \(range)")
        told = max(told, range.upperBound)
        var page = page(range)
        page.reachedNewest = range.upperBound == count && count > 2
        if range.isEmpty { page.range = nil }
        try take(page, by: .around(.last))
    }

    /// A page towards newer, when the service had so many.
    mutating func follow(_ range: Range<Int>, of count: Int) throws {
        story.append("follow \(range)")
        told = max(told, range.upperBound)
        guard let end = history.chunks.last?.end else { throw Wrong(description: "there is nothing to follow") }
        var page = page(range)
        page.range?.start = end
        page.reachedNewest = range.upperBound == count
        try take(page, by: .page(from: end, .next))
    }

    /// The stream goes on with the last of the messages up to one.
    mutating func hole(to end: Int, with count: Int) throws {
        guard end > told else { return }
        story.append("hole \(told)-\(end) with \(count)")
        let older = told
        told = end
        var page = page(max(older, end - count)..<end)
        page.reachedFirst = false
        _ = try history.take(hole: "\(older)", page, SendbirdRules(), cache)
        try check()
    }

    mutating func around(_ time: Int64) throws {
        let place = MessagePosition(order: time, tie: Int64.max)
        guard history.chunks.index(covering: place) == nil, told > 0 else { return }
        let nearest = messages[..<told].firstIndex { $0.position.order >= time } ?? told - 1
        let range = max(0, nearest - 1)..<min(told, nearest + 1)
        try lookAround(time, range)
    }

    mutating func lookAround(_ time: Int64, _ range: Range<Int>) throws {
        let place = MessagePosition(order: time, tie: Int64.max)
        story.append("around \(time): \(range)")
        told = max(told, range.upperBound)
        var page = page(range)
        if !tellsEnds, time < Int64.max { (page.reachedFirst, page.reachedNewest) = (false, false) }
        try take(page, by: .around(place))
        guard history.chunks.index(covering: place) != nil else { throw Wrong(description: "\(time) is not covered") }
    }

    /// The newest page, for which the service says that it is that.
    mutating func newest(_ count: Int) throws {
        guard history.chunks.index(covering: .last) == nil, told > 0 else { return }
        story.append("newest \(count) of \(told)")
        let left = (0..<told).filter { !gone.contains(messages[$0].id) }.suffix(count)
        try take(page((left.first ?? told)..<told), by: .around(.last))
        guard history.chunks.last?.reachedNewest == true else { throw Wrong(description: "the newest is not covered") }
    }

    mutating func older(_ index: Int, _ limit: Int) throws {
        let chunks = history.chunks.chunks
        guard !chunks[index].reachedFirst else { return }
        guard let end = Int(chunks[index].start.token) ?? outermost(index, .previous) else {
            return try history.found(nil, of: chunks[index].start, .previous, cache)
        }
        let until = index > 0 ? chunks[index - 1].end : nil
        let bound = until.flatMap { Int($0.token) }.flatMap { $0 <= end ? $0 : nil } ?? 0
        let start = max(bound, end - limit)
        story.append("older than \(end): \(start)..<\(end)")
        var page = page(start..<end)
        page.range = (until.map { $0.token == "\(start)" ? $0 : edge(start) } ?? edge(start), chunks[index].start)
        try take(page, by: .page(from: chunks[index].start, .previous))
    }

    mutating func newer(_ index: Int, _ limit: Int) throws {
        let chunks = history.chunks.chunks
        guard !chunks[index].reachedNewest else { return }
        guard let start = Int(chunks[index].end.token) ?? outermost(index, .next) else {
            return try history.found(nil, of: chunks[index].end, .next, cache)
        }
        let until = index + 1 < chunks.count ? chunks[index + 1].start : nil
        let bound = until.flatMap { Int($0.token) }.flatMap { $0 >= start ? $0 : nil } ?? told
        let end = min(bound, start + limit)
        story.append("newer than \(start): \(start)..<\(end)")
        var page = page(start..<end)
        page.range = (chunks[index].end, until.map { $0.token == "\(end)" ? $0 : edge(end) } ?? edge(end))
        try take(page, by: .page(from: chunks[index].end, .next))
    }

    /// A lost token, found again by the message beside the edge; `nil`: that is deleted.
    private func outermost(_ index: Int, _ direction: PageDirection) -> Int? {
        let chunk = history.chunks.chunks[index]
        let held = try? cache.messageReferences(
            channel: history.channelKey, from: chunk.start.position,
            through: chunk.reachedNewest ? .last : chunk.end.position)
        let isStart = direction == .previous
        guard let id = (isStart ? held?.first : held?.last)?.id, !gone.contains(id) else { return nil }
        return SequenceHistory.number(id).map { isStart ? $0 : $0 + 1 }
    }

    private static func number(_ id: MessageID) -> Int? { Int(id.text.dropFirst()) }

    /// Pages until all is complete.
    mutating func fill() throws {
        if history.chunks.last?.reachedNewest != true { try hole(to: messages.count, with: 1) }
        for _ in 0..<200 {
            let chunks = history.chunks.chunks
            if chunks.isEmpty { try around(Int64.max) }
            if chunks.count == 1, chunks[0].reachedFirst, chunks[0].reachedNewest { return }
            guard let index = chunks.indices.last(where: { !chunks[$0].reachedFirst }) else {
                if !chunks.isEmpty { try newer(0, 2) }
                continue
            }
            try older(index, 2)
            if index < history.chunks.chunks.count { try newer(index, 2) }
        }
        throw Wrong(description: "it is never complete: \(history.chunks)")
    }

    // MARK: What has to hold

    /// Each chunk has what the service has between its tokens, in its order, and what it does not know to be deleted.
    private func check() throws {
        for chunk in history.chunks.chunks {
            let held = try cache.messageReferences(
                channel: history.channelKey, from: chunk.reachedFirst ? .first : chunk.start.position,
                through: chunk.reachedNewest ? .last : chunk.end.position)
            let last = held.last.flatMap { SequenceHistory.number($0.id) }.map { $0 + 1 }
            let end = chunk.reachedNewest ? told : Int(chunk.end.token) ?? last ?? 0
            // A start without a token is found by a message that the service has.
            let first = held.first { !gone.contains($0.id) }.flatMap { SequenceHistory.number($0.id) }
            let start = chunk.reachedFirst ? 0 : Int(chunk.start.token) ?? first ?? end
            let wanted = start <= end ? messages[start..<end].map(\.id).filter { !gone.contains($0) } : []
            guard held.map(\.id).filter({ !gone.contains($0) }) == wanted,
                Set(held.map(\.position)).count == held.count, !held.contains(where: { toldGone.contains($0.id) })
            else {
                throw Wrong(description: "\(start)..<\(end) holds \(held.map(\.id)) after \(story.suffix(3))")
            }
        }
        for (lower, upper) in zip(history.chunks.chunks, history.chunks.chunks.dropFirst())
        where lower.end.position >= upper.start.position {
            throw Wrong(description: "chunks overlap: \(history.chunks)")
        }
    }
}
