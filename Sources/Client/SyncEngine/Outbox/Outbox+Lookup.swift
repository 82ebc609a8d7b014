import SyncModel
import SyncStore

/// The lookup of messages that the service says it has already.
extension Outbox {
    /// Until the lookup ends, the message counts as being sent, and no other one of its channel is sent.
    func look(for lookup: OwnLookup, _ turn: inout Turn) {
        turn.add(.ask(.lookup(lookup), lookup.request))
    }

    /// A page of this user's messages. If the answer decides nothing, the message stays pending: it is sent again after
    /// a pause or at the next login, and is then looked up again.
    func receive(_ reply: ServiceReply, to lookup: OwnLookup, _ turn: inout Turn) {
        let (url, intent) = (lookup.channelURL, intent(lookup.requestID))
        let outcome = lookup.outcome(of: reply, turn.context)
        if case .goesOn(let next) = outcome, intent != nil { return look(for: next, &turn) }
        messages[url]?.sending = nil
        turn.add(.sendEnded(channelURL: url, isInDoubt: false))
        switch outcome {
        case .found(let message): found(message, intent, in: url, &turn)
        case .failed(let failure) where failure.kind == .notFound || failure.kind.isForGood:
            if let intent { fail(intent, failure, &turn) }
        case .failed(let failure): messages[url]?.gate.fail(failure, at: turn.now.monotonic, turn.random)
        case .missing: if let intent { fail(intent, lookup.refusal, &turn) }
        // The message was given up meanwhile, or a page brought it.
        case .goesOn: break
        }
        messages.dropIfEmpty(url)
    }

    /// Its place among the messages that the socket told is not known, and it may be older than the session.
    private func found(_ message: MessageRecord, _ intent: Intent?, in url: ChannelURL, _ turn: inout Turn) {
        messages[url]?.gate.succeed()
        let completion = intent.flatMap { settle($0, message, &turn) }
        var fact = MessageFact.sent(message, url, isInOrder: false)
        fact.wasLookedUp = true
        turn.add(.messages(fact))
        if let completion { turn.complete(completion) }
    }
}
