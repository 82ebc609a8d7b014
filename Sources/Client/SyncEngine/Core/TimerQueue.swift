import SyncBytes
import SyncModel

/// The deadlines, one for each key; setting a key again replaces its deadline.
struct TimerQueue {
    enum Key: Hashable {
        /// Requests held back because the service asked for a pause.
        case heldRequests
        case reconnect
        /// A host in the background loses its connection.
        case background
        /// Parts of a large answer that are still to be taken in.
        case answerParts
        case channelSync
        case timeline(HistoryID)
        case outbox(channelURL: ChannelURL)
        /// The retry of a file of an own message.
        case uploads
        case fetch(call: CallID)
        /// The next part of a fetch of everything newer; other inputs have their turn before it.
        case fetchAll(call: CallID)
        /// The deadline of an action that waits for the end of a pause.
        case action(call: CallID)
        case typing
        /// Own messages grow too old to be sent or kept.
        case ownAges
        /// Drafts are stored.
        case drafts
        case ownTyping
        /// The next batch of a stream is told.
        case streams
        case deliveries
        case mutes
        case database
        case retention
        /// `Notices` retries its requests for pages.
        case notices
        /// The next slice of making room in the cache; other inputs have their turn before it.
        case trim
        /// The next slice of an export; other inputs have their turn before it.
        case export
        /// The next slice of the work of search; other inputs have their turn before it.
        case search
        /// The next look for messages that are too old to be kept.
        case aging
        /// A channel that is prefetched is given up, or the next ones are looked for.
        case prefetch
        /// The service is told to go on from the last point that was stored.
        case resume

        /// Whether the timer stands for a request of sync that is repeated: until it fires, sync is not at rest.
        var isSyncWork: Bool {
            switch self {
            case .channelSync, .timeline, .answerParts, .heldRequests, .retention, .notices, .resume, .trim,
                .prefetch:
                true
            case .reconnect, .outbox, .uploads, .fetch, .fetchAll, .action, .typing, .ownTyping, .deliveries, .mutes,
                .background, .ownAges, .drafts, .streams, .database, .aging, .export, .search:
                false
            }
        }

        /// Whether the timer stands for the next part of a large piece of work.
        var isPart: Bool {
            switch self {
            case .answerParts, .fetchAll, .trim, .export, .search: true
            default: false
            }
        }

        /// The order of timers with the same deadline; fixed, so that a run with the same seed repeats.
        fileprivate var rank: String {
            switch self {
            case .heldRequests: "a"
            case .reconnect: "b"
            case .answerParts: "c"
            case .channelSync: "d"
            case .timeline(let id): "e\(id)"
            case .outbox(let url): "f\(url.text)"
            case .fetch(let call): "g\(call)"
            case .typing: "h"
            case .ownTyping: "i"
            case .deliveries: "j"
            case .mutes: "k"
            case .background: "m"
            case .action(let call): "l\(call)"
            case .ownAges: "n"
            case .streams: "p"
            case .retention: "q"
            case .fetchAll(let call): "o\(call)"
            case .database: "r"
            case .resume: "s"
            case .uploads: "t"
            case .drafts: "u"
            case .notices: "x"
            // After everything else that is due at the same time.
            case .trim: "v"
            case .aging: "w"
            case .prefetch: "y"
            case .export: "z"
            case .search: "zz"
            }
        }
    }

    private var deadlines: [Key: Int64] = [:]
    /// The earliest deadline; stored, because it is read after every input.
    private(set) var next: Int64?

    var hasSyncWork: Bool { deadlines.keys.contains { $0.isSyncWork } }

    /// Whether work is planned, for the simulator's checks. These do not count: the end of typing, of a mute, of a
    /// message's time or of a silent stream; storing a draft; looking for old messages.
    var hasWork: Bool {
        deadlines.keys.contains {
            $0 != .typing && $0 != .ownTyping && $0 != .mutes && $0 != .ownAges && $0 != .database
                && $0 != .drafts && $0 != .aging
        }
    }

    /// `nil` cancels.
    mutating func set(_ key: Key, at deadline: Int64?) {
        let before = deadlines[key]
        deadlines[key] = deadline
        if let deadline, deadline <= next ?? Int64.max {
            next = deadline
        } else if before != nil, before == next {
            next = deadlines.values.min()
        }
    }

    mutating func cancelAll() {
        deadlines = [:]
        next = nil
    }

    /// Takes out one key that is due, earliest first.
    mutating func takeDue(at now: Int64) -> Key? {
        guard let next, next <= now else { return nil }
        let due = deadlines.filter { $0.value <= now }
        func place(_ entry: (key: Key, value: Int64)) -> (Int64, TextKey) { (entry.value, TextKey(entry.key.rank)) }
        guard let first = due.min(by: { place($0) < place($1) }) else { return nil }
        set(first.key, at: nil)
        return first.key
    }
}
