import SyncModel
import SyncStore

/// How long own messages are sent and kept, and when the next one becomes too old.
///
/// Ages are counted by this machine's clock. A pending message is sent for three days; then it fails, and only the host
/// can have it sent. A failed message is kept as long as the host configured, and so is an accepted message whose place
/// the service never tells.
struct OwnAges {
    private static let day: Int64 = 86_400_000
    /// Milliseconds for which a message is sent without a new request of the host.
    private static let pendingLifetime: Int64 = 3 * day
    /// The monotonic clock may stop while the machine sleeps, and the wall clock may be set: so they are compared this
    /// often.
    private static let longestWait: Int64 = 3_600_000

    /// When the next message becomes too old, by this machine's clock; `nil` when there is none.
    private var next: Int64?

    static func isTooOldToSend(_ intent: Intent, _ context: Context) -> Bool {
        context.now.wall - intent.createdAt > pendingLifetime
    }

    static func isTooOldToKeep(_ intent: Intent, _ context: Context) -> Bool {
        intent.status != .pending && context.now.wall - intent.createdAt > keptFor(context)
    }

    private static func keptFor(_ context: Context) -> Int64 { Int64(context.options.failedRetentionDays) * day }

    /// A message was added or changed: sets the timer if it is the first to become too old.
    mutating func note(_ intent: Intent, _ turn: inout Turn) {
        let lifetime = intent.status == .pending ? OwnAges.pendingLifetime : OwnAges.keptFor(turn.context)
        let (end, isTooLarge) = intent.createdAt.addingReportingOverflow(lifetime)
        guard !isTooLarge, end < next ?? Int64.max else { return }
        next = end
        setTimer(end, &turn)
    }

    /// Starts over with these messages.
    mutating func reset(_ intents: [Intent], _ turn: inout Turn) {
        next = nil
        for intent in intents { note(intent, &turn) }
        if next == nil { turn.add(.timer(.ownAges, at: nil)) }
    }

    private func setTimer(_ end: Int64, _ turn: inout Turn) {
        // A message that is too old may be in flight now, and then it is checked again soon.
        let wait = min(max(end - turn.now.wall, 1000), OwnAges.longestWait)
        turn.add(.timer(.ownAges, at: turn.now.monotonic + wait + 1))
    }
}
