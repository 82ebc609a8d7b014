import SyncModel
import SyncStore

/// Edits and deletions of sent messages that the service is asked for.
struct MessageActions {
    /// Calls that wait for the service.
    private var calls: [UInt64: Completion.Name] = [:]

    mutating func edit(
        _ id: String, _ body: [UInt8], _ url: String, call: UInt64, _ context: Context, _ effects: inout Effects
    ) {
        guard mayChange(id, url, call, .updateMessage, context, &effects) else { return }
        calls[call] = .updateMessage
        effects.add(.ask(
            .edit(call: call, channelURL: url, messageID: id),
            .updateMessage(channelURL: url, messageID: id, body: body)))
    }

    mutating func delete(
        _ id: String, _ url: String, call: UInt64, _ context: Context, _ effects: inout Effects
    ) {
        guard mayChange(id, url, call, .deleteMessage, context, &effects) else { return }
        calls[call] = .deleteMessage
        effects.add(.ask(
            .delete(call: call, channelURL: url, messageID: id), .deleteMessage(channelURL: url, messageID: id)))
    }

    /// The service's answer. What it says of the message enters as a fact before the call is completed.
    mutating func receive(_ reply: ServiceReply, for ask: Ask, _ context: Context, _ effects: inout Effects) {
        switch (ask, reply) {
        case (.edit(let call, let url, _), .message(let message)):
            effects.add(
                .messages(MessageFact(channelURL: url, kind: .edited([message]), cause: Cause(.eventMessageUpdated))))
            finish(call, .ok, message: message.json, &effects)
        case (.delete(let call, let url, let id), .done), (.delete(let call, let url, let id), .message):
            effects.add(
                .messages(MessageFact(channelURL: url, kind: .deleted(ids: [id]), cause: Cause(.eventMessageDeleted))))
            finish(call, .ok, &effects)
        case (.edit(let call, _, _), .failure(let failure)), (.delete(let call, _, _), .failure(let failure)):
            let status: Status =
                switch failure.kind {
                case .notFound: .notFound
                case .unreachable, .timedOut: .network
                default: .service
                }
            finish(call, status, failure: failure, &effects)
        case (.edit(let call, _, _), _), (.delete(let call, _, _), _):
            finish(call, .service, failure: context.rules.failure(.unexpectedReply), &effects)
        default: break
        }
    }

    /// Completes what is still open.
    mutating func end(_ effects: inout Effects) {
        for call in calls.keys.sorted() { finish(call, .closed, &effects) }
    }

    private mutating func finish(
        _ call: UInt64, _ status: Status, message: [UInt8]? = nil, failure: ServiceFailure? = nil,
        _ effects: inout Effects
    ) {
        guard let name = calls.removeValue(forKey: call) else { return }
        effects.complete(Completion(call: call, name: name, status: status, message: message, failure: failure))
    }

    private func mayChange(
        _ id: String, _ url: String, _ call: UInt64, _ name: Completion.Name, _ context: Context,
        _ effects: inout Effects
    ) -> Bool {
        let held = context.storage.cached { (cache) throws(StoreError) -> MessageRecord? in
            guard let key = try cache.channelKeyIfKnown(url) else { return nil }
            return try cache.message(id: id, channel: key)
        }
        let refusal: Status?
        if let message = held ?? nil {
            refusal = !message.senderID.isByteEqual(to: context.options.userID) ? .notOwnMessage
                : context.isLoggedIn ? nil : .notConnected
        } else {
            refusal = .notFound
        }
        guard let refusal else { return true }
        effects.complete(Completion(call: call, name: name, status: refusal))
        return false
    }
}
