import SyncModel

/// Changes that a host made to messages of its user by itself, and tells. They enter as facts without a request to the
/// service, and so reach the cache and every collection.
enum ToldChanges {
    static func edited(
        _ message: MessageRecord, _ url: ChannelURL, call: CallID, _ turn: inout Turn
    ) {
        let isOwn = message.senderID == turn.options.userID
            && isOwnAsFarAsKnown(message.id, url, turn.context)
        guard isOwn else {
            return turn.complete(Completion(call: call, name: .updateMessage, status: .notOwnMessage))
        }
        turn.add(.messages(MessageFact(
            channelURL: url, kind: .edited([message]), cause: Cause(.eventMessageUpdated))))
        turn.complete(Completion(call: call, name: .updateMessage, status: .ok, message: message.json))
    }

    static func deleted(
        _ id: MessageID, _ url: ChannelURL, call: CallID, _ turn: inout Turn
    ) {
        guard isOwnAsFarAsKnown(id, url, turn.context) else {
            return turn.complete(Completion(call: call, name: .deleteMessage, status: .notOwnMessage))
        }
        turn.add(
            .messages(MessageFact(channelURL: url, kind: .deleted(ids: [id]), cause: Cause(.eventMessageDeleted))))
        turn.complete(Completion(call: call, name: .deleteMessage, status: .ok))
    }

    /// A message that is not cached may be an own one, and no change to it has to be stored.
    private static func isOwnAsFarAsKnown(_ id: MessageID, _ url: ChannelURL, _ context: Context) -> Bool {
        let held = context.storage.message(id, in: url)
        return held.map { $0.senderID == context.options.userID } ?? true
    }
}
