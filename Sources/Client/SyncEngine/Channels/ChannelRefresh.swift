import SyncModel

/// Channels that are asked for one by one, a few at a time: because an event said too little, or because an event came
/// while an answer was under way.
struct ChannelRefresh {
    /// Requests in flight at the same time.
    private static let limit = 8
    /// The pause before a channel is asked for again because facts touched it while its answer was under way, in
    /// milliseconds.
    private static let pause: Int64 = 500

    /// Channels that may wait to be asked for. A peer that names ever new ones must not take memory for each, and a
    /// listing of all channels takes fewer requests than so many.
    static let capacity = 2000

    private enum State: Equatable {
        case wanted
        /// `isCrossed`: a fact touched the channel after it was asked for, so the answer may be out of date.
        case asked(isCrossed: Bool)
    }

    private struct Entry {
        var state: State
        var cause: Cause
        /// While this is true, the point of the change log is not stored.
        var isInDoubt: Bool
        /// A complete listing did not name the channel.
        var isUnlisted = false
        /// The channel is not asked for before this time, by the monotonic clock.
        var notBefore: Int64 = 0
    }

    private var entries: [ChannelURL: Entry] = [:]
    /// Channels that wait, in the order in which they were wanted, beginning at `head`; those that wait for a time are
    /// in `delayed`.
    private var waiting: [ChannelURL] = []
    private var head = 0
    private var delayed: [ChannelURL] = []
    private var asked = 0
    private var doubts = 0
    private var gate = RetryGate()
    /// The earliest time at which a waiting channel may be asked for.
    private(set) var pausedUntil: Int64?

    /// A channel was not asked for, since too many waited: only a listing of all channels tells what it is now.
    private var isOverfull = false

    var isIdle: Bool { entries.isEmpty && !isOverfull }
    var hasDoubts: Bool { doubts > 0 || isOverfull }
    /// There is room again for the channels that a listing leaves in doubt.
    var needsListing: Bool { isOverfull && entries.count <= ChannelRefresh.capacity / 2 }

    /// All channels are about to be listed.
    mutating func willBeListed() { isOverfull = false }

    /// The channel is asked for, or will be: alone, or with all others.
    func isPlanned(_ url: ChannelURL) -> Bool { isOverfull || entries[url] != nil }

    /// Asks for a channel as soon as fewer requests are in flight than the limit. If it is asked for already, that
    /// answer counts as crossed.
    mutating func want(_ url: ChannelURL, _ cause: Cause) {
        guard entries[url] == nil else {
            entries[url]?.cause.add(cause)
            return cross(url)
        }
        guard entries.count < ChannelRefresh.capacity else {
            isOverfull = true
            return
        }
        entries[url] = Entry(state: .wanted, cause: cause, isInDoubt: false)
        waiting.append(url)
    }

    /// An answer and a fact about the channel crossed, or a listing did not name the channel.
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

    /// A fact touched the channel.
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

    /// The answer. Returns the fact to store, if there is one; the caller then calls `settled` or `failed`.
    mutating func arrived(
        _ url: ChannelURL, _ reply: ServiceReply, isCached: Bool, _ context: Context
    ) -> ChannelFact? {
        guard let entry = entries[url], case .asked(let isCrossed) = entry.state else { return nil }
        switch reply {
        case .channel(let channel) where !isCrossed:
            return ChannelFact(changed: [channel], cause: entry.cause)
        case .channel(let channel):
            // Where facts come faster than answers, every answer is crossed. So an unknown channel takes the first
            // answer, and the next request waits a little.
            askLater(url, context)
            return isCached ? nil : ChannelFact(changed: [channel], cause: entry.cause)
        case .failure(let failure) where failure.kind == .notFound || failure.kind.isForGood:
            guard !isCrossed else {
                askLater(url, context)
                return nil
            }
            if failure.kind == .notFound || entry.isUnlisted {
                // The reason for the request, for example a mention, is not the reason why the channel is removed.
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

    /// The cached channel is as the service has it, or was removed.
    mutating func settled(_ url: ChannelURL) {
        guard case .asked = entries[url]?.state else { return }
        // Only now: after an answer that cannot be stored, on a full disk, the pauses have to grow.
        gate.succeed()
        forget(url)
    }

    /// The answer could not be stored.
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
