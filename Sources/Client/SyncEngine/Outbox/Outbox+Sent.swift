import SyncModel
import SyncStore

/// Own messages that the service has: what becomes of them here.
extension Outbox {
    /// The service has answered a send of this channel: nothing is in doubt, and the next attempt need not wait.
    func attemptSucceeded(in url: ChannelURL, _ turn: inout Turn) {
        turn.add(.sendEnded(channelURL: url, isInDoubt: false))
        messages[url]?.gate.succeed()
    }

    /// The service has the message.
    func sent(
        _ intent: Intent, _ message: MessageRecord, isInOrder: Bool, _ turn: inout Turn
    ) {
        let completion = settle(intent, message, &turn)
        turn.add(.messages(.sent(message, intent.channelURL, isInOrder: isInOrder)))
        if let completion { turn.complete(completion) }
    }

    /// The service has the message and does not say where it stands. It is shown as pending until the stream or a page
    /// brings it, after a restart too, and is not sent again.
    ///
    /// `message`: as the service has it, where it said so.
    func accepted(
        _ intent: Intent, as id: MessageID, _ message: MessageRecord?, _ turn: inout Turn
    ) {
        let completion = calls.take(intent.requestID, .ok)
        let json: [UInt8]
        if let message = turn.storage.message(id, in: intent.channelURL) {
            // The stream was faster, and did not name the request.
            json = message.json
            settle(told: intent, turn.context)
            hideSent(intent, &turn)
        } else {
            var accepted = intent
            accepted.status = .accepted
            accepted.messageID = id
            json = turn.rules.json(of: OwnMessageContent(accepted), userID: turn.options.userID)
            order.drop(intent.requestID)
            // Where this cannot be stored, the next process sends it once more with the same id.
            _ = messages.persist(accepted, turn.context)
            messages.put(accepted)
            if intent.hasFailed { hideSent(intent, &turn) }
            windows.put(accepted, Cause(.eventMessageSent), &turn)
            ages.note(accepted, &turn)
        }
        guard var completion else { return }
        completion.message = message?.json ?? json
        turn.complete(completion)
    }

    /// The stream leaves out messages of a channel. Accepted ones may be among them, and then it never brings them:
    /// they are shown again when a page does.
    func leftOut(in url: ChannelURL, _ turn: inout Turn) {
        for intent in messages[url]?.intents ?? [] where intent.status == .accepted {
            settle(told: intent, turn.context)
            hideSent(intent, &turn)
        }
    }

    /// The message here that the service's one is: by its request, or, where the service names that only to who asked,
    /// by the id under which it was accepted.
    private func own(_ message: MessageRecord, in url: ChannelURL) -> Intent? {
        if !message.requestID.isEmpty, let intent = intent(message.requestID), intent.channelURL == url {
            return intent
        }
        return messages[url]?.intents.first { $0.messageID == message.id }
    }

    /// Whether this own message of a channel is not known to be the service's yet.
    func holds(_ requestID: RequestID, in url: ChannelURL) -> Bool {
        intent(requestID)?.channelURL == url
    }

    /// A message came by a page or by the socket: if it is one of ours, it has been sent. Gives what to tell its caller
    /// once the message is taken in.
    func confirm(_ message: MessageRecord, in url: ChannelURL, _ turn: inout Turn)
        -> Completion?
    {
        guard message.senderID == turn.options.userID, let intent = own(message, in: url) else { return nil }
        return settle(intent, message, &turn)
    }

    func settle(_ intent: Intent, _ message: MessageRecord, _ turn: inout Turn) -> Completion? {
        leaving.add(intent)
        settle(told: intent, turn.context)
        return calls.take(intent.requestID, .ok, message: message.json)
    }

    /// The cache has this message: if it is an own one that was shown as pending, it is shown so no more.
    func taken(_ message: MessageRecord, in url: ChannelURL, _ turn: inout Turn) {
        guard !leaving.isEmpty, message.senderID == turn.options.userID else { return }
        if let intent = leaving.take(message, in: url) { hideSent(intent, &turn) }
    }

    private func hideSent(_ intent: Intent, _ turn: inout Turn) {
        windows.remove(intent, .removeResendSucceeded, Cause(.eventMessageSent), &turn)
    }

    var hasLeaving: Bool { !leaving.isEmpty }

    /// Nothing that the service has is still to come into the cache.
    func leaveAll(_ turn: inout Turn) {
        for intent in leaving.takeAll() { hideSent(intent, &turn) }
    }
}
