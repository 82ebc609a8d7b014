import SyncModel

/// Channels that are asked for one by one, a few at a time: because an event said too little, or because an answer and
/// an event crossed.
struct ChannelRefresh {
    /// Questions under way at the same time.
    private static let limit = 8
    /// Before a channel is asked for once more that facts touched while its answer was under way, in milliseconds.
    private static let pause: Int64 = 500

    private enum State: Equatable {
        case wanted
        /// Crossed: a fact touched it since it was asked for, and its answer may be old.
        case asked(isCrossed: Bool)
    }

    private struct Entry {
        var state: State
        var cause: Cause
        /// The point of the change log is not stored while this one is not settled.
        var isInDoubt: Bool
        /// A complete listing did not name it.
        var isUnlisted = false
        /// Not to be asked for earlier, by the monotonic clock.
        var notBefore: Int64 = 0
    }

    private var entries: [ChannelURL: Entry] = [:]
    /// Those that wait, in the order they were wanted, from `head` on; those that wait for a time stand apart.
    private var waiting: [ChannelURL] = []
    private var head = 0
    private var delayed: [ChannelURL] = []
    private var asked = 0
    private var doubts = 0
    private var gate = RetryGate()
    /// The earliest time at which one that waits may be asked for.
    private(set) var pausedUntil: Int64?

    var isIdle: Bool { entries.isEmpty }
    var hasDoubts: Bool { doubts > 0 }

    /// It is asked for, or will be.
    func isPlanned(_ url: ChannelURL) -> Bool { entries[url] != nil }

    /// Asks for a channel as soon as there is room. One that is under way counts as crossed.
    mutating func want(_ url: ChannelURL, _ cause: Cause) {
        guard entries[url] == nil else {
            entries[url]?.cause.add(cause)
            return cross(url)
        }
        entries[url] = Entry(state: .wanted, cause: cause, isInDoubt: false)
        waiting.append(url)
    }

    /// An answer and a fact crossed, or a listing did not name it.
    mutating func doubt(_ url: ChannelURL, isUnlisted: Bool) {
        want(url, Cause(.channelChangelog))
        markInDoubt(url)
        if isUnlisted { entries[url]?.isUnlisted = true }
    }

    private mutating func markInDoubt(_ url: ChannelURL) {
        guard entries[url]?.isInDoubt == false else { return }
        entries[url]?.isInDoubt = true
        doubts += 1
    }

    /// A fact touched it.
    mutating func cross(_ url: ChannelURL) {
        if case .asked = entries[url]?.state { entries[url]?.state = .asked(isCrossed: true) }
    }

    mutating func pump(_ turn: inout Turn) {
        pausedUntil = nil
        guard !entries.isEmpty else { return }
        let now = turn.now.monotonic
        guard gate.isOpen(at: now) else {
            pausedUntil = gate.pausedUntil
            return
        }
        if !delayed.isEmpty {
            waiting += delayed.filter { entries[$0]?.notBefore ?? 0 <= now }
            delayed.removeAll { entries[$0]?.notBefore ?? 0 <= now }
            pausedUntil = delayed.compactMap { entries[$0]?.notBefore }.min()
        }
        while asked < ChannelRefresh.limit, head < waiting.count {
            let url = waiting[head]
            head += 1
            guard entries[url]?.state == .wanted else { continue }
            entries[url]?.state = .asked(isCrossed: false)
            asked += 1
            turn.add(.ask(.channel(url: url), .getChannel(url: url)))
        }
        if head == waiting.count || head > 1000 {
            waiting.removeFirst(head)
            head = 0
        }
    }

    /// The answer. Gives what is to be taken in, if anything; then `settled` or `failed` has to be told.
    mutating func arrived(
        _ url: ChannelURL, _ reply: ServiceReply, isCached: Bool, _ context: Context
    ) -> ChannelFact? {
        guard let entry = entries[url], case .asked(let isCrossed) = entry.state else { return nil }
        switch reply {
        case .channel(let channel) where !isCrossed:
            gate.succeed()
            return ChannelFact(changed: [channel], cause: entry.cause)
        case .channel(let channel):
            // Where facts come faster than answers, that is so every time: the first answer is better than nothing, and
            // the next question waits a little.
            askLater(url, context)
            return isCached ? nil : ChannelFact(changed: [channel], cause: entry.cause)
        case .failure(let failure) where failure.kind == .notFound || failure.kind.isForGood:
            guard !isCrossed else {
                askLater(url, context)
                return nil
            }
            if failure.kind == .notFound || entry.isUnlisted {
                // Why it was asked for, a mention say, is not why it goes.
                let cause =
                    entry.cause.source.isFromEvent ? Cause(.channelRefresh, entry.cause.facts) : entry.cause
                return ChannelFact(removed: [url], cause: cause)
            }
            forget(url)
        case .failure(let failure): askAgain(url, after: failure, context)
        default: askAgain(url, after: nil, context)
        }
        return nil
    }

    /// It is now as the service has it, or gone.
    mutating func settled(_ url: ChannelURL) {
        if case .asked = entries[url]?.state { forget(url) }
    }

    /// What the answer said could not be stored.
    mutating func failed(_ url: ChannelURL, _ context: Context) {
        if case .asked = entries[url]?.state { askAgain(url, after: nil, context) }
    }

    private mutating func forget(_ url: ChannelURL) {
        guard let entry = entries.removeValue(forKey: url) else { return }
        if entry.state != .wanted { asked -= 1 }
        if entry.isInDoubt { doubts -= 1 }
    }

    private mutating func askAgain(_ url: ChannelURL, after failure: ServiceFailure?, _ context: Context) {
        entries[url]?.state = .wanted
        asked -= 1
        waiting.append(url)
        gate.fail(failure, at: context.now.monotonic, context.random)
    }

    private mutating func askLater(_ url: ChannelURL, _ context: Context) {
        entries[url]?.state = .wanted
        entries[url]?.notBefore = context.now.monotonic + ChannelRefresh.pause
        asked -= 1
        delayed.append(url)
        markInDoubt(url)
    }
}
