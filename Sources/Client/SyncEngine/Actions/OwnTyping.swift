import SyncModel

/// Where this user is typing, as hosts said. A host may say so at every key: at most one word a second goes out for a
/// channel, and one that is not repeated is taken back.
struct OwnTyping {
    private static let pause: Int64 = 1000
    /// After this time others show it no more; in milliseconds.
    private static let life: Int64 = 10_000

    private struct Entry {
        /// Both by the monotonic clock.
        var saidAt: Int64
        var until: Int64
    }

    private var entries: [ChannelURL: Entry] = [:]

    /// Whether the others have to be told.
    mutating func start(_ url: ChannelURL, now: Int64, _ turn: inout Turn) -> Bool {
        let known = entries[url]
        let isTold = known.map { now - $0.saidAt < OwnTyping.pause } ?? false
        entries[url] = Entry(saidAt: isTold ? known?.saidAt ?? now : now, until: now + OwnTyping.life)
        turn.add(.timer(.ownTyping, at: nextDeadline))
        return !isTold
    }

    /// Whether the others have to be told: not of a typing that they know nothing of.
    mutating func end(_ url: ChannelURL, _ turn: inout Turn) -> Bool {
        guard entries.removeValue(forKey: url) != nil else { return false }
        turn.add(.timer(.ownTyping, at: nextDeadline))
        return true
    }

    /// The channels where it is over since nobody said it again, in a fixed order.
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
