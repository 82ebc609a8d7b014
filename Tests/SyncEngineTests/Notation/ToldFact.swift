import SyncModel

@testable import SyncEngine

/// What becomes known about messages otherwise than by pages, as words:
///
///     socket e        message e arrives
///     host e          the host that sent it tells of it, before the connection does
///     edit d' e'      messages were edited
///     late d'         the same, told by another way than the connection's events
///     react d         somebody reacts to d; `unreact d`: takes it back
///     delete d e      messages were deleted
///     log d' -e       the change log: d was edited, e deleted
enum ToldFact {
    static func read(_ step: Substring, _ channelURL: ChannelURL) throws -> MessageFact? {
        let (verb, words) = step.firstWord
        var fact = MessageFact(channelURL: channelURL, kind: .edited([]), cause: Cause(.eventMessageUpdated))
        switch verb {
        case "socket":
            fact.kind = .arrived(try Letters.message(words), isInOrder: true)
            fact.cause = Cause(.eventMessageReceived)
        case "host":
            fact.kind = .arrived(try Letters.message(words), isInOrder: false)
            fact.cause = Cause(.eventMessageSent)
        case "edit": fact.kind = .edited(try Letters.messages(words))
        case "late":
            fact.kind = .edited(try Letters.messages(words))
            fact.mayOvertake = true
        case "react", "unreact":
            let reaction = MessageReaction(key: "+", userID: "bo", isAdded: verb == "react", updatedAt: 1)
            fact.kind = .patched(id: MessageID(String(words)), .reaction(reaction))
            fact.cause = Cause(.eventReactionUpdated)
        case "delete":
            fact.kind = .deleted(ids: words.split(separator: " ").map { MessageID(String($0)) })
            fact.cause = Cause(.eventMessageDeleted)
        case "log":
            let changes = try log(words)
            fact.kind = .changelog(updated: changes.updated, deleted: changes.deleted)
            fact.cause = Cause(.messageChangelog)
        default: return nil
        }
        return fact
    }

    /// What a change log says, `d' -e`: edited and deleted messages.
    static func log(_ words: Substring) throws -> (updated: [MessageRecord], deleted: [MessageID]) {
        let words = words.split(separator: " ")
        return (
            try words.filter { !$0.hasPrefix("-") }.map(Letters.message),
            words.filter { $0.hasPrefix("-") }.map { MessageID(String($0.dropFirst())) })
    }
}
