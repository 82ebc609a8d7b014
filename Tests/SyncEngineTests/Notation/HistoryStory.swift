import SyncModel
import SyncSendbird
import SyncStore

@testable import SyncEngine

/// A `History` over a real cache, and what happens to it, as words: those of `ToldFact`, and
///
///     page [d e]      the service answers with a page
///     ask             a page is asked for, so that what is told from now on overtakes it; `answered`: no more
///     cut f           messages before f are gone for this user
///     send            an own message goes out; `acknowledged`, `in doubt`: its answer came, or none comes
///     disconnect      the session ends; `connect`: the next one begins
///     hole x [h:y i>  the stream leaves out messages behind the token x, and goes on with a page
///     stream breaks   something may have come of which nobody told
///     kill            the process ends; the history is read from its file again
///     crowd 1001      so many messages arrive, all before a
///     lose newest     what arrived could not be stored; `lose strays`: nor what was told of messages
///     clear           everything is forgotten
struct HistoryStory {
    let id: HistoryID
    let cache: CacheStore
    private let capabilities: ServiceCapabilities
    private(set) var history: History
    /// What the history answered to the last step.
    private(set) var answer = ""

    /// A history as it is drawn. What reaches the newest does so in this session.
    init(
        _ before: String, _ channelURL: ChannelURL, _ cache: CacheStore, parentID: MessageID = "",
        _ capabilities: ServiceCapabilities = ServiceCapabilities()
    ) throws {
        self.capabilities = capabilities
        let sketch = try HistorySketch(before)
        id = HistoryID(channelURL, parentID: parentID)
        self.cache = cache
        let channel = try cache.channels.key(channelURL)
        let key = id.isThread ? try cache.threads.key(channel: channel, parentID: parentID) : channel
        try cache.upsert(sketch.messages, channel: key)
        try cache.chunks.set(channel: key, sketch.chunks.map {
            StoredChunk(start: $0.start, end: $0.end, reachedFirst: $0.reachedFirst, isOpenEnded: $0.reachedNewest)
        })
        history = try CachedHistory.read(id, capabilities, cache)
        guard let last = sketch.chunks.last, last.reachedNewest else { return }
        let messages = sketch.messages.filter { last.covers($0.position) }
        _ = try history.take(
            MessagePage(
                messages: messages, range: (last.start, last.end), reachedFirst: last.reachedFirst,
                reachedNewest: true),
            SendbirdRules(), cache)
    }

    mutating func run(_ step: Substring) throws {
        let (verb, words) = step.firstWord
        answer = ""
        switch (verb, words) {
        case ("page", _): _ = try take(try HistorySketch(String(words)).page())
        case ("ask", ""): history.crossings.pageAsked()
        case ("answered", ""): history.crossings.pageEnded()
        case ("crowd", _):
            for number in 0..<(Int64(words) ?? 0) {
                let place = MessagePosition(order: 0, tie: number)
                var message = MessageRecord(id: "crowd-\(number)", position: place, json: Array("{}".utf8))
                _ = try history.arrive(&message, isInOrder: true, cache)
            }
        case ("cut", _): try history.cut(before: try Letters.position(words).order, cache)
        case ("send", ""): history.sendBegan()
        case ("acknowledged", ""): history.sendEnded()
        case ("in", "doubt"):
            try history.doubtNewest(cache)
            history.sendEnded()
        case ("hole", _):
            let (token, page) = words.firstWord
            let outcome = try history.take(
                hole: String(token), try HistorySketch(String(page)).page(), SendbirdRules(), cache)
            answer = HistoryStory.text(outcome)
        case ("stream", "breaks"): history.streamBroke()
        case ("disconnect", ""): history.sessionEnded()
        case ("connect", ""): history.sessionBegan()
        case ("kill", ""): history = try CachedHistory.read(id, capabilities, cache)
        case ("lose", "newest"): history.loseNewest()
        case ("lose", "strays"): history.loseStrays()
        case ("clear", ""): try history.clear(cache)
        default:
            guard let fact = try ToldFact.read(step, id.channelURL) else {
                throw Letters.Unreadable(step, "something that happens to a history")
            }
            _ = try record(fact)
        }
    }

    mutating func take(_ page: MessagePage) throws -> History.PageOutcome {
        let outcome = try history.take(page, SendbirdRules(), cache)
        answer = HistoryStory.text(outcome)
        return outcome
    }

    private static func text(_ outcome: History.PageOutcome) -> String {
        outcome.gone.isEmpty ? "" : "gone " + outcome.gone.map(\.text).joined(separator: " ")
    }

    mutating func record(_ fact: MessageFact) throws -> RecordedFact {
        let recorded = try RecordedFact(fact, of: history, SendbirdRules(), cache)
        history = recorded.history
        // As `Timeline` does: what waits in memory, and what was known, says nothing new about a page.
        switch recorded.arrival {
        case .stray(let isNew): answer = isNew ? "stray" : "known stray"
        case .known: answer = "known"
        case .stored:
            answer = "stored"
            history.crossings.note(fact)
        case nil:
            answer = Letters.text(recorded.changed.map(\.row))
            if case .changelog = fact.kind { break }
            history.crossings.note(fact)
        }
        return recorded
    }

    // MARK: What there is

    func memory() throws -> String { try HistoryStory.memory(history, cache) }

    func file() throws -> String { try HistoryStory.file(history, cache) }

    /// A history as it is known in memory, and as its file has it.
    static func memory(_ history: History, _ cache: CacheStore) throws -> String {
        HistorySketch.text(history.chunks.chunks, try messages(history, cache))
    }

    static func file(_ history: History, _ cache: CacheStore) throws -> String {
        let chunks = try cache.chunks.of(channel: history.channelKey).map {
            ChunkList.Chunk(
                start: $0.start, end: $0.end, reachedFirst: $0.reachedFirst, reachedNewest: $0.isOpenEnded)
        }
        return HistorySketch.text(chunks, try messages(history, cache))
    }

    private static func messages(_ history: History, _ cache: CacheStore) throws -> [MessageRow] {
        let key = history.channelKey
        return try cache.messageReferences(channel: key, from: .first, through: .last)
            .compactMap { try cache.message(id: $0.id, channel: key)?.row }
    }
}
