import SyncJSON
import SyncModel

extension FrameDecoder {
    /// The categories of channel events. A change that the event tells completely becomes a patch. When a change
    /// depends on more than the event tells, the channel is asked for again.
    func systemEvent(_ body: JSON, _ url: ChannelURL) -> [WireEvent] {
        let data = body["data"] ?? .object()
        let category = body["cat"]?.int ?? 0
        if category == 10102 || category == 10103 { return [.alive] }
        if category == 10900 || category == 10901 {
            return typing(data, isTyping: category == 10900).map { [.event(.channel(url: url, $0))] } ?? [.alive]
        }
        // Category 11000, and unknown ones: for each of them it is right to ask for the channel again.
        let event = memberEvent(category, data) ?? propertyEvent(category, data)
            ?? visibilityEvent(category, data, body) ?? .changed(EventFacts.cause(.eventChannelChanged))
        return [.event(.channel(url: url, event))]
    }

    /// Who is in the channel, and what they may do there.
    private func memberEvent(_ category: Int64, _ data: JSON) -> ChannelEvent? {
        /// Either this user is out of the channel, or somebody else is.
        func left(_ cause: Cause) -> ChannelEvent { concernsMe(data) ? .removed(cause) : .changed(cause) }
        /// Either this user is in the channel now, or somebody else is.
        func entered(_ cause: Cause) -> ChannelEvent { concernsMe(data) ? .entered(cause) : .changed(cause) }
        switch category {
        case 10000:
            return entered(EventFacts.cause(.eventUserJoined, [
                "users": EventFacts.users(data), "joined_at": EventFacts.number(data["joined_ts"]),
            ]))
        case 10001: return left(EventFacts.cause(.eventUserLeft, ["users": EventFacts.users(data)]))
        case 10002:
            return .changed(EventFacts.cause(.eventOperatorUpdated, ["operators": EventFacts.list(data["operators"])]))
        case 10020:
            return entered(EventFacts.cause(.eventUserReceivedInvitation, [
                "inviter": EventFacts.user(data["inviter"]), "invitees": EventFacts.list(data["invitees"]),
                "invited_at": EventFacts.number(data["invited_at"]),
            ]))
        case 10022:
            return left(EventFacts.cause(.eventUserDeclinedInvitation, [
                "inviter": EventFacts.user(data["inviter"]), "invitee": EventFacts.user(data["invitee"] ?? data),
            ]))
        case 10200: return .changed(EventFacts.release(.eventUserUnmuted, data))
        case 10201: return .changed(EventFacts.restriction(.eventUserMuted, data))
        case 10600: return .changed(EventFacts.release(.eventUserUnbanned, data))
        case 10601: return left(EventFacts.restriction(.eventUserBanned, data))
        default: return nil
        }
    }

    /// Properties of the channel: frozen or not, metadata, counters, pinned messages.
    private func propertyEvent(_ category: Int64, _ data: JSON) -> ChannelEvent? {
        switch category {
        case 10700, 10701:
            let isFrozen = category == 10701
            return .patched(
                EventFacts.cause(isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen),
                members: [ChannelPatch(key: "freeze", value: JSON.bool(isFrozen).serialized())])
        case 11100:
            return .changed(EventFacts.properties(
                created: .eventMetaDataCreated, updated: .eventMetaDataUpdated, deleted: .eventMetaDataDeleted, data))
        case 11200:
            return .changed(EventFacts.properties(
                created: .eventMetaCounterCreated, updated: .eventMetaCounterUpdated,
                deleted: .eventMetaCounterDeleted, data))
        case 11300: return .changed(EventFacts.pins(data))
        default: return nil
        }
    }

    /// Whether this user sees the channel in lists.
    private func visibilityEvent(_ category: Int64, _ data: JSON, _ body: JSON) -> ChannelEvent? {
        switch category {
        case 12000: return .removed(EventFacts.cause(.eventChannelDeleted))
        case 13000:
            return .hidden(
                allowAutoUnhide: data["allow_auto_unhide"]?.bool ?? true,
                offset: body["ts_message_offset"]?.int ?? data["ts_message_offset"]?.int ?? 0)
        case 13001:
            return .patched(EventFacts.cause(.eventChannelUnhidden), members: [
                ChannelPatch(key: "is_hidden", value: JSON.bool(false).serialized()),
                ChannelPatch(key: "hidden_state", value: JSON.string("unhidden").serialized()),
            ])
        default: return nil
        }
    }

    private func typing(_ data: JSON, isTyping: Bool) -> ChannelEvent? {
        let user = identifier(data) == nil ? data["user"] ?? data : data
        return identifier(user).map { id in
            .typing(userID: id, user: MessageCodec.user(user).serialized(), isTyping: isTyping)
        }
    }

    /// Whether an event is about this user: inline, as an object, or in a list of several.
    private func concernsMe(_ data: JSON) -> Bool {
        let one = identifier(data) ?? data["user"].flatMap(identifier) ?? data["invitee"].flatMap(identifier)
        let all = [one] + ["users", "invitees"].flatMap { data[$0]?.array ?? [] }.map(identifier)
        return all.contains(userID)
    }
}
