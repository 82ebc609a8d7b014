import SyncModel

/// Calls of hosts about own messages. They belong to a channel, which the collection names.
enum OwnMessageCalls {
    /// `channelURL` gives the channel of a collection.
    static func route(
        _ command: HostCommand, _ outbox: inout Outbox, _ channelURL: (CollectionID) -> ChannelURL?, _ turn: inout Turn
    ) {
        func complete(_ call: CallID, _ name: Completion.Name, _ turn: inout Turn) {
            turn.complete(Completion(call: call, name: name, status: .removed))
        }
        switch command {
        case .sendMessage(let id, let requestID, let body, let call):
            guard let url = channelURL(id) else { return complete(call, .sendMessage, &turn) }
            outbox.send(requestID, body, url, call: call, &turn)
        case .resendMessage(let id, let requestID, let call):
            guard channelURL(id) != nil else { return complete(call, .sendMessage, &turn) }
            outbox.resend(requestID, call: call, &turn)
        case .appendMessage(let id, let requestID, let body, let call):
            guard let url = channelURL(id) else { return complete(call, .appendMessage, &turn) }
            outbox.acceptHostSent(requestID, body, url, call: call, &turn)
        case .appendSent(let id, let requestID, let message, let call):
            guard let url = channelURL(id) else { return complete(call, .appendMessage, &turn) }
            outbox.hostSent(requestID, message, url, call: call, .appendMessage, &turn)
        case .handleSendResponse(let id, let requestID, let outcome, let call):
            // The collection may be gone by then.
            guard let url = channelURL(id) ?? outbox.channelURL(of: requestID) else {
                return complete(call, .handleSendResponse, &turn)
            }
            switch outcome {
            case .sent(let message):
                outbox.hostSent(requestID, message, url, call: call, .handleSendResponse, &turn)
            case .failed(let code, let body):
                outbox.hostFailed(requestID, body, code: code, url, call: call, &turn)
            }
        case .tellEdit(let id, let message, let call):
            guard let url = channelURL(id) else { return complete(call, .updateMessage, &turn) }
            ToldChanges.edited(message, url, call: call, &turn)
        case .updateMessage(let id, let requestID, let body, let call):
            guard channelURL(id) != nil else { return complete(call, .updateMessage, &turn) }
            outbox.update(requestID, body, call: call, &turn)
        case .deleteMessage(let id, let message, let call):
            guard let url = channelURL(id) else { return complete(call, .deleteMessage, &turn) }
            switch message {
            case .sent(let messageID): ToldChanges.deleted(messageID, url, call: call, &turn)
            case .unsent(let requestID): outbox.giveUp(requestID, call: call, &turn)
            }
        default: break
        }
    }

    /// Actions on messages that failed.
    static func resendFailed(
        _ action: ActionCall, _ call: CallID, _ outbox: inout Outbox, _ turn: inout Turn
    ) {
        let url = action.text("channel_url").map { ChannelURL($0) }
        let requestID = action.text("request_id").map { RequestID($0) }
        let count = outbox.resendFailed(in: url, requestID, &turn)
        ServiceActions.done(action, call, count: count, &turn)
    }

    static func removeFailed(
        _ action: ActionCall, _ call: CallID, _ outbox: inout Outbox, _ turn: inout Turn
    ) {
        let url = action.text("channel_url").map { ChannelURL($0) }
        let requestID = action.text("request_id").map { RequestID($0) }
        let count = outbox.removeFailed(in: url, requestID, &turn)
        ServiceActions.done(action, call, count: count, &turn)
    }
}
