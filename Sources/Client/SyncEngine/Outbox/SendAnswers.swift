import SyncModel
import SyncStore

/// Answers of the service to sends: over the connection, or to requests while the connection is lost.
///
/// The request id is the same for both ways, so an attempt whose answer is lost may be repeated in either way: the
/// service returns the message that it already has. The message in the answer to a request cannot be placed among
/// messages missed meanwhile. So it is shown as accepted, and enters its list with the page that the next session asks
/// for. After a failure that may be temporary, the message stays as it is and no attempt is counted, because the
/// connection may be away for long.
struct SendAnswers {
    let outbox: Outbox

    /// The answer to a send.
    func receive(
        _ reply: ServiceReply, for requestID: RequestID, in url: ChannelURL, _ turn: inout Turn
    ) {
        if case .failure(let failure) = reply, failure.kind == .exists, outbox.intent(requestID) != nil {
            return look(for: OwnLookup(requestID: requestID, channelURL: url, refusal: failure), &turn)
        }
        outbox.messages[url]?.sending = nil
        switch reply {
        case .accepted(let id):
            outbox.sentMessages.attemptSucceeded(in: url, &turn)
            if let intent = outbox.intent(requestID) { outbox.sentMessages.accepted(intent, as: id, nil, &turn) }
        case .message(let message):
            outbox.sentMessages.attemptSucceeded(in: url, &turn)
            if let intent = outbox.intent(requestID) {
                outbox.sentMessages.sent(intent, message, isInOrder: true, &turn)
            } else {
                // It came back by a page or an event, or it was given up too late: the service has it.
                turn.add(.messages(.sent(message, url, isInOrder: true)))
            }
        default:
            let failure =
                if case .failure(let failure) = reply { failure } else { turn.rules.failure(.unexpectedReply) }
            turn.add(.sendEnded(channelURL: url, isInDoubt: failure.mayHaveArrived && turn.isLoggedIn))
            if let intent = outbox.intent(requestID) { outbox.fail(intent, failure, &turn) }
            // After a refusal for good, the next message need not wait.
            if turn.rules.isCurable(code: failure.code) {
                outbox.messages[url]?.gate.fail(failure, at: turn.now.monotonic, turn.random)
            }
        }
        outbox.messages.dropIfEmpty(url)
    }

    // MARK: Requests

    /// The answer to a send by request; the connection may have come back meanwhile.
    func receive(
        _ reply: ServiceReply, toRequestFor requestID: RequestID, in url: ChannelURL, _ turn: inout Turn
    ) {
        outbox.messages[url]?.sending = nil
        switch reply {
        case .message(let message):
            outbox.sentMessages.attemptSucceeded(in: url, &turn)
            sentByRequest(outbox.intent(requestID), message, in: url, &turn)
        default:
            let failure =
                if case .failure(let failure) = reply { failure } else { turn.rules.failure(.unexpectedReply) }
            failed(outbox.intent(requestID), failure, in: url, &turn)
        }
        outbox.messages.dropIfEmpty(url)
    }

    private func sentByRequest(
        _ intent: Intent?, _ message: MessageRecord, in url: ChannelURL, _ turn: inout Turn
    ) {
        guard turn.isLoggedIn else {
            if let intent { outbox.sentMessages.accepted(intent, as: message.id, message, &turn) }
            return
        }
        let completion = intent.flatMap { outbox.sentMessages.settle($0, message, &turn) }
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
        if let intent, isForGood || isGivenUp { outbox.fail(intent, failure, &turn) }
        // After the effects for this message: other messages may fail because of this.
        if failure.kind == .tokenRejected, !turn.isLoggedIn { turn.add(.keyRefused) }
        if !isForGood { outbox.messages[url]?.gate.fail(failure, at: turn.now.monotonic, turn.random) }
    }

    // MARK: Lookup of messages that the service says it has already

    /// Until the lookup ends, the message counts as being sent, and no other one of its channel is sent.
    func look(for lookup: OwnLookup, _ turn: inout Turn) {
        turn.add(.ask(.lookup(lookup), lookup.request))
    }

    /// A page of this user's messages. If the answer decides nothing, the message stays pending: it is sent again after
    /// a pause or at the next login, and is then looked up again.
    func receive(_ reply: ServiceReply, to lookup: OwnLookup, _ turn: inout Turn) {
        let (url, intent) = (lookup.channelURL, outbox.intent(lookup.requestID))
        let outcome = lookup.outcome(of: reply, turn.context)
        if case .goesOn(let next) = outcome, intent != nil { return look(for: next, &turn) }
        outbox.messages[url]?.sending = nil
        turn.add(.sendEnded(channelURL: url, isInDoubt: false))
        switch outcome {
        case .found(let message): found(message, intent, in: url, &turn)
        case .failed(let failure) where failure.kind == .notFound || failure.kind.isForGood:
            if let intent { outbox.fail(intent, failure, &turn) }
        case .failed(let failure): outbox.messages[url]?.gate.fail(failure, at: turn.now.monotonic, turn.random)
        case .missing: if let intent { outbox.fail(intent, lookup.refusal, &turn) }
        // The message was given up meanwhile, or a page brought it.
        case .goesOn: break
        }
        outbox.messages.dropIfEmpty(url)
    }

    /// Its place among the messages that the socket told is not known, and it may be older than the session.
    private func found(_ message: MessageRecord, _ intent: Intent?, in url: ChannelURL, _ turn: inout Turn) {
        outbox.messages[url]?.gate.succeed()
        let completion = intent.flatMap { outbox.sentMessages.settle($0, message, &turn) }
        var fact = MessageFact.sent(message, url, isInOrder: false)
        fact.wasLookedUp = true
        turn.add(.messages(fact))
        if let completion { turn.complete(completion) }
    }
}

extension Outbox {
    var answers: SendAnswers { SendAnswers(outbox: self) }
}

extension ServiceFailure {
    /// Whether the service may have carried out the request in spite of the failure.
    var mayHaveArrived: Bool { [.timedOut, .unreachable, .tooLarge, .crowded].contains(kind) }
}
