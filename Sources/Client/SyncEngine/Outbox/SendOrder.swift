import SyncModel
import SyncStore

/// Which message of a channel goes out next, and whether one does now.
///
/// What the host sends or resends while logged in goes out at once, in its turn. What a login finds waiting, and what
/// failed, goes out by itself: after the first success of channel sync, which tells which channels are frozen, and not
/// into those. While the host pauses sync nothing is waited for.
struct SendOrder {
    /// Request ids of what the host asked to send in this session.
    private var asked: Set<RequestID> = []
    /// Channel sync has succeeded in this session, or in the last one while there is none.
    private var hasSynced = false

    mutating func ask(for requestID: RequestID) { asked.insert(requestID) }

    /// It has failed, or has left the outbox.
    mutating func drop(_ requestID: RequestID) { asked.remove(requestID) }

    mutating func forgetAsked() { asked = [] }

    /// Which channels are frozen has to be told again.
    mutating func sessionBegan() {
        forgetAsked()
        hasSynced = false
    }

    /// Channel sync got its answer; `true` when it is the session's first.
    mutating func synced() -> Bool {
        defer { hasSynced = true }
        return !hasSynced
    }

    /// The oldest that may go out now.
    func next(
        in channel: OutboxChannel, _ url: ChannelURL, _ files: [RequestID: FileState], _ context: Context
    ) -> Intent? {
        guard let first = first(in: channel, files, context, where: { _ in true }) else { return nil }
        if isAsked(first) { return first }
        // Not past it either: what was written later comes later.
        if !hasSynced, !context.isPaused { return nil }
        guard let record = context.storage.channel(url), context.rules.isClosedToSends(record) else { return first }
        return self.first(in: channel, files, context, where: isAsked)
    }

    /// The first in the order of writing that is to be sent. One with files has its turn when the service has them, and
    /// when no earlier one waits for its own. Others overtake it, unless it asks them to wait.
    private func first(
        in channel: OutboxChannel, _ files: [RequestID: FileState], _ context: Context, where isWanted: (Intent) -> Bool
    ) -> Intent? {
        var hasFileAhead = false
        for intent in channel.intents where isToBeSent(intent, context) {
            if let file = files[intent.requestID], file.next != nil || hasFileAhead {
                if file.waits { return nil }
                hasFileAhead = true
            } else if isWanted(intent) {
                return intent
            }
        }
        return nil
    }

    /// Messages of a channel with a file to be uploaded that may go out, oldest first.
    func waitingForFiles(
        in channel: OutboxChannel, _ url: ChannelURL, _ files: [RequestID: FileState], _ context: Context
    ) -> [Intent] {
        var isOpen: Bool?
        return channel.intents.filter { intent in
            guard files[intent.requestID]?.next != nil, isToBeSent(intent, context), !isStale(intent, context) else {
                return false
            }
            if isAsked(intent) { return true }
            if !hasSynced, !context.isPaused { return false }
            let isOpenNow = isOpen ?? context.storage.channel(url).map { !context.rules.isClosedToSends($0) } ?? true
            isOpen = isOpenNow
            return isOpenNow
        }
    }

    /// Whether it has waited for longer than a message is sent without the host asking for it.
    func isStale(_ intent: Intent, _ context: Context) -> Bool {
        intent.status == .pending && !isAsked(intent) && OwnAges.isTooOldToSend(intent, context)
    }

    private func isAsked(_ intent: Intent) -> Bool { intent.status == .pending && asked.contains(intent.requestID) }

    private func isToBeSent(_ intent: Intent, _ context: Context) -> Bool {
        if intent.isHostSent || intent.status == .accepted { return false }
        if intent.status == .pending { return true }
        return context.options.resendPolicy == .automatic && intent.retryCount < context.options.resendRetryCount
            && !OwnAges.isTooOldToSend(intent, context) && context.rules.isCurable(code: intent.errorCode)
    }
}
