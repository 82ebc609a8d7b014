import ServerBase
import SyncBytes
import SyncJSON

/// A channel as one user sees it, in the shape of the wire.
public struct ChannelView {
    /// The parts that a view may leave out.
    public struct Parts: OptionSet, Sendable {
        public let rawValue: Int
        public static let members = Parts(rawValue: 1)
        public static let readReceipt = Parts(rawValue: 2)
        public static let deliveryReceipt = Parts(rawValue: 4)
        public static let metadata = Parts(rawValue: 8)
        /// Only the active members, or only the others.
        public static let activeOnly = Parts(rawValue: 16)
        public static let inactiveOnly = Parts(rawValue: 32)
        /// The meta arrays of the last message.
        public static let lastMetaArrays = Parts(rawValue: 64)
        public static let all: Parts = [.members, .readReceipt, .deliveryReceipt, .metadata, .lastMetaArrays]

        public init(rawValue: Int) { self.rawValue = rawValue }
    }

    public let chat: Chat
    /// Empty for the administration.
    public let viewer: String
    public let parts: Parts
    private let blocking: TextSet
    private let blockedBy: TextSet
    private let now: Int64

    /// The most members of a super channel in a view; the member list has all.
    private static let superMemberLimit = 10

    public init(_ chat: Chat, viewer: String, parts: Parts = .all) throws {
        self.chat = chat
        self.viewer = viewer
        self.parts = parts
        (blocking, blockedBy) = viewer.isEmpty ? ([], []) : try chat.storage.blocks.list(of: viewer)
        now = chat.now
    }

    /// The whole document.
    public func document(_ channel: ChannelRow, extra: KeyValuePairs<StaticString, Bool> = [:]) throws -> [UInt8] {
        var writer = JSONWriter(capacity: 2048)
        let membership = viewer.isEmpty ? nil : try chat.storage.members.membership(channel.id, viewer)
        try write(channel, membership, to: &writer, extra: extra)
        return writer.bytes
    }

    public func write(
        _ channel: ChannelRow, _ membership: MembershipRow?, to writer: inout JSONWriter,
        extra: KeyValuePairs<StaticString, Bool> = [:]
    ) throws {
        let storage = chat.storage
        writer.beginObject()
        writer.member("channel_url", channel.url)
        writer.member("id", channel.id)
        writer.member("name", channel.name)
        writer.member("cover_url", channel.coverURL)
        writer.member("data", channel.data)
        writer.member("custom_type", channel.customType)
        writer.member("created_at", channel.createdAt / 1000)
        try writeUser("created_by", channel.createdBy, &writer)
        writeFlags(channel, &writer)
        writer.member("member_count", channel.memberCount)
        writer.member("joined_member_count", channel.joinedCount)
        writer.member("message_survival_seconds", channel.survival)
        writer.member("message_purge_offset", chat.settings.purgeOffset(customType: channel.customType))
        writer.member("max_length_message", chat.options.maximumMessageLength)
        writer.member("ignore_profanity_filter", false)
        writer.member("has_bot", try !storage.bots.isEmpty && storage.members.hasAny(channel.id, among: storage.bots))
        writer.member("has_ai_bot", false)
        writeNested(channel, &writer)
        for (key, value) in extra { writer.member(key, value) }
        try writeOwn(channel, membership, &writer)
        try writeMessages(channel, membership, &writer)
        if parts.contains(.members) { try writeMembers(channel, &writer) }
        if !parts.isDisjoint(with: [.readReceipt, .deliveryReceipt]) { try writeReceipts(channel, &writer) }
        if parts.contains(.metadata) {
            writer.key("metadata")
            writer.beginObject()
            for (key, value) in try storage.channels.metadata(channel.id) {
                writer.key(escaping: key)
                writer.string(value)
            }
            writer.endObject()
        }
        writer.endObject()
    }

    /// A user's core; `null` when the id is empty or names nobody.
    private func writeUser(_ key: StaticString, _ id: String, _ writer: inout JSONWriter) throws {
        writer.key(key)
        guard let user = id.isEmpty ? nil : try chat.storage.users.user(id) else { return writer.null() }
        writer.beginObject()
        user.writeCore(&writer)
        writer.endObject()
    }

    /// The last message as the viewer sees it, and the pinned ones.
    private func writeMessages(_ channel: ChannelRow, _ membership: MembershipRow?, _ writer: inout JSONWriter) throws {
        let storage = chat.storage
        writer.key("last_message")
        if let last = try channel.lastMessage(of: membership).flatMap({ try storage.messages.message($0.id) }) {
            writer.raw(last.bytes(parts.contains(.lastMetaArrays) ? .all : .all.subtracting(.metaarray)))
        } else {
            writer.null()
        }
        writer.member("pinned_message_ids", raw: channel.pinned)
        writer.key("latest_pinned_message")
        if let pinned = channel.pinnedIDs.last, let message = try storage.messages.message(pinned) {
            writer.raw(message.bytes(.all))
        } else {
            writer.null()
        }
    }

    private func writeFlags(_ channel: ChannelRow, _ writer: inout JSONWriter) {
        writer.member("freeze", channel.isFrozen)
        writer.member("is_ephemeral", channel.flags.contains(.ephemeral))
        writer.member("is_super", channel.isSuper)
        writer.member("is_broadcast", channel.isBroadcast)
        writer.member("is_exclusive", channel.flags.contains(.exclusive))
        writer.member("is_public", channel.isPublic)
        writer.member("is_distinct", channel.flags.contains(.distinct))
        writer.member("is_discoverable", channel.flags.contains(.discoverable))
        writer.member("is_access_code_required", !channel.accessCode.isEmpty)
        writer.member("is_chat_notification", channel.flags.contains(.chatNotification))
    }

    /// The parts that are objects of their own; clients read the channel's core out of `channel`.
    private func writeNested(_ channel: ChannelRow, _ writer: inout JSONWriter) {
        writer.key("disappearing_message")
        writer.beginObject()
        writer.member("message_survival_seconds", channel.survival)
        writer.member("is_triggered_by_message_read", false)
        writer.endObject()
        writer.member("sms_fallback", raw: ChannelView.noFallback)
        writer.key("channel")
        writer.beginObject()
        writer.member("channel_url", channel.url)
        writer.member("name", channel.name)
        writer.member("cover_url", channel.coverURL)
        writer.member("custom_type", channel.customType)
        writer.member("data", channel.data)
        writer.member("created_at", channel.createdAt / 1000)
        writer.member("member_count", channel.memberCount)
        writer.member("max_length_message", chat.options.maximumMessageLength)
        writer.endObject()
    }

    private static let noFallback = Array("{\"wait_seconds\":-1,\"exclude_user_ids\":[]}".utf8)

    /// The values that differ from member to member.
    private func writeOwn(_ channel: ChannelRow, _ membership: MembershipRow?, _ writer: inout JSONWriter) throws {
        writer.member("unread_message_count", membership?.unread(in: channel) ?? 0)
        writer.member("unread_mention_count", membership?.unreadMentions ?? 0)
        writer.member("member_state", membership?.state.word ?? "none")
        writer.member("my_role", membership?.isOperator == true ? "operator" : "none")
        writer.member("is_muted", membership?.isMuted(at: now) ?? false)
        writer.member("count_preference", membership?.countPreference ?? "all")
        // The administration has no push setting of its own.
        if !viewer.isEmpty { writer.member("push_trigger_option", membership?.pushTrigger ?? "default") }
        writer.member("is_push_enabled", membership?.pushTrigger != "off")
        try writeUser("inviter", membership?.inviter ?? "", &writer)
        writer.member("invited_at", membership?.invitedAt ?? 0)
        writer.member("joined_ts", membership?.joinedAt ?? 0)
        writer.member("is_hidden", membership.map { $0.hidden != .no } ?? false)
        writer.member("hidden_state", (membership?.hidden ?? .no).word)
        writer.member("user_last_read", membership?.lastRead ?? 0)
        writer.member("ts_message_offset", membership?.offset ?? 0)
        // Every change up to this time is in this document.
        writer.member("last_synced_changelog_ts", max(channel.changeAt, membership?.changeAt ?? 0))
    }

    private func writeMembers(_ channel: ChannelRow, _ writer: inout JSONWriter) throws {
        writer.key("members")
        writer.beginArray()
        for entry in try chat.storage.members.list(
            channel.id, limit: channel.isSuper ? ChannelView.superMemberLimit : .max)
        where !parts.contains(entry.user.isActive ? .inactiveOnly : .activeOnly) {
            write(entry.membership, entry.user, to: &writer)
        }
        writer.endArray()
        writer.key("operators")
        writer.beginArray()
        for id in try chat.storage.members.operators(channel.id) {
            guard let user = try chat.storage.users.user(id) else { continue }
            writer.beginObject()
            user.writeCore(&writer)
            writer.endObject()
        }
        writer.endArray()
    }

    private func writeReceipts(_ channel: ChannelRow, _ writer: inout JSONWriter) throws {
        let receipts = try chat.storage.members.receipts(channel.id)
        if parts.contains(.readReceipt) {
            writer.key("read_receipt")
            writer.beginObject()
            for receipt in receipts {
                writer.key(escaping: receipt.userID)
                writer.int(receipt.read)
            }
            writer.endObject()
        }
        if parts.contains(.deliveryReceipt) {
            writer.key("delivery_receipt")
            writer.beginObject()
            for receipt in receipts {
                writer.key(escaping: receipt.userID)
                writer.int(max(receipt.delivered, chat.delivered[channel.id]?[receipt.userID] ?? 0))
            }
            writer.endObject()
        }
    }

    /// A member as an object.
    public func write(
        _ membership: MembershipRow, _ user: UserRow, to writer: inout JSONWriter, withPushPreference: Bool = false,
        withMute: Bool = true
    ) {
        writer.beginObject()
        user.writeFull(&writer, isOnline: chat.hub.isOnline(user.id))
        writer.member("state", membership.state.word)
        writer.member("role", membership.isOperator ? "operator" : "none")
        if withMute {
            let isMuted = membership.isMuted(at: now)
            writer.member("is_muted", isMuted)
            writer.member("muted_end_at", isMuted ? membership.mutedUntil : -1)
            writer.member("muted_description", isMuted ? membership.muteNote : "")
        }
        writer.member("is_blocked_by_me", blocking.contains(user.id))
        writer.member("is_blocking_me", blockedBy.contains(user.id))
        writer.member("joined_ts", membership.joinedAt)
        if parts.contains(.readReceipt) { writer.member("read_ts", membership.lastRead) }
        if parts.contains(.deliveryReceipt) { writer.member("delivered_ts", membership.delivered) }
        if withPushPreference {
            let preference = PushPreference(user)
            let trigger = membership.pushTrigger == "default" ? preference.trigger : membership.pushTrigger
            writer.member("push_trigger_option", trigger)
            writer.member("push_enabled", trigger != "off")
            writer.member("do_not_disturb", preference.doesNotDisturb)
        }
        writer.endObject()
    }
}
