import SyncModel

/// Calls of hosts about own messages. Each belongs to the channel of its collection.
enum OwnMessageCalls {
    static func route(
        _ own: OwnMessageCall, in collection: CollectionID, _ call: CallID, _ outbox: Outbox,
        _ collections: MessageCollections, _ turn: inout Turn
    ) {
        var url = collections.channelURL(of: collection)
        // When the host says how its own send ended, the collection may be gone already.
        if url == nil, case .handleSendResponse(let requestID, _) = own { url = outbox.channelURL(of: requestID) }
        guard let url else {
            return turn.complete(Completion(call: call, name: own.profile.name, status: .removed))
        }
        switch own {
        case .send(let requestID, let body): outbox.send(requestID, body, url, call: call, &turn)
        case .resend(let requestID): outbox.resend(requestID, call: call, &turn)
        case .append(let requestID, let body): outbox.acceptHostSent(requestID, body, url, call: call, &turn)
        case .appendSent(let requestID, let message):
            outbox.hostSent(requestID, message, url, call: call, .appendMessage, &turn)
        case .handleSendResponse(let requestID, .sent(let message)):
            outbox.hostSent(requestID, message, url, call: call, .handleSendResponse, &turn)
        case .handleSendResponse(let requestID, .failed(let code, let body)):
            outbox.hostFailed(requestID, body, code: code, url, call: call, &turn)
        case .tellEdit(let message): ToldChanges.edited(message, url, call: call, &turn)
        case .update(let requestID, let body): outbox.update(requestID, body, call: call, &turn)
        case .delete(.sent(let id)): ToldChanges.deleted(id, url, call: call, &turn)
        case .delete(.unsent(let requestID)): outbox.giveUp(requestID, call: call, &turn)
        }
    }

    /// Actions on messages that failed.
    static func resendFailed(
        _ action: ActionCall, _ call: CallID, _ outbox: Outbox, _ turn: inout Turn
    ) {
        let url = action.text("channel_url").map { ChannelURL($0) }
        let requestID = action.text("request_id").map { RequestID($0) }
        let count = outbox.resendFailed(in: url, requestID, &turn)
        ServiceActions.done(action, call, count: count, &turn)
    }

    static func removeFailed(
        _ action: ActionCall, _ call: CallID, _ outbox: Outbox, _ turn: inout Turn
    ) {
        let url = action.text("channel_url").map { ChannelURL($0) }
        let requestID = action.text("request_id").map { RequestID($0) }
        let count = outbox.removeFailed(in: url, requestID, &turn)
        ServiceActions.done(action, call, count: count, &turn)
    }
}
