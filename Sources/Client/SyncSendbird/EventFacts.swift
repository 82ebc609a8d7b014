import SyncJSON
import SyncModel

/// What events tell beside their source, in the shape that docs/events.md promises. A member is left out when the
/// service left it out or sent it with a wrong type.
enum EventFacts {
    static func fact(_ source: EventSource, _ members: KeyValuePairs<String, JSON?> = [:]) -> EventFact {
        let json = JSON.object(["event": .string(source.rawValue)])
        for (key, value) in members { if let value { json.set(key, value) } }
        return EventFact(source, json: json.serialized())
    }

    static func cause(_ source: EventSource, _ members: KeyValuePairs<String, JSON?> = [:]) -> Cause {
        Cause(source, [fact(source, members)])
    }

    // MARK: Events that hold what they tell

    static func of(_ event: ServiceEvent, userID: UserID) -> [EventFact] {
        switch event {
        case .messageReceived(_, let message):
            guard message.senderID != userID, Mentions.has(userID, in: message.json) else { return [] }
            let sender = message.senderID.isEmpty ? nil : user(message.senderID)
            return [fact(.eventMention, ["message_id": .string(message.id.text), "user": sender])]
        case .messagePatched(_, let id, .reaction(let reaction)):
            return [fact(.eventReactionUpdated, [
                "message_id": .string(id.text), "key": .string(reaction.key), "user": user(reaction.userID),
                "is_added": .bool(reaction.isAdded),
            ])]
        case .messagePatched(_, let id, .threadInfo(let info)):
            return [fact(.eventThreadInfoUpdated, [
                "message_id": .string(id.text), "thread_info": try? JSON.parse(info),
            ])]
        case .messagePatched(_, let id, .poll(let change)): return [poll(change, id)]
        case .channel(_, let event): return of(event, userID)
        default: return []
        }
    }

    private static func poll(_ change: PollChange, _ id: MessageID) -> EventFact {
        let (message, poll) = (JSON.string(id.text), JSON.string(change.pollID))
        guard case .voted(let text) = change.kind else {
            return fact(.eventPollUpdated, ["message_id": message, "poll_id": poll])
        }
        let event = try? JSON.parse(text)
        return fact(.eventPollVoted, [
            "message_id": message, "poll_id": poll, "is_own": .bool(event?["voted_option_ids"] != nil),
        ])
    }

    private static func of(_ event: ChannelEvent, _ ownID: UserID) -> [EventFact] {
        switch event {
        case .changed, .entered, .removed, .patched: return []
        case .read(let userID, let time):
            let source = event.cause(userID: ownID).source
            return [fact(source, ["user": user(userID), "read_at": .int(time)])]
        case .delivered(let times):
            let delivered = JSON.object()
            for userID in times.keys.sorted() { delivered.set(userID.text, times[userID].map { .int($0) }) }
            return [fact(.eventDeliveryStatusUpdated, ["delivered_at": delivered])]
        case .typing(let userID, let json, let isTyping):
            let known = (try? JSON.parse(json)).flatMap { $0.kind == .object ? $0 : nil }
            return [fact(.eventTypingStatusUpdated, ["user": known ?? user(userID), "is_typing": .bool(isTyping)])]
        case .hidden(let allowsAutoUnhide, let offset):
            return [fact(.eventChannelHidden, [
                "allow_auto_unhide": .bool(allowsAutoUnhide), "history_offset": offset > 0 ? .int(offset) : nil,
            ])]
        }
    }

    /// A user of whom only the id is known.
    private static func user(_ id: UserID) -> JSON { .object(["user_id": .string(id.text)]) }

    // MARK: Events of which only the service's document has it

    /// `isOwn`: by this user, here or on another device.
    static func markedUnread(_ known: JSON?, _ userID: UserID, readAt time: Int64, isOwn: Bool) -> Cause {
        let found = known.flatMap { $0["user_id"] == nil ? nil : $0 }
        return cause(
            isOwn ? .eventCurrentUserMarkedUnread : .eventUserMarkedUnread,
            ["user": found ?? user(userID), "read_at": .int(time)])
    }

    static func memberCounts(_ entry: JSON) -> Cause {
        cause(.eventChannelMemberCountChanged, [
            "member_count": number(entry["member_count"]), "joined_member_count": number(entry["joined_member_count"]),
        ])
    }

    /// The users whom an event is about: the service names one inline or as an object, or several as a list.
    static func users(_ data: JSON) -> JSON {
        let several = list(data["users"])
        return several.count > 0 ? several : list(.array([data["user"] ?? data]))
    }

    /// The user in a document that may have other members, too; `nil` when the document has no user.
    static func user(_ document: JSON?) -> JSON? {
        guard let document, document["user_id"]?.string ?? document["guest_id"]?.string != nil else { return nil }
        return MessageCodec.user(document)
    }

    static func list(_ users: JSON?) -> JSON { .array((users?.array ?? []).compactMap { user($0) }) }

    /// A mute or a ban: of whom, why, and until when.
    static func restriction(_ source: EventSource, _ data: JSON) -> Cause {
        cause(source, [
            "user": user(data["user"] ?? data), "description": text(data["description"]),
            "end_at": number(data["end_at"]),
        ])
    }

    /// The end of a mute or a ban.
    static func release(_ source: EventSource, _ data: JSON) -> Cause {
        cause(source, ["user": user(data["user"] ?? data)])
    }

    /// Which keys of metadata or counters were made, changed and removed: a fact for each. The source is that of the
    /// last fact.
    static func properties(
        created: EventSource, updated: EventSource, deleted: EventSource, _ data: JSON
    ) -> Cause {
        var facts: [(source: EventSource, fact: EventFact)] = []
        for (source, values) in [(created, data["created"]), (updated, data["updated"])] {
            guard let values, values.kind == .object, values.count > 0 else { continue }
            facts.append((source, fact(source, ["values": values])))
        }
        let keys = (data["deleted"]?.array ?? []).compactMap(\.string)
        if !keys.isEmpty { facts.append((deleted, fact(deleted, ["keys": .strings(keys)]))) }
        return Cause(facts.last?.source ?? updated, facts.map(\.fact))
    }

    static func pins(_ data: JSON) -> Cause {
        let ids = (data["pinned_message_ids"]?.array ?? []).compactMap { $0.int.map { String($0) } ?? $0.string }
        return cause(.eventPinnedMessageUpdated, ["pinned_message_ids": .strings(ids)])
    }

    static func number(_ value: JSON?) -> JSON? { value?.int.map { .int($0) } }

    static func text(_ value: JSON?) -> JSON? { value?.string.map { .string($0) } }
}
