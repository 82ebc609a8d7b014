import SyncModel
import SyncStore

/// Messages that the host sends by itself: they are kept here meanwhile, and the host says how its sends ended.
struct HostSentMessages {
    let outbox: Outbox

    func append(
        _ requestID: RequestID, _ body: [UInt8], _ url: ChannelURL, call: CallID, _ turn: inout Turn
    ) {
        if let failed = outbox.intent(requestID), failed.status == .failed, failed.channelURL == url {
            // The host sends it once more by itself.
            guard outbox.restart(failed, isHostSent: true, &turn) else {
                return turn.complete(Completion(call: call, name: .appendMessage, status: .storage))
            }
        } else {
            guard outbox.accept(requestID, body, url, isHostSent: true, call, .appendMessage, &turn)
            else { return }
        }
        turn.complete(Completion(call: call, name: .appendMessage, status: .ok, requestID: requestID))
    }

    /// The host sent a message by itself, whether it had appended it before or not.
    func sent(
        _ requestID: RequestID, _ message: MessageRecord, _ url: ChannelURL, call: CallID, _ name: Completion.Name,
        _ turn: inout Turn
    ) {
        guard message.senderID == turn.options.userID else {
            return turn.complete(Completion(call: call, name: name, status: .notOwnMessage))
        }
        // The host may say this before this client's connection told earlier messages.
        if let intent = outbox.intent(requestID), intent.channelURL == url {
            outbox.sentMessages.sent(intent, message, isInOrder: false, &turn)
        } else {
            turn.add(.messages(.sent(message, url, isInOrder: false)))
        }
        turn.complete(Completion(
            call: call, name: name, status: .ok, requestID: requestID.isEmpty ? nil : requestID))
    }

    /// The host's own send failed. A message that was never appended is kept as failed, if the resend policy keeps
    /// failed ones.
    func failed(
        _ requestID: RequestID, _ body: [UInt8]?, code: Int, _ url: ChannelURL, call: CallID, _ turn: inout Turn
    ) {
        let failure = turn.rules.failure(.byHost(code: code))
        if let intent = outbox.intent(requestID) {
            outbox.fail(intent, failure, &turn)
        } else if let body {
            guard outbox.accept(requestID, body, url, isHostSent: true, call, .handleSendResponse, &turn),
                let intent = outbox.intent(requestID)
            else { return }
            outbox.fail(intent, failure, &turn)
        } else {
            return turn.complete(Completion(call: call, name: .handleSendResponse, status: .notFound))
        }
        turn.complete(Completion(call: call, name: .handleSendResponse, status: .ok, requestID: requestID))
    }
}

extension Outbox {
    var hostSent: HostSentMessages { HostSentMessages(outbox: self) }
}
