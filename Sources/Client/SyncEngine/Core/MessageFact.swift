import SyncModel

/// Something that became known about messages of one channel, wherever it came from: socket, change log, own send, own
/// edit. It enters once, and reaches cache, timeline, channel, outbox and typing from there.
struct MessageFact {
    enum Kind {
        /// In order means that everything older has come, too.
        case arrived(MessageRecord, isInOrder: Bool)
        case edited([MessageRecord])
        case patched(id: MessageID, MessagePatch)
        case deleted(ids: [MessageID])
        /// What was edited and deleted while away.
        case changelog(updated: [MessageRecord], deleted: [MessageID])
        /// Small changes that were missed while away.
        case patchLog([(id: MessageID, patch: MessagePatch)])
    }

    var channelURL: ChannelURL
    var kind: Kind
    var cause: Cause
    /// The answer to what one history asked says nothing to others: they may have been told of something newer.
    var answerTo: HistoryID?
    /// It came by another way than the connection's events: those of what happened before it may be on their way.
    var mayOvertake = false
    /// The service was asked for it in this session: it has it, however old it is.
    var wasLookedUp = false
    /// Stored with it, before the messages, which are as the relations make them.
    var relations = RelationChanges()
    /// Stored with it: how far the change log has been read.
    var progress: (key: String, value: String)?

    /// An own message as the service has it.
    static func sent(_ message: MessageRecord, _ url: ChannelURL, isInOrder: Bool) -> MessageFact {
        MessageFact(channelURL: url, kind: .arrived(message, isInOrder: isInOrder), cause: Cause(.eventMessageSent))
    }

    /// A message of somebody by the service's connection. What `event` tells beside it is in its cause.
    static func received(
        _ message: MessageRecord, _ url: ChannelURL, by event: ServiceEvent, _ context: Context
    ) -> MessageFact {
        let facts = context.rules.facts(of: event, userID: context.options.userID)
        return MessageFact(
            channelURL: url, kind: .arrived(message, isInOrder: true), cause: Cause(.eventMessageReceived, facts))
    }

    static func patched(
        _ id: MessageID, _ patch: MessagePatch, _ url: ChannelURL, by event: ServiceEvent, _ context: Context
    ) -> MessageFact {
        let facts = context.rules.facts(of: event, userID: context.options.userID)
        return MessageFact(channelURL: url, kind: .patched(id: id, patch), cause: Cause(patch.source, facts))
    }

    static func edited(_ message: MessageRecord, _ url: ChannelURL, mayOvertake: Bool = false) -> MessageFact {
        MessageFact(
            channelURL: url, kind: .edited([message]), cause: Cause(.eventMessageUpdated), mayOvertake: mayOvertake)
    }

    static func deleted(_ id: MessageID, _ url: ChannelURL) -> MessageFact {
        MessageFact(channelURL: url, kind: .deleted(ids: [id]), cause: Cause(.eventMessageDeleted))
    }

    /// The messages that it has whole.
    var messages: [MessageRecord] {
        switch kind {
        case .arrived(let message, _): [message]
        case .edited(let messages), .changelog(let messages, _): messages
        case .patched, .deleted, .patchLog: []
        }
    }

    /// Whether it says something of a message that was there before.
    func concerns(_ id: MessageID) -> Bool {
        switch kind {
        case .arrived: false
        case .edited(let messages): messages.contains { $0.id == id }
        case .patched(let patched, _): patched == id
        case .deleted(let ids): ids.contains(id)
        case .patchLog(let patches): patches.contains { $0.id == id }
        case .changelog(let updated, let ids):
            ids.contains(id) || updated.contains { $0.id == id }
        }
    }

    /// What of the fact concerns a channel, or one of its threads; `nil`: nothing.
    func concerning(_ id: HistoryID) -> MessageFact? {
        guard id.channelURL == channelURL, answerTo == nil || answerTo == id else { return nil }
        guard id.isThread else { return self }
        func ofThread(_ messages: [MessageRecord]) -> [MessageRecord] {
            messages.filter { $0.parentID == id.parentID || $0.id == id.parentID }
        }
        var result = self
        switch kind {
        case .arrived(let message, _): if message.parentID != id.parentID { return nil }
        case .edited(let messages): result.kind = .edited(ofThread(messages))
        case .changelog(let updated, let deleted):
            result.kind = .changelog(updated: ofThread(updated), deleted: deleted)
        case .patched, .deleted, .patchLog: break
        }
        return result
    }

    /// What a list is told when the fact changed its channel.
    func channelCause(userID: UserID) -> Cause {
        if cause.source == .messageChangelog || cause.source == .eventPollChangelog { return Cause(.channelChangelog) }
        let isMention = cause.facts.contains { $0.source == .eventMention }
        let source: EventSource =
            switch kind {
            case .arrived(let message, _):
                message.senderID == userID
                    ? .eventMessageSent : isMention ? .eventMention : .eventMessageReceived
            case .edited, .patched, .patchLog: .eventMessageUpdated
            case .deleted, .changelog: .eventMessageDeleted
            }
        return Cause(source, cause.facts)
    }

    /// What of the fact concerns messages from an order on; older ones are not for this user any more. An
    /// acknowledgement may bring one: the answer to a send that had arrived long before.
    /// `hasDeleted`: whether the service told of a deletion, after which a host may still tell of its own send, and an
    /// answer made before it may still come.
    /// `loginTime`: by the service's clock. What is older is in the pages of this session, or was deleted.
    func visible(from order: Int64, loginTime: Int64, hasDeleted: (MessageID) -> Bool) -> MessageFact {
        // Without an offset all is visible, also what got a place before the epoch from us.
        let order = order > 0 ? order : Int64.min
        func rest(_ messages: [MessageRecord]) -> [MessageRecord] {
            messages.filter { $0.position.order >= order && !hasDeleted($0.id) }
        }
        var result = self
        switch kind {
        case .arrived(let message, let isInOrder):
            let isNews = isInOrder
                || (wasLookedUp || message.position.order >= loginTime) && !hasDeleted(message.id)
            if message.position.order < order || !isNews { result.kind = .edited([]) }
        case .edited(let messages): result.kind = .edited(rest(messages))
        case .changelog(let updated, let deleted): result.kind = .changelog(updated: rest(updated), deleted: deleted)
        case .patched, .deleted, .patchLog: break
        }
        return result
    }
}
