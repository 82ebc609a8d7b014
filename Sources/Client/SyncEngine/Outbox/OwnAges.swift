import SyncModel
import SyncStore

/// How long own messages are sent and kept, and when that has to be looked at next.
///
/// Ages are counted by this machine's clock. A pending message is sent for three days, then it has failed and only the
/// host can send it; a failed one is kept for as long as the host configured, and so is one of which the service never
/// tells where it stands.
struct OwnAges {
    private static let day: Int64 = 86_400_000
    /// Milliseconds for which a message is sent without the host asking for it again.
    private static let pendingLifetime: Int64 = 3 * day
    /// The monotonic clock stands while the machine sleeps, and the other one is set: so they are compared this often.
    private static let longestWait: Int64 = 3_600_000

    /// By this machine's clock; `nil` when nothing grows too old.
    private var next: Int64?

    static func isTooOldToSend(_ intent: Intent, _ context: Context) -> Bool {
        context.now.wall - intent.createdAt > pendingLifetime
    }

    static func isTooOldToKeep(_ intent: Intent, _ context: Context) -> Bool {
        intent.status != .pending && context.now.wall - intent.createdAt > keptFor(context)
    }

    private static func keptFor(_ context: Context) -> Int64 { Int64(context.options.failedRetentionDays) * day }

    /// A message was taken in or changed: the timer is set when it is the first to grow too old.
    mutating func note(_ intent: Intent, _ turn: inout Turn) {
        let lifetime = intent.status == .pending ? OwnAges.pendingLifetime : OwnAges.keptFor(turn.context)
        let (end, isTooLarge) = intent.createdAt.addingReportingOverflow(lifetime)
        guard !isTooLarge, end < next ?? Int64.max else { return }
        next = end
        setTimer(end, &turn)
    }

    /// Counts the messages there are, and no others.
    mutating func reset(_ intents: [Intent], _ turn: inout Turn) {
        next = nil
        for intent in intents { note(intent, &turn) }
        if next == nil { turn.add(.timer(.ownAges, at: nil)) }
    }

    private func setTimer(_ end: Int64, _ turn: inout Turn) {
        // A message of which the age is looked at now may be under way: it is looked at again soon.
        let wait = min(max(end - turn.now.wall, 1000), OwnAges.longestWait)
        turn.add(.timer(.ownAges, at: turn.now.monotonic + wait + 1))
    }
}
