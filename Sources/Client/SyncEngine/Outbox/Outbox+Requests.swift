import SyncModel
import SyncStore

/// Messages that go out while the connection is lost, by requests of their own.
///
/// The request id is the same by both roads, so an attempt whose answer is lost may be repeated by either: the service
/// gives the message again that it has. What the answer says cannot be placed among what is missed meanwhile. So the
/// message is shown as accepted, and comes into its list by the page that the next session asks for. A failure that
/// says nothing for good leaves the message as it is, and counts as no attempt: the connection is away for longer.
extension Outbox {
    /// The answer; the connection may have come back meanwhile.
    func receive(
        _ reply: ServiceReply, toRequestFor requestID: RequestID, in url: ChannelURL, _ turn: inout Turn
    ) {
        messages[url]?.sending = nil
        switch reply {
        case .message(let message):
            attemptSucceeded(in: url, &turn)
            sentByRequest(intent(requestID), message, in: url, &turn)
        default:
            let failure =
                if case .failure(let failure) = reply { failure } else { turn.rules.failure(.unexpectedReply) }
            failed(intent(requestID), failure, in: url, &turn)
        }
        messages.dropIfEmpty(url)
    }

    private func sentByRequest(
        _ intent: Intent?, _ message: MessageRecord, in url: ChannelURL, _ turn: inout Turn
    ) {
        guard turn.isLoggedIn else {
            if let intent { accepted(intent, as: message.id, message, &turn) }
            return
        }
        let completion = intent.flatMap { settle($0, message, &turn) }
        // Where it stands among what the connection told is not known.
        var fact = MessageFact.sent(message, url, isInOrder: false)
        fact.wasLookedUp = true
        turn.add(.messages(fact))
        if let completion { turn.complete(completion) }
    }

    private func failed(
        _ intent: Intent?, _ failure: ServiceFailure, in url: ChannelURL, _ turn: inout Turn
    ) {
        let mayHaveArrived = failure.mayHaveArrived || failure.kind == .unavailable
        turn.add(.sendEnded(channelURL: url, isInDoubt: mayHaveArrived && turn.isLoggedIn))
        // The service has it. Sent once more in the next session, it is looked for there.
        let isThere = failure.kind == .exists
        let isForGood = failure.kind == .notFound || failure.kind.isForGood && !isThere
        let isGivenUp = turn.options.resendPolicy != .automatic && !turn.isLoggedIn && !isThere
        if let intent, isForGood || isGivenUp { fail(intent, failure, &turn) }
        // Behind what was told of this message: others may fail by it.
        if failure.kind == .tokenRejected, !turn.isLoggedIn { turn.add(.keyRefused) }
        if !isForGood { messages[url]?.gate.fail(failure, at: turn.now.monotonic, turn.random) }
    }
}
