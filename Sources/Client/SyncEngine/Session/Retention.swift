import SyncModel
import SyncStore

/// Up to when the service has purged messages. It is asked for after a login in which the service says that this
/// changed.
///
/// Nobody is told when old messages are purged, and no change log names them. So cached channels are cut as soon as the
/// time is known up to which their messages are purged: here, or from a channel's own record.
///
/// The list is always read from its beginning: the time for a custom type replaces the general one, also when the two
/// were set at different times.
final class Retention: Machine {
    private static let timeKey = "retention.time"

    private enum State {
        case idle
        case due(Question)
        case asked(Question)
    }

    /// From where the next page is read, and what the pages before it said.
    private struct Question {
        var since = ChangePoint.time(0)
        var told = RetentionPage()
    }

    private var state = State.idle
    private var gate = RetryGate()

    /// Up to when changes of the purge times are known, by the service's clock; 0 when none are known.
    static func knownTime(_ storage: Storage) -> Int64 {
        let text = storage.cached { (cache) throws(StoreError) in try cache.value(timeKey) } ?? nil
        return text.flatMap { Int64($0) } ?? 0
    }

    /// A request is in flight, or waits for its retry.
    var isBusy: Bool {
        if case .idle = state { false } else { true }
    }

    func sessionBegan(_ context: Context) {
        if case .loggedIn(let info) = context.connection, info.hasNewRetention { state = .due(Question()) }
    }

    func sessionEnded(_ turn: inout Turn) {
        state = .idle
        gate = RetryGate()
        turn.add(.timer(.retention, at: nil))
    }

    /// Asks for whatever can be asked for now. An unnecessary call does no harm.
    func pump(_ turn: inout Turn) {
        guard turn.canSync, case .due(let question) = state else { return }
        guard gate.isOpen(at: turn.now.monotonic) else {
            return turn.add(.timer(.retention, at: gate.pausedUntil))
        }
        state = .asked(question)
        turn.add(.ask(.retention, .retention(since: question.since)))
    }

    /// The answer. Once the last page has come, returns the fact that follows; the caller then calls `taken`.
    func arrived(_ reply: ServiceReply, _ turn: inout Turn) -> ChannelFact? {
        guard case .asked(var question) = state else { return nil }
        guard case .retention(let page) = reply else {
            receive(failure: reply, &turn)
            return nil
        }
        gate.succeed()
        question.told.merge(page)
        if page.hasMore, !page.next.isEmpty, question.since != .token(page.next) {
            question.since = .token(page.next)
            state = .due(question)
            pump(&turn)
            return nil
        }
        let changed = turn.storage.cached { (cache) throws(StoreError) in
            var changed: [ChannelRecord] = []
            for url in try cache.channels.urls() {
                guard let channel = try cache.channels.channel(url),
                    let end = question.told.end(for: channel.customType),
                    case .changed(let cut) = ChannelFacts.outcome(ofRetention: end, in: channel, turn.context)
                else { continue }
                changed.append(cut)
            }
            return changed
        }
        guard let changed else {
            retry(nil, &turn)
            return nil
        }
        return ChannelFact(
            changed: changed, cause: Cause(.channelChangelog),
            progress: [(Retention.timeKey, String(question.told.time))])
    }

    /// Whether the fact that followed from the answer could be stored.
    func taken(_ isStored: Bool, _ turn: inout Turn) {
        if isStored { state = .idle } else { retry(nil, &turn) }
    }

    private func receive(failure reply: ServiceReply, _ turn: inout Turn) {
        let failure = if case .failure(let failure) = reply { failure } else { ServiceFailure?.none }
        switch failure?.kind {
        // The service has no purge times, or does not give them to this user.
        case .refused, .tooLarge, .notFound: state = .idle
        default: retry(failure, &turn)
        }
    }

    private func retry(_ failure: ServiceFailure?, _ turn: inout Turn) {
        state = .due(Question())
        gate.fail(failure, at: turn.now.monotonic, turn.random)
        pump(&turn)
    }
}
