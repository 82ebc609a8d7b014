/// What is due when. One deadline per key; setting a key again replaces it.
struct TimerQueue {
    enum Key: Hashable {
        case reconnect, ping, pong, login
        case channelSync, channelChanges
        case messageSync(UInt64)
        case outbox(String)
        case fetch(UInt64)
        case typing
    }

    private var deadlines: [Key: Int64] = [:]

    var next: Int64? { deadlines.values.min() }

    /// Whether a repeated request is planned: sync is not at rest then.
    var hasWork: Bool {
        deadlines.keys.contains { key in
            switch key {
            case .channelSync, .channelChanges, .messageSync, .outbox: true
            case .reconnect, .ping, .pong, .login, .fetch, .typing: false
            }
        }
    }

    mutating func set(_ key: Key, at deadline: Int64) { deadlines[key] = deadline }
    mutating func cancel(_ key: Key) { deadlines[key] = nil }
    mutating func cancelAll() { deadlines = [:] }

    /// Takes out one key that is due, earliest first; ties in a fixed order so that a run repeats.
    mutating func takeDue(at now: Int64) -> Key? {
        let due = deadlines.filter { $0.value <= now }
        guard let first = due.min(by: { ($0.value, TimerQueue.rank($0.key)) < ($1.value, TimerQueue.rank($1.key)) })
        else { return nil }
        deadlines[first.key] = nil
        return first.key
    }

    private static func rank(_ key: Key) -> String {
        switch key {
        case .reconnect: "a"
        case .ping: "b"
        case .pong: "c"
        case .login: "d"
        case .channelSync: "e"
        case .channelChanges: "f"
        case .messageSync(let id): "g\(id)"
        case .outbox(let url): "h\(url)"
        case .fetch(let id): "i\(id)"
        case .typing: "j"
        }
    }
}
