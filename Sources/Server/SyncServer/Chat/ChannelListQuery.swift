import ServerBase
import ServerHTTP

/// Every filter of a list of a user's channels. Text compares without regard to case, as people expect of a search.
struct ChannelListQuery {
    var order: ChannelOrder
    let showsEmpty: Bool
    let showsFrozen: Bool
    let showsChatNotifications: Bool
    let distinctMode: String
    let superMode: String
    let publicMode: String
    let hiddenMode: String
    let unreadOnly: Bool
    let memberState: String
    let customTypes: Set<String>?
    let customTypePrefix: String
    let urls: Set<String>?
    let name: String
    let namePrefix: String
    let nameContains: String
    let nicknameContains: [String]
    let nicknamePrefix: String
    let nicknames: Set<String>?
    /// In every way they may be meant; see `RequestQuery.readings`.
    let exactMembers: [[String]]
    let includedMembers: [[String]]
    let includesAnyMember: Bool
    let searchText: String
    let searchesNames: Bool
    let searchesNicknames: Bool
    let metadataKey: String
    let metadataValues: Set<String>?
    let metadataPrefix: String
    let metadataOrderKey: String
    let counters: CounterCondition?
    /// Milliseconds; 0 is none.
    let createdBefore: Int64
    let createdAfter: Int64

    init(_ query: RequestQuery, usualOrder: ChannelOrder = .latestLastMessage) throws {
        let order = query.text("order")
        if order.isEmpty {
            self.order = usualOrder
        } else if let known = ChannelOrder(rawValue: order) {
            self.order = known
        } else {
            throw Refusal.invalid("order", "there is no such order")
        }
        showsEmpty = query.bool("show_empty", default: true)
        showsFrozen = query.bool("show_frozen", default: true)
        showsChatNotifications = query.bool("include_chat_notification")
        distinctMode = try query.word("distinct_mode", "all", ["all", "distinct", "nondistinct"])
        superMode = try query.word(
            "super_mode", "all", ["all", "super", "nonsuper", "broadcast_only", "exclusive_only"])
        publicMode = try query.word("public_mode", "all", ["all", "public", "private"])
        hiddenMode = try query.word(
            "hidden_mode", "unhidden_only",
            [
                "unhidden_only", "hidden_only", "hidden_allow_auto_unhide", "hidden_allow_auto_hide",
                "hidden_prevent_auto_unhide", "all",
            ])
        unreadOnly = try query.word("unread_filter", "all", ["all", "unread_message"]) == "unread_message"
        memberState = try query.word(
            "member_state_filter", "all",
            [
                "all", "invited_only", "joined_only", "invited_by_friend", "invited_by_non_friend",
            ])
        customTypes = query.choice("custom_types", "custom_type")
        customTypePrefix = query.text("custom_type_startswith")
        urls = query.choice("channel_urls")
        name = query.text("name")
        namePrefix = query.text("name_startswith").lowercased()
        nameContains = query.text("name_contains").lowercased()
        nicknameContains = (query.choice("members_nickname_contains") ?? []).map { $0.lowercased() }
            .filter { !$0.isEmpty }
        nicknamePrefix = query.text("members_nickname_startswith").lowercased()
        nicknames = query.choice("members_nickname").map { Set($0.map { $0.lowercased() }) }
        exactMembers = query.readings("members_exactly_in")
        includedMembers = query.readings("members_include_in")
        counters = try CounterCondition(query)
        includesAnyMember = query.text("query_type").lowercased() == "or"
        searchText = query.text("search_query").lowercased()
        let fields = query.choice("search_fields", "search_field")
        searchesNames = fields?.contains("channel_name") ?? true
        searchesNicknames = fields.map { $0.contains("member_nickname") || $0.contains("member_nick_name") } ?? true
        metadataKey = query.text("metadata_key")
        metadataValues = query.choice("metadata_values")
        metadataPrefix = query.text("metadata_value_startswith")
        metadataOrderKey = query.text("metadata_order_key")
        createdBefore = ChannelListQuery.time(try query.int("created_before") ?? 0)
        createdAfter = ChannelListQuery.time(try query.int("created_after") ?? 0)
        if self.order == .metadata, metadataOrderKey.isEmpty { throw Refusal.missing("metadata_order_key") }
    }

    /// Some clients send seconds, some milliseconds; no second of this kind is as large as a millisecond of 1973.
    private static func time(_ value: Int64) -> Int64 { value > 0 && value < 100_000_000_000 ? value * 1000 : value }

    /// Whether a channel belongs to the list. The costly questions, those for its members and metadata, come last.
    func matches(_ channel: ChannelRow, _ member: MembershipRow, _ viewer: String, _ storage: Storage) throws -> Bool {
        guard matchesChannel(channel, member), matchesMembership(channel, member) else { return false }
        return try matchesInviter(member, viewer, storage) && matchesMembers(channel, viewer, storage)
            && matchesMetadata(channel, storage)
            && (counters?.matches(storage.counters(channel.id)) ?? true)
    }

    private func matchesChannel(_ channel: ChannelRow, _ member: MembershipRow) -> Bool {
        if !showsEmpty, channel.lastMessage(of: member) == nil { return false }
        if !showsFrozen, channel.isFrozen { return false }
        if !showsChatNotifications, channel.flags.contains(.chatNotification) { return false }
        switch distinctMode {
        case "distinct": if !channel.flags.contains(.distinct) { return false }
        case "nondistinct": if channel.flags.contains(.distinct) { return false }
        default: break
        }
        switch superMode {
        case "super": if !channel.isSuper { return false }
        case "nonsuper": if channel.isSuper { return false }
        case "broadcast_only": if !channel.isBroadcast { return false }
        case "exclusive_only": if !channel.flags.contains(.exclusive) { return false }
        default: break
        }
        if publicMode == "public", !channel.isPublic { return false }
        if publicMode == "private", channel.isPublic { return false }
        if let customTypes, !customTypes.contains(channel.customType) { return false }
        if !customTypePrefix.isEmpty, !channel.customType.hasPrefix(customTypePrefix) { return false }
        if let urls, !urls.contains(channel.url) { return false }
        if !name.isEmpty, channel.name != name { return false }
        if !namePrefix.isEmpty, !channel.name.lowercased().hasPrefix(namePrefix) { return false }
        if !nameContains.isEmpty, !channel.name.lowercased().contains(text: nameContains) { return false }
        if createdBefore > 0, channel.createdAt >= createdBefore { return false }
        if createdAfter > 0, channel.createdAt <= createdAfter { return false }
        return true
    }

    private func matchesMembership(_ channel: ChannelRow, _ member: MembershipRow) -> Bool {
        switch hiddenMode {
        case "unhidden_only": if member.hidden != .no { return false }
        case "hidden_only": if member.hidden == .no { return false }
        case "hidden_allow_auto_unhide", "hidden_allow_auto_hide": if member.hidden != .untilNewMessage { return false }
        case "hidden_prevent_auto_unhide": if member.hidden != .always { return false }
        default: break
        }
        if unreadOnly, member.unread(in: channel) == 0 { return false }
        switch memberState {
        case "joined_only": return member.state == .joined
        case "invited_only", "invited_by_friend", "invited_by_non_friend": return member.state == .invited
        default: return true
        }
    }

    private func matchesInviter(_ member: MembershipRow, _ viewer: String, _ storage: Storage) throws -> Bool {
        switch memberState {
        case "invited_by_friend": try storage.isFriend(member.inviter, of: viewer)
        case "invited_by_non_friend": try !storage.isFriend(member.inviter, of: viewer)
        default: true
        }
    }

    private func matchesMembers(_ channel: ChannelRow, _ viewer: String, _ storage: Storage) throws -> Bool {
        if !exactMembers.isEmpty {
            // The viewer is a member whether it names itself or not.
            let members = Set(try storage.audience(channel.id))
            let own = viewer.isEmpty ? [] : [viewer]
            if !exactMembers.contains(where: { members == Set($0).union(own) }) { return false }
        }
        if !includedMembers.isEmpty {
            let members = Set(try storage.audience(channel.id))
            let isMet = includedMembers.contains { wanted in
                includesAnyMember ? wanted.contains(where: members.contains) : wanted.allSatisfy(members.contains)
            }
            if !isMet { return false }
        }
        let needsNicknames =
            !nicknameContains.isEmpty || !nicknamePrefix.isEmpty || nicknames != nil
            || !searchText.isEmpty && searchesNicknames
        let names =
            needsNicknames
            ? try storage.members(channel.id).filter { $0.user.id != viewer }.map { $0.user.nickname.lowercased() } : []
        if !nicknameContains.isEmpty {
            let isFound = names.contains { name in nicknameContains.contains { name.contains(text: $0) } }
            if !isFound { return false }
        }
        if !nicknamePrefix.isEmpty, !names.contains(where: { $0.hasPrefix(nicknamePrefix) }) { return false }
        if let nicknames, !names.contains(where: nicknames.contains) { return false }
        if !searchText.isEmpty {
            let isNamed = searchesNames && channel.name.lowercased().contains(text: searchText)
            let hasMember = searchesNicknames && names.contains { $0.contains(text: searchText) }
            if !isNamed, !hasMember { return false }
        }
        return true
    }

    private func matchesMetadata(_ channel: ChannelRow, _ storage: Storage) throws -> Bool {
        guard !metadataKey.isEmpty else { return true }
        guard let value = try storage.metadata(channel.id).first(where: { $0.0 == metadataKey })?.1 else {
            return false
        }
        if let metadataValues, !metadataValues.contains(value) { return false }
        return metadataPrefix.isEmpty || value.hasPrefix(metadataPrefix)
    }
}
