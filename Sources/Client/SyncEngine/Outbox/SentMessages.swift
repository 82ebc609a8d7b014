import SyncModel
import SyncStore

/// What is done with own messages when the service has them.
struct SentMessages {
    let outbox: Outbox

    /// The service has answered a send in this channel: nothing is in doubt, and the next send need not wait.
    func attemptSucceeded(in url: ChannelURL, _ turn: inout Turn) {
        turn.add(.sendEnded(channelURL: url, isInDoubt: false))
        outbox.messages[url]?.gate.succeed()
    }

    /// The service has the message.
    func sent(
        _ intent: Intent, _ message: MessageRecord, isInOrder: Bool, _ turn: inout Turn
    ) {
        let completion = settle(intent, message, &turn)
        turn.add(.messages(.sent(message, intent.channelURL, isInOrder: isInOrder)))
        if let completion { turn.complete(completion) }
    }

    /// The service has the message and does not say where it belongs. It is shown as pending until the stream or a page
    /// brings it, also after a restart, and is not sent again.
    ///
    /// `message`: the message as the service has it, if the answer had it.
    func accepted(
        _ intent: Intent, as id: MessageID, _ message: MessageRecord?, _ turn: inout Turn
    ) {
        let completion = outbox.calls.take(intent.requestID, .ok)
        let json: [UInt8]
        if let message = turn.storage.message(id, in: intent.channelURL) {
            // The stream came first, without the request id.
            json = message.json
            outbox.settle(told: intent, turn.context)
            hideSent(intent, &turn)
        } else {
            var accepted = intent
            accepted.status = .accepted
            accepted.messageID = id
            json = turn.rules.json(of: OwnMessageContent(accepted), userID: turn.options.userID)
            outbox.order.drop(intent.requestID)
            // If this cannot be stored, the next process sends it once more with the same id.
            _ = outbox.messages.persist(accepted, turn.context)
            outbox.messages.put(accepted)
            if intent.hasFailed { hideSent(intent, &turn) }
            outbox.windows.put(accepted, Cause(.eventMessageSent), &turn)
            outbox.ages.note(accepted, &turn)
        }
        guard var completion else { return }
        completion.message = message?.json ?? json
        turn.complete(completion)
    }

    /// The stream skips messages of a channel. Accepted messages may be among them, and then the stream never brings
    /// them: they are removed from the pending list, and shown again when a page brings them.
    func leftOut(in url: ChannelURL, _ turn: inout Turn) {
        for intent in outbox.messages[url]?.intents ?? [] where intent.status == .accepted {
            outbox.settle(told: intent, turn.context)
            hideSent(intent, &turn)
        }
    }

    /// The own message that this message of the service is: found by its request id, or, where the service tells that
    /// only to the requester, by the id under which it was accepted.
    private func own(_ message: MessageRecord, in url: ChannelURL) -> Intent? {
        if !message.requestID.isEmpty, let intent = outbox.intent(message.requestID), intent.channelURL == url {
            return intent
        }
        return outbox.messages[url]?.intents.first { $0.messageID == message.id }
    }

    /// Whether this request id belongs to an own message of the channel that the service is not known to have yet.
    func holds(_ requestID: RequestID, in url: ChannelURL) -> Bool {
        outbox.intent(requestID)?.channelURL == url
    }

    /// A message came by a page or by the socket: if it is an own one, it has been sent. Returns the completion of its
    /// call, for when the message has been stored.
    func confirm(_ message: MessageRecord, in url: ChannelURL, _ turn: inout Turn)
        -> Completion?
    {
        guard message.senderID == turn.options.userID, let intent = own(message, in: url) else { return nil }
        return settle(intent, message, &turn)
    }

    func settle(_ intent: Intent, _ message: MessageRecord, _ turn: inout Turn) -> Completion? {
        outbox.leaving.add(intent)
        outbox.settle(told: intent, turn.context)
        return outbox.calls.take(intent.requestID, .ok, message: message.json)
    }

    /// The cache has this message: if it is an own one that is shown as pending, it leaves the pending list.
    func taken(_ message: MessageRecord, in url: ChannelURL, _ turn: inout Turn) {
        guard !outbox.leaving.isEmpty, message.senderID == turn.options.userID else { return }
        if let intent = outbox.leaving.take(message, in: url) { hideSent(intent, &turn) }
    }

    private func hideSent(_ intent: Intent, _ turn: inout Turn) {
        outbox.windows.remove(intent, .removeResendSucceeded, Cause(.eventMessageSent), &turn)
    }

    var hasLeaving: Bool { !outbox.leaving.isEmpty }

    /// No message that the service has is still on its way to the cache: those left leave the pending list.
    func leaveAll(_ turn: inout Turn) {
        for intent in outbox.leaving.takeAll() { hideSent(intent, &turn) }
    }
}

extension Outbox {
    var sentMessages: SentMessages { SentMessages(outbox: self) }
}
