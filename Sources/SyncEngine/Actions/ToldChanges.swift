import SyncModel

/// What a host did to messages of its user by its own means, and tells. Nobody is asked: it enters as a fact, like what
/// the service tells, and so reaches the cache and every collection.
enum ToldChanges {
    static func edited(
        _ message: MessageRecord, _ url: String, call: UInt64, _ context: Context, _ effects: inout Effects
    ) {
        let isOwn = message.senderID.isByteEqual(to: context.options.userID)
            && isOwnAsFarAsKnown(message.id, url, context)
        guard isOwn else {
            return effects.complete(Completion(call: call, name: .updateMessage, status: .notOwnMessage))
        }
        effects.add(.messages(MessageFact(
            channelURL: url, kind: .edited([message]), cause: Cause(.eventMessageUpdated))))
        effects.complete(Completion(call: call, name: .updateMessage, status: .ok, message: message.json))
    }

    static func deleted(
        _ id: String, _ url: String, call: UInt64, _ context: Context, _ effects: inout Effects
    ) {
        guard isOwnAsFarAsKnown(id, url, context) else {
            return effects.complete(Completion(call: call, name: .deleteMessage, status: .notOwnMessage))
        }
        effects.add(
            .messages(MessageFact(channelURL: url, kind: .deleted(ids: [id]), cause: Cause(.eventMessageDeleted))))
        effects.complete(Completion(call: call, name: .deleteMessage, status: .ok))
    }

    /// Of what is not cached nothing is known, and nothing has to change either.
    private static func isOwnAsFarAsKnown(_ id: String, _ url: String, _ context: Context) -> Bool {
        let held = context.storage.message(id, in: url)
        return held?.senderID.isByteEqual(to: context.options.userID) ?? true
    }
}
