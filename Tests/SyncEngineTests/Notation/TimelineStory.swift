import SyncModel
import SyncStore

@testable import SyncEngine

/// A `Timeline` over a real cache, and what happens to it, as words: what is told (`ToldFact`), and
///
///     open w …                        a window is opened (`MachineBench.window`); `close w`, `fetch w previous`,
///                                     `start w`, `reset w d`: what hosts ask
///     login, disconnect, pause
///     log d' -e, gap [d e>, around [d e>, ← [a b], → [d e], parent a
///                                     the service answers the oldest request of that kind; `log more d'`: there is
///                                     more; `gap huge`: more is missing than it fills
///     ← fails                         and so on; `refused`, `missing`, `expired`
///     send; acknowledged; in doubt    of an own message
///     cut f                           messages before f are gone for this user
///     entered                         this user came into the channel again
///     empty, channel gone             what was cached is gone
///     full disk, free disk            nothing can be stored, or everything again
///     no log                          it is not known from where on changes have to be read
///     wait 2000                       so many milliseconds pass
final class TimelineStory {
    let bench: MachineBench
    let timeline: Timeline
    private let cache: CacheStore
    private let id: HistoryID
    private var calls: UInt64 = 1000
    private var tokens = 0

    init(
        _ before: String, _ id: HistoryID, _ bench: MachineBench, _ cache: CacheStore
    ) throws {
        self.bench = bench
        self.cache = cache
        self.id = id
        let story = try HistoryStory(before, id.channelURL, cache, parentID: id.parentID, bench.capabilities)
        timeline = Timeline(id, history: story.history, parent: try CachedHistory.parent(of: story.history, cache))
        if !before.isEmpty { try cache.setValue(changesKey, ChangePoint.time(5).storedText) }
    }

    private var changesKey: String { "messages.changes.\(timeline.history.channelKey)" }

    func memory() throws -> String { try HistoryStory.memory(timeline.history, cache) }
    func file() throws -> String { try HistoryStory.file(timeline.history, cache) }
    var shown: String { bench.text(timeline.windows.all) }

    /// Requests that wait for their answers, oldest first.
    var asks: String { bench.asks.map { TimelineStory.text($0.request) }.joined(separator: "; ") }

    private static func text(_ request: ServiceRequest) -> String {
        func letter(_ edge: HistoryEdge) -> String { Letters.letter(edge.position.order) }
        return switch request {
        case .messageChanges(_, let since): "log " + since.storedText
        case .messageGap(_, let start, let end, _, let filter):
            "gap \(letter(start))-\(letter(end))" + (filter == nil ? "" : " filtered")
        case .messagesAround(_, Int64.max, _, _): "around newest"
        case .messagesAround(_, let time, _, _): "around " + Letters.letter(time)
        case .messages(_, let edge, let direction, _, _, let until):
            // A service without tokens has no use for where the page may end.
            (direction == .previous ? "← " : "→ ") + letter(edge)
                + (until.map { $0.token.isEmpty ? "" : " until " + letter($0) } ?? "")
        case .getMessage(_, let id): "parent \(id)"
        default: "\(request)"
        }
    }

    func run(_ step: Substring) throws {
        bench.forgetWhatWasSaid()
        if try !ask(step), try !change(step), try !answer(step) { try tell(step) }
    }

    // MARK: Hosts

    private func ask(_ step: Substring) throws -> Bool {
        let (verb, words) = step.firstWord
        let (name, rest) = words.firstWord
        switch verb {
        case "open":
            let window = try MachineBench.window(words, thread: id.parentID)
            bench.act { timeline.collections.open(window, &$0) }
        case "close":
            let window = try MachineBench.id(words)
            bench.act { timeline.collections.close(window, &$0) }
        case "fetch":
            let (window, call) = (try MachineBench.id(name[...]), newCall())
            guard let direction = PageDirection(rawValue: String(rest)) else { return false }
            bench.act { timeline.collections.fetch(window, direction, call: call, &$0) }
        case "start":
            let (window, call) = (try MachineBench.id(words), newCall())
            bench.act { timeline.collections.start(window, call: call, &$0) }
        case "reset":
            let (window, viewpoint) = (try MachineBench.id(name[...]), try MachineBench.place(rest))
            bench.act { timeline.collections.resetViewpoint(window, viewpoint, &$0) }
        default: return false
        }
        return true
    }

    private func newCall() -> CallID {
        calls += 1
        return .host(calls)
    }

    // MARK: Session, disk and time

    private func change(_ step: Substring) throws -> Bool {
        let (verb, words) = step.firstWord
        switch (verb, words) {
        case ("login", ""):
            bench.connection = MachineBench.online
            timeline.sessionBegan()
            bench.act { timeline.resume(&$0) }
        case ("disconnect", ""):
            bench.connection = .offline
            bench.dropAsks()
            bench.act { timeline.sessionEnded(&$0) }
        case ("pause", ""): bench.isPaused = true
        case ("send", ""): timeline.sendBegan()
        case ("acknowledged", ""), ("in", "doubt"):
            bench.act { timeline.sendEnded(isInDoubt: verb == "in", &$0) }
        case ("cut", _):
            let order = try Letters.position(words).order
            var rest = timeline.history
            try rest.cut(before: order, cache)
            bench.act { timeline.adopt(cut: rest, before: order, &$0) }
        case ("entered", ""): bench.act { timeline.entered(&$0) }
        case ("empty", ""):
            try cache.clearMessages(channel: timeline.history.channelKey)
            bench.act { timeline.startOver(Cause(.cacheCleared), refills: false, &$0) }
        case ("channel", "gone"):
            try cache.clearMessages(channel: timeline.history.channelKey)
            bench.act { timeline.channelGone(Cause(.eventChannelDeleted), &$0) }
        case ("full", "disk"): cache.setCommitHook { () throws(StoreError) in throw .full }
        case ("free", "disk"): cache.setCommitHook(nil)
        case ("no", "log"): try cache.setValue(changesKey, nil)
        case ("wait", _): wait(Int64(words) ?? 0)
        default: return false
        }
        return true
    }

    private func wait(_ milliseconds: Int64) {
        bench.now.monotonic += milliseconds
        for key in bench.takeDueTimers() {
            switch key {
            case .timeline: bench.act { timeline.resume(&$0) }
            case .fetch(let call): _ = bench.act { timeline.collections.end(call, .timeout, short: .error, &$0) }
            default: break
            }
        }
    }

    // MARK: Answers

    private func answer(_ step: Substring) throws -> Bool {
        let (verb, words) = step.firstWord
        guard ["log", "gap", "around", "←", "→", "parent"].contains(verb) else { return false }
        let reply = try reply(verb, words)
        guard let ask = bench.takeAsk({ TimelineStory.text($0).hasPrefix(verb + " ") }) else {
            throw Letters.Unreadable(step, "the answer to what is asked: \(asks)")
        }
        guard let fact = bench.act({ timeline.receive(reply, to: ask, &$0) }) else { return true }
        // As `Engine` does.
        let isStored = record(fact)
        if let page = reply.logPage {
            bench.act { timeline.changesTaken(isStored, page, to: ask, &$0) }
        } else {
            bench.act { timeline.resume(&$0) }
        }
        return true
    }

    private func reply(_ verb: String, _ words: Substring) throws -> ServiceReply {
        let failures: [Substring: ServiceFailure.Kind] = [
            "fails": .unavailable, "refused": .refused, "missing": .notFound, "expired": .pageTokenExpired,
        ]
        if let kind = failures[words] { return .failure(ServiceFailure(kind: kind, code: 0, message: "")) }
        switch verb {
        case "log":
            var words = words
            let hasMore = words.take("more")
            let (updated, deleted) = try ToldFact.log(words.trimmed)
            tokens += 1
            return .messageChanges(MessageChanges(
                updated: updated, deletedIDs: deleted, hasMore: hasMore, next: "\(tokens)"))
        case "parent": return .message(try Letters.message(words))
        case "gap" where words == "huge": return .gap(.huge)
        case "gap": return .gap(.fill(try HistorySketch(String(words)).page()))
        default: return .messages(try HistorySketch(String(words)).page())
        }
    }

    // MARK: Facts

    private func tell(_ step: Substring) throws {
        guard let fact = try ToldFact.read(step, id.channelURL) else {
            throw Letters.Unreadable(step, "something that happens to a timeline")
        }
        if let part = fact.concerning(id) { _ = record(part) }
    }

    /// As `Engine` does; `false` when it could not be stored.
    private func record(_ fact: MessageFact) -> Bool {
        let context = bench.context
        let recorded = bench.storage.committed { (cache) throws(StoreError) in
            if let (key, value) = fact.progress { try cache.setValue(key, value) }
            return try timeline.record(fact, context, cache)
        }
        guard let recorded else {
            bench.act { timeline.lose(fact, &$0) }
            return false
        }
        bench.act { timeline.show(fact, recorded, &$0) }
        return true
    }
}
