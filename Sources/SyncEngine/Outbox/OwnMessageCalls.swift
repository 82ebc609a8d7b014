import SyncModel

/// Calls of hosts about own messages. They belong to a channel, which the collection names.
enum OwnMessageCalls {
    /// `channelURL` gives the channel of a collection.
    static func route(
        _ command: HostCommand, _ outbox: inout Outbox, _ channelURL: (UInt64) -> String?, _ context: Context,
        _ effects: inout Effects
    ) {
        func complete(_ call: UInt64, _ name: Completion.Name, _ effects: inout Effects) {
            effects.complete(Completion(call: call, name: name, status: .removed))
        }
        switch command {
        case .sendMessage(let id, let requestID, let body, let call):
            guard let url = channelURL(id) else { return complete(call, .sendMessage, &effects) }
            outbox.send(requestID, body, url, call: call, context, &effects)
        case .resendMessage(let id, let requestID, let call):
            guard channelURL(id) != nil else { return complete(call, .sendMessage, &effects) }
            outbox.resend(requestID, call: call, context, &effects)
        case .appendMessage(let id, let requestID, let body, let call):
            guard let url = channelURL(id) else { return complete(call, .appendMessage, &effects) }
            outbox.acceptHostSent(requestID, body, url, call: call, context, &effects)
        case .appendSent(let id, let requestID, let message, let call):
            guard let url = channelURL(id) else { return complete(call, .appendMessage, &effects) }
            outbox.hostSent(requestID, message, url, call: call, .appendMessage, context, &effects)
        case .handleSendResponse(let id, let requestID, let outcome, let call):
            // The collection may be gone by then.
            guard let url = channelURL(id) ?? outbox.channelURL(of: requestID) else {
                return complete(call, .handleSendResponse, &effects)
            }
            switch outcome {
            case .sent(let message):
                outbox.hostSent(requestID, message, url, call: call, .handleSendResponse, context, &effects)
            case .failed(let code, let body):
                outbox.hostFailed(requestID, body, code: code, url, call: call, context, &effects)
            }
        case .tellEdit(let id, let message, let call):
            guard let url = channelURL(id) else { return complete(call, .updateMessage, &effects) }
            ToldChanges.edited(message, url, call: call, context, &effects)
        case .updateMessage(let id, let requestID, let body, let call):
            guard channelURL(id) != nil else { return complete(call, .updateMessage, &effects) }
            outbox.update(requestID, body, call: call, context, &effects)
        case .deleteMessage(let id, let message, let call):
            guard let url = channelURL(id) else { return complete(call, .deleteMessage, &effects) }
            switch message {
            case .sent(let messageID): ToldChanges.deleted(messageID, url, call: call, context, &effects)
            case .unsent(let requestID): outbox.giveUp(requestID, call: call, context, &effects)
            }
        default: break
        }
    }

    /// Actions on messages that failed.
    static func resendFailed(
        _ action: ActionCall, _ call: UInt64, _ outbox: inout Outbox, _ context: Context, _ effects: inout Effects
    ) {
        let count = outbox.resendFailed(in: action.text("channel_url"), action.text("request_id"), context, &effects)
        ServiceActions.done(action, call, count: count, &effects)
    }

    static func removeFailed(
        _ action: ActionCall, _ call: UInt64, _ outbox: inout Outbox, _ context: Context, _ effects: inout Effects
    ) {
        let count = outbox.removeFailed(in: action.text("channel_url"), action.text("request_id"), context, &effects)
        ServiceActions.done(action, call, count: count, &effects)
    }
}
