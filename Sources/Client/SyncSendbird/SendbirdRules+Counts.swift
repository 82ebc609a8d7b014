import SyncBytes
import SyncJSON
import SyncModel

// What a message counts for in its channel: last message, unread, mentions.
extension SendbirdRules {
    /// What the message counts for, by its own members and the application's policy. `nil`: only the service knows.
    private struct Effect {
        var isLast: Bool?
        var isUnread: Bool?

        init(_ message: MessageRecord, isOwn: Bool, _ counting: CountingPolicy) {
            func told(_ key: StaticString) -> Bool? {
                message.json.withUnsafeBytes { JSONSlice.valid($0)["message_events"]?[key]?.bool }
            }
            let isReply = !message.parentID.isEmpty
            if message.isSilent {
                let isForced = SendbirdRules.member("force_update_last_message", of: message.json) { $0.bool == true }
                // The sender sees it as the last message, whatever the message says for other users.
                isLast = isOwn || isForced || told("update_last_message") == true
                isUnread = false
            } else {
                isLast = told("update_last_message") ?? true
                isUnread = told("update_unread_count") ?? true
            }
            // The application's policy, which the service may not have told, concerns replies only.
            if isReply, isLast == true { isLast = counting.lastMessage?.count(message) }
            if isReply, isUnread == true { isUnread = counting.unread?.count(message) }
        }
    }

    public func patches(
        for message: MessageRecord, in channel: ChannelRecord, userID: UserID, counting: CountingPolicy
    ) -> [ChannelPatch]? {
        guard message.position.order >= channel.messageOffset else { return [] }
        let isOwn = message.senderID == userID
        let effect = Effect(message, isOwn: isOwn, counting)
        if let last = channel.lastMessage, message.position <= last.position {
            // A host may have told of it before the service told that it hid the channel.
            if channel.isHidden { return nil }
            // The channel may have counted the message already, or not.
            return isOwn || last.id == message.id || effect.isUnread == false ? [] : nil
        }
        guard let isLast = effect.isLast, let isUnread = effect.isUnread else { return nil }
        let preference = Preference(channel)
        let isCounted = isUnread && !isOwn && preference.countsMessages
        let isMention = isUnread && !isOwn && preference.countsMentions
            && Mentions.has(userID, in: message.json)
        guard isLast else {
            // Nothing in the channel shows whether this message is counted in it already.
            return isCounted || isMention || channel.isHidden ? nil : []
        }
        var patches = [ChannelPatch(key: "last_message", value: message.json)]
        if isCounted { patches.append(SendbirdRules.oneMore("unread_message_count", channel)) }
        if isMention { patches.append(SendbirdRules.oneMore("unread_mention_count", channel)) }
        let staysHidden = channel.isHidden && SendbirdRules.member("hidden_state", of: channel.json) {
            $0.equals("hidden_prevent_auto_unhide")
        }
        if channel.isHidden, !staysHidden {
            patches += [ChannelPatch("is_hidden", false), ChannelPatch("hidden_state", "unhidden")]
        }
        return patches
    }

    public func isNotified(_ message: MessageRecord, userID: UserID, counting: CountingPolicy) -> Bool {
        guard message.senderID != userID, !message.isSilent else { return false }
        let isWanted = message.json.withUnsafeBytes { bytes -> Bool in
            let events = JSONSlice.valid(bytes)["message_events"]
            let isSuppressed = events?["send_push_notification"]?.equals("none") ?? false
            return !isSuppressed && events?["update_last_message"]?.bool != false
        }
        return isWanted && (counting.lastMessage ?? .onlyInChannel).count(message)
    }

    public func mentions(_ userID: UserID, in json: [UInt8]) -> Bool { Mentions.has(userID, in: json) }

    public func mayChangeMentions(_ edited: MessageRecord, in channel: ChannelRecord, userID: UserID) -> Bool {
        guard edited.senderID != userID, Preference(channel).countsMentions else { return false }
        // Some messages of the millisecond up to which the channel was read may have come after the reading.
        guard edited.position.order >= SendbirdRules.count("user_last_read", channel) else { return false }
        // It mentions this user now, or may have done so before.
        return Mentions.has(userID, in: edited.json)
            || SendbirdRules.count("unread_mention_count", channel) > 0
    }

    public func hasUnread(_ channel: ChannelRecord) -> Bool {
        channel.unreadMessageCount > 0 || SendbirdRules.count("unread_mention_count", channel) > 0
    }

    public func muteEnd(in channel: ChannelRecord, userID: UserID) -> Int64? {
        channel.json.withUnsafeBytes { bytes in
            let slice = JSONSlice.valid(bytes)
            guard slice["is_muted"]?.bool == true else { return nil }
            var end: Int64?
            slice["members"]?.forEachElement { member in
                guard end == nil, member["user_id"]?.string?.isByteEqual(to: userID.text) == true else { return }
                end = member["muted_end_at"]?.int
            }
            return end.flatMap { $0 > 0 ? $0 : nil }
        }
    }

    /// Which of a channel's counts this user wants to have; the others are 0. Only members have any.
    private struct Preference {
        let countsMessages: Bool
        let countsMentions: Bool

        init(_ channel: ChannelRecord) {
            let word = channel.json.withUnsafeBytes { bytes in
                JSONSlice.valid(bytes)["count_preference"]?.string ?? "all"
            }
            let isMember = channel.traits.memberState != "invited"
            countsMessages = isMember && (word == "all" || word == "unread_message_count_only")
            countsMentions = isMember && (word == "all" || word == "unread_mention_count_only")
        }
    }

    static func count(_ key: StaticString, _ channel: ChannelRecord) -> Int64 {
        channel.json.withUnsafeBytes { JSONSlice.valid($0)[key]?.int ?? 0 }
    }

    private static func oneMore(_ key: StaticString, _ channel: ChannelRecord) -> ChannelPatch {
        let (count, overflow) = count(key, channel).addingReportingOverflow(1)
        return ChannelPatch(key.description, overflow ? Int64.max : count)
    }
}
