import SyncModel
import SyncStore

/// Decides which message of a channel is sent next, and whether one is sent now.
///
/// Messages that the host sends or resends while logged in are sent at once, in their order. Messages that waited at a
/// login, and failed ones, are sent automatically: after the first success of channel sync, which tells which channels
/// are frozen, and not in frozen channels. While the host pauses sync, this success is not waited for.
struct SendOrder {
    /// Request ids of messages that the host sent or resent in this session.
    private var asked: Set<RequestID> = []
    /// Channel sync has succeeded in this session, or, without a session, in the last one.
    private var hasSynced = false

    mutating func ask(for requestID: RequestID) { asked.insert(requestID) }

    /// The message has failed, or has left the outbox.
    mutating func drop(_ requestID: RequestID) { asked.remove(requestID) }

    mutating func forgetAsked() { asked = [] }

    /// Channel sync has to tell again which channels are frozen.
    mutating func sessionBegan() {
        forgetAsked()
        hasSynced = false
    }

    /// Channel sync got its complete answer; `true` when it is the first in this session.
    mutating func synced() -> Bool {
        defer { hasSynced = true }
        return !hasSynced
    }

    /// The oldest message that may be sent now.
    func next(
        in channel: OutboxChannel, _ url: ChannelURL, _ files: [RequestID: FileState], _ context: Context
    ) -> Intent? {
        guard let first = first(in: channel, files, context, where: { _ in true }) else { return nil }
        if isAsked(first) { return first }
        // Later messages wait, too, so that the order is kept.
        if !hasSynced, !context.isPaused { return nil }
        guard let record = context.storage.channel(url), context.rules.isClosedToSends(record) else { return first }
        return self.first(in: channel, files, context, where: isAsked)
    }

    /// The first message to be sent, in the order of writing. A message with files may be sent when its files are
    /// uploaded and no earlier message waits for its own files. Messages without files overtake it, unless it says that
    /// they wait.
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

    /// Messages of a channel that may be sent and have a file to upload, oldest first.
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

    /// Whether a pending message has waited too long to be sent without a new request of the host.
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
