import SyncBytes
import SyncModel
import SyncSendbird
import SyncStore

@testable import SyncEngine

/// What a machine has around it: stores, a connection, a clock, and a host that applies what it is told. Every call of
/// a machine passes through `act`.
final class MachineBench {
    let storage: Storage
    var options = EngineOptions(userID: "mei")
    var connection = Context.Connection.offline
    var capabilities = ServiceCapabilities()
    var isPaused = false
    var overlays = Overlays()
    var now = Moment(monotonic: 0, wall: 0)
    private let random = RandomSource(seed: 1)

    private(set) var host = HostModel()
    /// Requests that wait for their answers, oldest first.
    private(set) var asks: [(ask: Ask, request: ServiceRequest)] = []
    private(set) var timers: [TimerQueue.Key: Int64] = [:]
    /// What hosts are told beside changes of lists, and what other machines are told.
    private(set) var said: [String] = []

    init(_ cache: CacheStore, _ intents: IntentStore) { storage = Storage(cache: cache, intents: intents) }

    static let online = Context.Connection.loggedIn(SessionInfo(userID: "mei", loginTime: 0))

    var context: Context {
        Context(
            now: now, storage: storage, options: options, rules: SendbirdRules(), capabilities: capabilities,
            random: random, files: NoFiles(), connection: connection, loggedInAt: 0, isPaused: isPaused,
            stream: .goesOn, typing: Typing(), drafts: DraftTexts(), overlays: overlays)
    }

    /// Calls a machine, and takes in what it wants done.
    @discardableResult
    func act<Result>(_ call: (inout Turn) throws -> Result) rethrows -> Result {
        var turn = Turn(context)
        let result = try call(&turn)
        for effect in turn.takeEffects() { take(effect) }
        return result
    }

    func forgetWhatWasSaid() { said = [] }

    func dropAsks() { asks = [] }

    /// Takes the oldest request that waits and matches.
    func takeAsk(_ matches: (ServiceRequest) -> Bool) -> MessageAsk? {
        guard let index = asks.firstIndex(where: { matches($0.request) }),
            case .messages(let ask, _) = asks.remove(at: index).ask
        else { return nil }
        return ask
    }

    /// The timers that are due, which are set no more.
    func takeDueTimers() -> [TimerQueue.Key] {
        let due = timers.filter { $0.value <= now.monotonic }.map(\.key)
        for key in due { timers[key] = nil }
        return due
    }

    // MARK: Effects

    private func take(_ effect: Effect) {
        switch effect {
        case .event(let event):
            host.take(.event(event))
            say(event)
        case .completion(let completion):
            host.take(.completion(completion))
            say(completion)
        case .ask(let ask, let request): asks.append((ask, request))
        case .timer(let key, let time): timers[key] = time
        case .ownMessageSeen(let message, _): said.append("own " + Letters.text(message.row))
        case .channels(let fact): said += fact.removed.map { _ in "channel is gone" }
        default: said.append("\(effect)")
        }
    }

    private func say(_ completion: Completion) {
        var words = completion.info.map { [MachineBench.name($0.collection)] } ?? []
        words += [completion.name.rawValue, "\(completion.status)"]
        if let short = completion.short { words += ["short", short.rawValue] }
        if completion.hasMore == true { words.append("more") }
        said.append(words.joined(separator: " "))
    }

    private func say(_ event: HostEvent) {
        guard case .collection(let id, let notice) = event else { return }
        let text: String? =
            switch notice {
            case .newMessage(_, let json, _, _): "new " + Letters.text(json)
            case .parentUpdated(let json, _): "parent " + Letters.text(json)
            case .parentRemoved: "parent removed"
            case .cacheShown(_, let count): "shows \(count)"
            case .overflow(let dropped): "lost \(dropped)"
            case .channelUpdated, .channelRemoved, .hugeGap, .stream:
                "\(notice.type)".map { $0 == "_" ? " " : String($0) }.joined()
            }
        if let text { said.append(MachineBench.name(id) + " " + text) }
    }

    // MARK: Windows

    /// Windows are named by a letter, which is their number, too.
    static func id(_ name: Substring) throws -> CollectionID {
        guard name.count == 1, let letter = name.first?.asciiValue else {
            throw Letters.Unreadable(name, "a window's name")
        }
        return .host(UInt64(letter))
    }

    private static func name(_ id: CollectionID) -> String {
        UInt8(exactly: id.number).map { String(UnicodeScalar($0)) } ?? "?"
    }

    /// Windows as one sees them, in the order they were opened, with what stands beyond their ends:
    ///
    ///     {… c d >}       older messages are to be had; those that come are shown
    ///     {| b c …}       b is the first message; newer ones are to be had
    ///     {| b c |}       there are no others
    ///
    /// `broken` where the host that applied all changes has another list.
    func text(_ windows: [MessageWindow]) -> String {
        windows.map { window in
            let rows = window.window.rows
            let shown = host.ids(window.id).map { host.json(window.id, .succeeded, $0) }
            let told = rows.map { String(decoding: $0.json, as: UTF8.self) }
            let isAsTold = shown == (window.window.isReversed ? told.reversed() : told)
            let left = window.hasPrevious ? "…" : "|"
            let right = window.isFollowing ? ">" : window.hasNext ? "…" : "|"
            let words = [left] + rows.map { Letters.text($0) } + [right]
            return (isAsTold ? "" : "broken ") + "{" + words.joined(separator: " ") + "}"
        }.joined(separator: " ")
    }

    /// `w at d limit 2 marked`: a window's name, and what it shows. `limit 2/1`: of older and newer messages; `marked`:
    /// of that custom type; `exclusive`: those at its place count as newer; `replies`: those of threads, too.
    static func window(_ words: Substring, thread parentID: MessageID = "") throws -> MessageWindow {
        let (name, rest) = words.firstWord
        var filter = MessageFilter()
        filter.parentID = parentID
        var viewpoint = Int64.max
        var words = rest.split(separator: " ")[...]
        while let word = words.popFirst() {
            switch word {
            case "at": viewpoint = try place(words.popFirst() ?? "")
            case "limit":
                let limits = (words.popFirst() ?? "").split(separator: "/").compactMap { Int($0) }
                filter.previousLimit = limits.first
                filter.nextLimit = limits.last
                filter.limit = limits.max() ?? 0
            case "marked": filter.customTypes = ["marked"]
            case "exclusive": filter.isInclusive = false
            case "reversed": filter.isReversed = true
            case "replies": filter.replyType = .all
            default: throw Letters.Unreadable(word, "what a window may be")
            }
        }
        return MessageWindow(id: try id(name[...]), filter: filter, viewpoint: viewpoint)
    }

    /// A viewpoint: a letter, or `newest`.
    static func place(_ word: Substring) throws -> Int64 {
        guard let letter = word.first else { throw Letters.Unreadable(word, "a place") }
        return word == "newest" ? Int64.max : try Letters.order(letter)
    }
}
