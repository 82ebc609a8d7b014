import SyncJSON
import SyncModel

extension FrameDecoder {
    /// The categories of channel events. What an event carries whole becomes a patch; whatever depends on more than the
    /// event says makes the channel be asked for again.
    func systemEvent(_ body: JSON, _ url: ChannelURL) -> [WireEvent] {
        let data = body["data"] ?? .object()
        func event(_ event: ChannelEvent) -> [WireEvent] { [.event(.channel(url: url, event))] }
        func changed(_ source: EventSource, _ members: KeyValuePairs<String, JSON?> = [:]) -> [WireEvent] {
            event(.changed(EventFacts.cause(source, members)))
        }
        /// This user may be out of the channel, or somebody else.
        func left(_ cause: Cause) -> [WireEvent] { event(concernsMe(data) ? .removed(cause) : .changed(cause)) }
        /// This user may be in the channel now, or somebody else.
        func entered(_ cause: Cause) -> [WireEvent] { event(concernsMe(data) ? .entered(cause) : .changed(cause)) }
        let category = body["cat"]?.int ?? 0
        switch category {
        case 10000:
            return entered(EventFacts.cause(.eventUserJoined, [
                "users": EventFacts.users(data), "joined_at": EventFacts.number(data["joined_ts"]),
            ]))
        case 10001: return left(EventFacts.cause(.eventUserLeft, ["users": EventFacts.users(data)]))
        case 10002: return changed(.eventOperatorUpdated, ["operators": EventFacts.list(data["operators"])])
        case 10020:
            return entered(EventFacts.cause(.eventUserReceivedInvitation, [
                "inviter": EventFacts.user(data["inviter"]), "invitees": EventFacts.list(data["invitees"]),
                "invited_at": EventFacts.number(data["invited_at"]),
            ]))
        case 10022:
            return left(EventFacts.cause(.eventUserDeclinedInvitation, [
                "inviter": EventFacts.user(data["inviter"]), "invitee": EventFacts.user(data["invitee"] ?? data),
            ]))
        case 10102, 10103: return [.alive]
        case 10200: return changed(.eventUserUnmuted, ["user": EventFacts.user(data["user"] ?? data)])
        case 10201: return event(.changed(EventFacts.restriction(.eventUserMuted, data)))
        case 10600: return changed(.eventUserUnbanned, ["user": EventFacts.user(data["user"] ?? data)])
        case 10601: return left(EventFacts.restriction(.eventUserBanned, data))
        case 10700, 10701:
            let isFrozen = category == 10701
            return event(.patched(
                EventFacts.cause(isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen),
                members: [ChannelPatch(key: "freeze", value: JSON.bool(isFrozen).serialized())]))
        case 10900, 10901:
            let user = identifier(data) == nil ? data["user"] ?? data : data
            guard let id = identifier(user) else { return [.alive] }
            return event(.typing(
                userID: id, user: MessageCodec.user(user).serialized(), isTyping: category == 10900))
        case 11100:
            return event(.changed(EventFacts.properties(
                created: .eventMetaDataCreated, updated: .eventMetaDataUpdated, deleted: .eventMetaDataDeleted, data)))
        case 11200:
            return event(.changed(EventFacts.properties(
                created: .eventMetaCounterCreated, updated: .eventMetaCounterUpdated,
                deleted: .eventMetaCounterDeleted, data)))
        case 11300: return event(.changed(EventFacts.pins(data)))
        case 12000: return event(.removed(EventFacts.cause(.eventChannelDeleted)))
        case 13000:
            return event(.hidden(
                allowAutoUnhide: data["allow_auto_unhide"]?.bool ?? true,
                offset: body["ts_message_offset"]?.int ?? data["ts_message_offset"]?.int ?? 0))
        case 13001:
            return event(.patched(EventFacts.cause(.eventChannelUnhidden), members: [
                ChannelPatch(key: "is_hidden", value: JSON.bool(false).serialized()),
                ChannelPatch(key: "hidden_state", value: JSON.string("unhidden").serialized()),
            ]))
        // 11000, and what is not known yet: asking again is right for any of them.
        default: return changed(.eventChannelChanged)
        }
    }

    /// Whether an event is about this user: inline, as an object, or in a list of several.
    private func concernsMe(_ data: JSON) -> Bool {
        let one = identifier(data) ?? data["user"].flatMap(identifier) ?? data["invitee"].flatMap(identifier)
        let all = [one] + ["users", "invitees"].flatMap { data[$0]?.array ?? [] }.map(identifier)
        return all.contains(userID)
    }
}
