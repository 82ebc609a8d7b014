import SyncModel

/// In which channels this user is typing, as hosts said. A host may say so at every key: at most once a second this is
/// sent for a channel, and it is ended when it is not repeated.
struct OwnTyping {
    private static let pause: Int64 = 1000
    /// After this time, other clients stop showing it; in milliseconds.
    private static let life: Int64 = 10_000

    private struct Entry {
        /// Both by the monotonic clock.
        var saidAt: Int64
        var until: Int64
    }

    private var entries: [ChannelURL: Entry] = [:]

    /// Returns whether the service has to be told.
    mutating func start(_ url: ChannelURL, now: Int64, _ turn: inout Turn) -> Bool {
        let known = entries[url]
        let isTold = known.map { now - $0.saidAt < OwnTyping.pause } ?? false
        entries[url] = Entry(saidAt: isTold ? known?.saidAt ?? now : now, until: now + OwnTyping.life)
        turn.add(.timer(.ownTyping, at: nextDeadline))
        return !isTold
    }

    /// Returns whether the service has to be told; not if it was never told of the typing.
    mutating func end(_ url: ChannelURL, _ turn: inout Turn) -> Bool {
        guard entries.removeValue(forKey: url) != nil else { return false }
        turn.add(.timer(.ownTyping, at: nextDeadline))
        return true
    }

    /// The channels in which typing is over because no host repeated it, in a fixed order.
    mutating func takeDue(now: Int64, _ turn: inout Turn) -> [ChannelURL] {
        let due = entries.filter { $0.value.until <= now }.keys.sorted()
        for url in due { entries[url] = nil }
        turn.add(.timer(.ownTyping, at: nextDeadline))
        return due
    }

    mutating func sessionEnded(_ turn: inout Turn) {
        entries = [:]
        turn.add(.timer(.ownTyping, at: nil))
    }

    private var nextDeadline: Int64? { entries.values.map(\.until).min() }
}
