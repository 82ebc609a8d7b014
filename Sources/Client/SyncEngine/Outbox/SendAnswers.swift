import SyncModel
import SyncStore

/// Messages that are sent by requests while the connection is lost.
///
/// The request id is the same for both ways, so an attempt whose answer is lost may be repeated in either way: the
/// service returns the message that it already has. The message in the answer cannot be placed among messages missed
/// meanwhile. So it is shown as accepted, and enters its list with the page that the next session asks for. After a
/// failure that may be temporary, the message stays as it is and no attempt is counted, because the connection may be
/// away for long.
extension Outbox {
    /// The answer to a send by request; the connection may have come back meanwhile.
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
        // Its place among the messages that the connection told is not known.
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
        // The service has the message already. It is sent once more in the next session, and then looked up.
        let isThere = failure.kind == .exists
        let isForGood = failure.kind == .notFound || failure.kind.isForGood && !isThere
        let isGivenUp = turn.options.resendPolicy != .automatic && !turn.isLoggedIn && !isThere
        if let intent, isForGood || isGivenUp { fail(intent, failure, &turn) }
        // After the effects for this message: other messages may fail because of this.
        if failure.kind == .tokenRejected, !turn.isLoggedIn { turn.add(.keyRefused) }
        if !isForGood { messages[url]?.gate.fail(failure, at: turn.now.monotonic, turn.random) }
    }
}
