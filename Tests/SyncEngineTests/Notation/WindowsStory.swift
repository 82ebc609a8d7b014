import SyncModel
import SyncStore

@testable import SyncEngine

/// The windows of a channel over a `HistoryStory`, and what happens to them, as words: those of a history, which are
/// shown as they are stored, and
///
///     open w …                    a window is opened (`MachineBench.window`); `close w`
///     capacity 3                  of every window
///     fetch w previous            or `next`, or `all` that is newer; `cancel w`: no call of it is waited for any more
///     start w                     shows what is cached, then waits for the service's page: `around newest`, `around d`
///     reset w d                   starts again at a place, or at `newest`; `empty`: all do, since the cache is gone
///     hide d                      the host asked for its deletion; `unhide d`: the service refused
///     offline, connecting, paused, online
///     fresh                       just logged in: what was missed behind the newest cached one is not asked for yet
///     overflow w 3                so many events were not told
///     huge gap, channel gone, channel back
final class WindowsStory {
    let bench: MachineBench
    private(set) var history: HistoryStory
    private var windows = MessageWindows()
    private var isGapChecked = true
    private var calls: UInt64 = 1000

    init(_ before: String, _ channelURL: ChannelURL, _ bench: MachineBench, _ cache: CacheStore) throws {
        self.bench = bench
        bench.connection = MachineBench.online
        history = try HistoryStory(before, channelURL, cache)
    }

    var shown: String { bench.text(windows.all) }

    private var coverage: Coverage {
        Coverage(
            channelURL: history.id.channelURL, channelKey: history.history.channelKey, chunks: history.history.chunks,
            isGapChecked: isGapChecked)
    }

    func run(_ step: Substring) throws {
        bench.forgetWhatWasSaid()
        if try !change(step), try !ask(step) { try tell(step) }
    }

    // MARK: What there is

    /// Windows, and what is around them.
    private func change(_ step: Substring) throws -> Bool {
        let (verb, words) = step.firstWord
        switch (verb, words) {
        case ("open", _): windows.open(try MachineBench.window(words))
        case ("close", _):
            let id = try MachineBench.id(words)
            bench.act { windows.close(id, &$0) }
        case ("capacity", _): bench.options.messageCollectionCapacity = Int(words) ?? 0
        case ("offline", ""): bench.connection = .offline
        case ("connecting", ""): bench.connection = .connecting
        case ("online", ""): bench.connection = MachineBench.online
        case ("paused", ""): bench.isPaused = true
        case ("fresh", ""): isGapChecked = false
        case ("hide", _), ("unhide", _): try overlay(words, isAdded: verb == "hide")
        case ("huge", "gap"): bench.act { windows.hugeGap(of: windows.gapFilters.first, coverage, &$0) }
        case ("channel", "gone"):
            bench.act { windows.channelGone(history.id.channelURL, Cause(.eventChannelDeleted), &$0) }
        case ("channel", "back"): windows.setChannel(Array("{}".utf8))
        default: return false
        }
        return true
    }

    private func overlay(_ message: Substring, isAdded: Bool) throws {
        let deletion = ActionCall(
            action: .message(.deleteMessage),
            arguments: ["channel_url": .text(history.id.channelURL.text), "message_id": .text(String(message))])
        if isAdded { bench.overlays.add(deletion, call: 1) } else { _ = bench.overlays.remove(deletion, call: 1) }
        let record = try history.cache.message(id: MessageID(String(message)), channel: history.history.channelKey)
        guard let record else { throw Letters.Unreadable(message, "a cached message") }
        bench.act { windows.showAgain(record, Cause(.localAction), coverage, &$0) }
    }

    // MARK: What hosts ask

    private func ask(_ step: Substring) throws -> Bool {
        let (verb, words) = step.firstWord
        let (name, rest) = words.firstWord
        switch verb {
        case "fetch":
            let (id, call) = (try MachineBench.id(name[...]), newCall())
            let direction = PageDirection(rawValue: String(rest)) ?? .next
            _ = bench.act { windows.fetch(id, direction, isOfAll: rest == "all", call: call, coverage, &$0) }
        case "start":
            let (id, call) = (try MachineBench.id(words), newCall())
            _ = bench.act { windows.start(id, call: call, coverage, &$0) }
        case "around":
            let viewpoint = try MachineBench.place(words)
            let anchor = MessageWindow(id: 0, filter: MessageFilter(), viewpoint: viewpoint).anchor
            bench.act { windows.answered(anchor, coverage, &$0) }
        case "cancel":
            let id = try MachineBench.id(words)
            for window in windows.all where window.id == id {
                for call in Set(calls(of: window)) { _ = bench.act { windows.end(call, .canceled, &$0) } }
            }
        case "reset":
            let (id, viewpoint) = (try MachineBench.id(name[...]), try MachineBench.place(rest))
            bench.act { windows.resetViewpoint(id, viewpoint, &$0) }
        case "empty":
            try history.run("clear")
            bench.act { windows.clear(Cause(.cacheCleared), refills: false, &$0) }
        case "overflow":
            let (id, dropped) = (try MachineBench.id(name[...]), Int(rest) ?? 0)
            bench.act { windows.resync(id, dropped: dropped, &$0) }
        default: return false
        }
        return true
    }

    private func newCall() -> CallID {
        calls += 1
        return .host(calls)
    }

    private func calls(of window: MessageWindow) -> [CallID] {
        [window.start?.call, window.fetches[.previous]?.call, window.fetches[.next]?.call].compactMap { $0 }
    }

    // MARK: What is told

    /// As `Timeline` does: stores it, and then shows it.
    private func tell(_ step: Substring) throws {
        let (verb, words) = step.firstWord
        switch verb {
        case "page":
            let outcome = try history.take(try HistorySketch(String(words)).page())
            bench.act { windows.show(outcome, Cause(.sync), coverage, &$0) }
        case "cut":
            try history.run(step)
            let order = try Letters.position(words).order
            bench.act { windows.cut(before: order, coverage, &$0) }
        case "disconnect":
            try history.run(step)
            bench.connection = .offline
            bench.act { windows.finishFetches(.offline, &$0) }
        default:
            guard let fact = try ToldFact.read(step, history.id.channelURL) else { return try history.run(step) }
            let recorded = try history.record(fact)
            bench.act { show(fact, recorded, &$0) }
        }
    }

    private func show(_ fact: MessageFact, _ recorded: RecordedFact, _ turn: inout Turn) {
        switch (fact.kind, recorded.arrival) {
        case (.arrived(let message, _), .stray(isNew: true)):
            windows.tellNewMessage(message, fact.cause, coverage, &turn)
        case (.arrived(let message, _), .stored):
            windows.showArrival(message, fact.cause, coverage, &turn)
        case (.arrived, _): break
        default:
            windows.remove(recorded.deleted, fact.cause, &turn)
            windows.showChanged(recorded.changed, fact.cause, coverage, &turn)
        }
    }
}
