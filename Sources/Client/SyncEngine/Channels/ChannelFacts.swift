import SyncJSON
import SyncModel
import SyncStore

/// What a fact about messages, or an event, does to a cached channel. The service's rules say which fields change.
enum ChannelFacts {
    enum Outcome {
        case nothing
        case changed(ChannelRecord)
        /// Only the service can tell what the channel is now.
        case mustBeAsked
        /// The cached channel does not change, but an answer under way may be older than the fact.
        case mayCross
        /// Facts came while an answer was under way. The answer is used only if the channel is not cached yet, and the
        /// service is asked.
        case overtaken(ChannelRecord?)
    }

    static func outcome(of fact: MessageFact, in cached: ChannelRecord?, _ context: Context) -> Outcome {
        // The channel contains a copy of its pinned message, and only the service knows how that changes.
        if let cached, concernsPinned(fact, cached) { return .mustBeAsked }
        // Only the service knows what the channel is without messages that are hidden now.
        if !fact.hidden.isEmpty, case .mustBeAsked = deleted(fact.hidden, cached, context) { return .mustBeAsked }
        return switch fact.kind {
        case .arrived(let message, _): arrived(message, cached, context)
        case .edited(let messages): edited(messages, cached, context)
        case .patched(let id, let patch):
            lastMessagePatched(id, cached, context) { context.rules.apply(patch, to: $0) }
        case .patchLog(let patches):
            lastMessagePatched(patches, cached, context)
        case .deleted(let ids): deleted(ids, cached, context)
        case .changelog(let updated, let ids):
            if let last = cached?.lastMessage, ids.contains(last.id) {
                .mustBeAsked
            } else {
                edited(updated, cached, context)
            }
        }
    }

    static func outcome(of event: ChannelEvent, in cached: ChannelRecord?, _ context: Context) -> Outcome {
        guard let cached, let patches = context.rules.patches(for: event, in: cached, userID: context.options.userID)
        else { return .mustBeAsked }
        return patched(cached, patches)
    }

    static func outcome(ofRetention end: Int64, in cached: ChannelRecord, _ context: Context) -> Outcome {
        patched(cached, context.rules.patches(forPurgeUpTo: end, in: cached))
    }

    /// What the answer to an action says of a channel. `isCrossed`: facts touched the channel since it was asked.
    static func outcome(ofAnswer event: ServiceEvent, isCrossed: Bool, in cached: ChannelRecord?, _ context: Context)
        -> Outcome
    {
        switch event {
        case .channelAnswered(let channel, _):
            if isCrossed { return .overtaken(cached == nil ? channel : nil) }
            return channel == cached ? .nothing : .changed(channel)
        case .channel(_, let event) where !isCrossed: return outcome(of: event, in: cached, context)
        // There may be no event about this change, so every answer that was asked for before it is too old.
        case .channel(_, .patched): return .mustBeAsked
        // The channel is removed already.
        case .channel(_, .removed) where cached == nil: return .nothing
        case .channel: return .overtaken(nil)
        default: return .nothing
        }
    }

    /// Whether the fact is about the message that the channel shows as the one pinned last.
    private static func concernsPinned(_ fact: MessageFact, _ channel: ChannelRecord) -> Bool {
        if case .arrived = fact.kind { return false }
        guard let pinned = JSONSlice.member("latest_pinned_message", of: channel.json),
            let number = pinned.withUnsafeBytes({ JSONSlice.valid($0)["message_id"]?.int })
        else { return false }
        return fact.concerns(MessageID(number: number))
    }

    private static func arrived(_ message: MessageRecord, _ cached: ChannelRecord?, _ context: Context) -> Outcome {
        guard let cached,
            let patches = context.rules.patches(
                for: message, in: cached, userID: context.options.userID, counting: context.counting)
        else { return .mustBeAsked }
        return patches.isEmpty ? .mayCross : patched(cached, patches)
    }

    private static func edited(_ messages: [MessageRecord], _ cached: ChannelRecord?, _ context: Context) -> Outcome {
        guard let cached else { return .mayCross }
        let userID = context.options.userID
        if messages.contains(where: { context.rules.mayChangeMentions($0, in: cached, userID: userID) }) {
            return .mustBeAsked
        }
        if let last = cached.lastMessage, let message = messages.last(where: { $0.id == last.id }) {
            guard let shown = JSONSlice.member("last_message", of: cached.json),
                MessageRecord.updatedAt(of: shown) <= message.updatedAt
            else { return .nothing }
            // The service changed the time of the message: another one may be the last now.
            if message.position != last.position { return .mustBeAsked }
            let json = context.rules.edited(message.json, from: shown)
            return patched(cached, context.rules.patches(forLastMessage: json, in: cached))
        }
        let later = messages.filter { message in cached.lastMessage.map { message.position > $0.position } ?? true }
        if later.isEmpty { return .nothing }
        return areAtTheirPlaces(later, in: cached.url, context) ? .mayCross : .mustBeAsked
    }

    /// Whether the cache has these messages at the times that they have now. If not, the service may have moved one
    /// behind the last message of the channel. Silent messages and replies may be later than the last message without
    /// that, and are asked for only when they are not cached.
    private static func areAtTheirPlaces(
        _ messages: [MessageRecord], in url: ChannelURL, _ context: Context
    ) -> Bool {
        let answer = context.storage.cached { (cache) throws(StoreError) -> Bool in
            guard let key = try cache.channels.keyIfKnown(url) else { return false }
            for message in messages {
                guard let held = try cache.message(id: message.id, channel: key), held.position == message.position
                else { return false }
            }
            return true
        }
        return answer == true
    }

    private static func lastMessagePatched(
        _ id: MessageID, _ cached: ChannelRecord?, _ context: Context, _ apply: ([UInt8]) -> [UInt8]?
    ) -> Outcome {
        guard let cached, cached.lastMessage?.id == id else {
            return concern([id], cached, context)
        }
        guard let last = JSONSlice.member("last_message", of: cached.json), let json = apply(last) else {
            return .mustBeAsked
        }
        return patched(cached, context.rules.patches(forLastMessage: json, in: cached))
    }

    /// A channel shows nothing of other messages than its last one.
    private static func lastMessagePatched(
        _ patches: [(id: MessageID, patch: MessagePatch)], _ cached: ChannelRecord?, _ context: Context
    ) -> Outcome {
        guard let cached, let last = cached.lastMessage, patches.contains(where: { $0.id == last.id }) else {
            return .nothing
        }
        return lastMessagePatched(last.id, cached, context) { json in
            var json = json
            for (id, patch) in patches where id == last.id { json = context.rules.apply(patch, to: json) ?? json }
            return json
        }
    }

    private static func deleted(_ ids: [MessageID], _ cached: ChannelRecord?, _ context: Context) -> Outcome {
        // Only the service knows which message is the last one now.
        if let last = cached?.lastMessage, ids.contains(last.id) { return .mustBeAsked }
        // Only the service knows whether the message was unread.
        if let cached, !ids.isEmpty, context.rules.hasUnread(cached) { return .mustBeAsked }
        return concern(ids, cached, context)
    }

    /// Whether one of these messages, of which only the id is known, may be newer than the last one cached.
    private static func concern(_ ids: [MessageID], _ cached: ChannelRecord?, _ context: Context) -> Outcome {
        guard let cached, let last = cached.lastMessage else { return .mayCross }
        let areOlder = context.storage.cached { (cache) throws(StoreError) -> Bool in
            guard let key = try cache.channels.keyIfKnown(cached.url) else { return false }
            for id in ids {
                guard let held = try cache.message(id: id, channel: key), held.position < last.position else {
                    return false
                }
            }
            return true
        }
        return areOlder == true ? .nothing : .mayCross
    }

    private static func patched(_ channel: ChannelRecord, _ patches: [ChannelPatch]) -> Outcome {
        guard !patches.isEmpty else { return .nothing }
        guard let json = JSONSlice.setting(patches.map { ($0.key, $0.value) }, in: channel.json),
            let changed = json.withUnsafeBytes({ ChannelRecord(slice: .valid($0), copying: json) })
        else { return .mustBeAsked }
        return changed == channel ? .nothing : .changed(changed)
    }
}
