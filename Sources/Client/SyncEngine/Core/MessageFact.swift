import SyncModel

/// Something that became known about messages of one channel, wherever it came from: socket, change log, own send, own
/// edit. It enters once, and reaches cache, timeline, channel, outbox and typing from there.
struct MessageFact {
    enum Kind {
        /// `isInOrder`: everything older has come, too.
        case arrived(MessageRecord, isInOrder: Bool)
        case edited([MessageRecord])
        case patched(id: MessageID, MessagePatch)
        case deleted(ids: [MessageID])
        /// What was edited and deleted while the client was offline.
        case changelog(updated: [MessageRecord], deleted: [MessageID])
        /// Small changes that were missed while the client was offline.
        case patchLog([(id: MessageID, patch: MessagePatch)])
    }

    var channelURL: ChannelURL
    var kind: Kind
    var cause: Cause
    /// If set, only this history takes the fact: it answers a question of this history, and others may have been told
    /// something newer.
    var answerTo: HistoryID?
    /// The fact did not come by the event connection, so events of what happened before it may still be on their way.
    var mayOvertake = false
    /// The service was asked for the message in this session, so the message exists there, however old it is.
    var wasLookedUp = false
    /// Messages that the service moved before the time from which this user sees the channel. Those that are cached are
    /// removed; if one is moved back, an edit tells it again.
    private(set) var hidden: [MessageID] = []
    /// Stored in the same transaction, before the messages; the messages already have these relations folded in.
    var relations = RelationChanges()
    /// Stored in the same transaction: how far the change log has been read.
    var progress: (key: String, value: String)?

    /// An own message as the service has it.
    static func sent(_ message: MessageRecord, _ url: ChannelURL, isInOrder: Bool) -> MessageFact {
        MessageFact(channelURL: url, kind: .arrived(message, isInOrder: isInOrder), cause: Cause(.eventMessageSent))
    }

    /// A message that came over the service's connection. What `event` tells beside the message is in the cause.
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

    /// The messages that the fact has in full.
    var messages: [MessageRecord] {
        switch kind {
        case .arrived(let message, _): [message]
        case .edited(let messages), .changelog(let messages, _): messages
        case .patched, .deleted, .patchLog: []
        }
    }

    /// Whether the fact changes, hides or deletes this message, which existed before.
    func concerns(_ id: MessageID) -> Bool {
        if hidden.contains(id) { return true }
        return switch kind {
        case .arrived: false
        case .edited(let messages): messages.contains { $0.id == id }
        case .patched(let patched, _): patched == id
        case .deleted(let ids): ids.contains(id)
        case .patchLog(let patches): patches.contains { $0.id == id }
        case .changelog(let updated, let ids):
            ids.contains(id) || updated.contains { $0.id == id }
        }
    }

    /// The part of the fact that concerns a channel, or one of its threads; `nil`: nothing.
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

    /// The cause that a channel list is told when the fact changed its channel.
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

    /// The part of the fact about messages from `order` on, and which ones it hides: older messages are hidden from
    /// this user. An acknowledgement may bring an older one, as the answer to a send that had arrived long before.
    /// `hasDeleted`: whether the service told of the deletion of a message. After it, the host may still tell of its
    /// own send of this message, and an answer that was made before the deletion may still come.
    /// `loginTime`: by the service's clock. A message that is older is in the pages of this session, or was deleted.
    func visible(from order: Int64, loginTime: Int64, hasDeleted: (MessageID) -> Bool) -> MessageFact {
        // Without an offset all messages are visible, also those that this client placed before the epoch.
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
        if case .arrived = kind { return result }
        result.hidden = messages.filter { $0.position.order < order }.map(\.id)
        return result
    }
}
