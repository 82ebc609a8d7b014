import SyncJSON
import SyncModel
import SyncStore

/// Calls of hosts about own messages. Each belongs to the channel of its collection.
struct OwnMessageCalls {
    let outbox: Outbox

    func route(
        _ own: OwnMessageCall, in collection: CollectionID, _ call: CallID, _ collections: MessageCollections,
        _ turn: inout Turn
    ) {
        var url = collections.channelURL(of: collection)
        // When the host says how its own send ended, the collection may be gone already.
        if url == nil, case .handleSendResponse(let requestID, _) = own { url = outbox.channelURL(of: requestID) }
        guard let url else {
            return turn.complete(Completion(call: call, name: own.profile.name, status: .removed))
        }
        switch own {
        case .send(let requestID, let body): send(requestID, body, url, call: call, &turn)
        case .resend(let requestID): resend(requestID, call: call, &turn)
        case .append(let requestID, let body): outbox.hostSent.append(requestID, body, url, call: call, &turn)
        case .appendSent(let requestID, let message):
            outbox.hostSent.sent(requestID, message, url, call: call, .appendMessage, &turn)
        case .handleSendResponse(let requestID, .sent(let message)):
            outbox.hostSent.sent(requestID, message, url, call: call, .handleSendResponse, &turn)
        case .handleSendResponse(let requestID, .failed(let code, let body)):
            outbox.hostSent.failed(requestID, body, code: code, url, call: call, &turn)
        case .tellEdit(let message): ToldChanges.edited(message, url, call: call, &turn)
        case .update(let requestID, let body): update(requestID, body, call: call, &turn)
        case .delete(.sent(let id)): ToldChanges.deleted(id, url, call: call, &turn)
        case .delete(.unsent(let requestID)): giveUp(requestID, call: call, &turn)
        }
    }

    /// Actions on messages that failed.
    func resendFailed(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        let url = action.text("channel_url").map { ChannelURL($0) }
        let requestID = action.text("request_id").map { RequestID($0) }
        let count = resendFailed(in: url, requestID, &turn)
        ServiceActions.done(action, call, count: count, &turn)
    }

    func removeFailed(_ action: ActionCall, _ call: CallID, _ turn: inout Turn) {
        let url = action.text("channel_url").map { ChannelURL($0) }
        let requestID = action.text("request_id").map { RequestID($0) }
        let count = removeFailed(in: url, requestID, &turn)
        ServiceActions.done(action, call, count: count, &turn)
    }

    private func send(
        _ requestID: RequestID, _ body: [UInt8], _ url: ChannelURL, call: CallID, _ turn: inout Turn
    ) {
        guard let body = outbox.ownFiles.stamped(body, call: call, &turn),
            outbox.accept(requestID, body, url, isHostSent: false, call, .sendMessage, &turn)
        else { return }
        outbox.calls.add(call, .sendMessage, for: requestID)
        outbox.order.ask(for: requestID)
        outbox.pump(url, &turn)
    }

    private func resend(_ requestID: RequestID, call: CallID, _ turn: inout Turn) {
        guard let failed = outbox.intent(requestID), failed.status == .failed else {
            return turn.complete(Completion(call: call, name: .sendMessage, status: .notFound))
        }
        guard isSendable(failed, turn.context) else {
            return turn.complete(Completion(
                call: call, name: .sendMessage, status: .invalidArgument,
                explanation: "the library sends texts, and files that have a path or an address"))
        }
        guard outbox.restart(failed, isHostSent: false, &turn) else {
            return turn.complete(Completion(call: call, name: .sendMessage, status: .storage))
        }
        outbox.calls.add(call, .sendMessage, for: requestID)
        outbox.order.ask(for: requestID)
        outbox.pump(failed.channelURL, &turn)
    }

    private func isSendable(_ intent: Intent, _ context: Context) -> Bool {
        if let files = FileDocument(intent.body) { return files.isSendable }
        return context.rules.isSendable(OwnMessageContent(intent))
    }

    /// Changes a failed message in place.
    private func update(
        _ requestID: RequestID, _ body: [UInt8], call: CallID, _ turn: inout Turn
    ) {
        guard var intent = outbox.intent(requestID), intent.status == .failed,
            let document = try? JSON.parse(intent.body), let changes = (try? JSON.parse(body))?.members
        else { return turn.complete(Completion(call: call, name: .updateMessage, status: .notFound)) }
        for (key, value) in changes { document.set(key, value) }
        intent.body = document.serialized()
        guard outbox.messages.persist(intent, turn.context) else {
            return turn.complete(Completion(call: call, name: .updateMessage, status: .storage))
        }
        outbox.messages.put(intent)
        outbox.windows.put(intent, Cause(.eventMessageUpdated), &turn)
        turn.complete(Completion(call: call, name: .updateMessage, status: .ok, requestID: requestID))
    }

    /// Gives up a pending or failed message.
    private func giveUp(_ requestID: RequestID, call: CallID, _ turn: inout Turn) {
        guard let intent = outbox.intent(requestID) else {
            return turn.complete(Completion(call: call, name: .deleteMessage, status: .notFound))
        }
        guard outbox.forget(intent, turn.context) else {
            return turn.complete(Completion(call: call, name: .deleteMessage, status: .storage))
        }
        outbox.showGivenUp(intent, .removeManualAction, &turn)
        turn.complete(Completion(call: call, name: .deleteMessage, status: .ok, requestID: requestID))
    }

    /// Gives up every message, on disk too; `false` when they could not be removed there.
    func giveUpAll(_ turn: inout Turn) -> Bool {
        guard let intents = outbox.messages.forgetAll(turn.context) else { return false }
        outbox.order.forgetAsked()
        outbox.sentMessages.leaveAll(&turn)
        for intent in intents { outbox.showGivenUp(intent, .removeManualAction, &turn) }
        return true
    }

    /// Sends failed messages again, in their order, as far as the library can send them. Returns how many; `nil` when
    /// that could not be stored.
    private func resendFailed(
        in url: ChannelURL?, _ requestID: RequestID?, _ turn: inout Turn
    ) -> Int? {
        let failed = outbox.messages.failed(in: url, requestID).filter { isSendable($0, turn.context) }
        for intent in failed {
            guard outbox.restart(intent, isHostSent: false, &turn) else { return nil }
            outbox.order.ask(for: intent.requestID)
        }
        for url in Set(failed.map(\.channelURL)).sorted() { outbox.pump(url, &turn) }
        return failed.count
    }

    /// Gives up failed messages. Returns how many; `nil` when that could not be stored.
    private func removeFailed(
        in url: ChannelURL?, _ requestID: RequestID?, _ turn: inout Turn
    ) -> Int? {
        let failed = outbox.messages.failed(in: url, requestID)
        for intent in failed {
            guard outbox.forget(intent, turn.context) else { return nil }
            outbox.showGivenUp(intent, .removeManualAction, &turn)
        }
        return failed.count
    }
}

extension Outbox {
    var hostCalls: OwnMessageCalls { OwnMessageCalls(outbox: self) }
}
