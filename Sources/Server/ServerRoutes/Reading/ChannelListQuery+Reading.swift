import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes

extension Keys {
    static let channelList: Keys = [
        """
        order show_empty show_frozen include_chat_notification distinct_mode super_mode public_mode hidden_mode \
        unread_filter member_state_filter custom_types custom_type custom_type_startswith channel_urls name \
        name_startswith name_contains members_nickname_contains members_nickname_startswith members_nickname \
        members_exactly_in members_include_in query_type search_query search_fields search_field created_before \
        created_after metadata_key metadata_values metadata_value_startswith metadata_order_key
        """,
        "metacounter_key metacounter_values",
        "metacounter_value_gte metacounter_value_lte metacounter_value_gt metacounter_value_lt", .page, .channelParts,
    ]
}

extension ChannelListQuery {
    /// `usualOrder` is the order when the query names none.
    init(_ query: RequestQuery, usualOrder: ChannelOrder = .latestLastMessage) throws {
        let order = query.text("order")
        guard let known = order.isEmpty ? usualOrder : ChannelOrder(rawValue: order) else {
            throw Refusal.invalid("order", "there is no such order")
        }
        self.init(order: known)
        showsEmpty = query.bool("show_empty", default: true)
        showsFrozen = query.bool("show_frozen", default: true)
        showsChatNotifications = query.bool("include_chat_notification")
        try readModes(query)
        try readConditions(query)
        createdBefore = ChannelListQuery.time(try query.int("created_before") ?? 0)
        createdAfter = ChannelListQuery.time(try query.int("created_after") ?? 0)
        if known == .metadata, metadataOrderKey.isEmpty { throw Refusal.missing("metadata_order_key") }
        limit = try max(1, query.limit(default: 10, max: 200))
        token = query["token"] ?? ""
        parts = ChannelView.Parts(query)
    }

    private mutating func readModes(_ query: RequestQuery) throws {
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
    }

    private mutating func readConditions(_ query: RequestQuery) throws {
        customTypes = query.choice("custom_types", "custom_type")
        customTypePrefix = query.text("custom_type_startswith")
        urls = query.choice("channel_urls")
        name = query.text("name")
        namePrefix = query.text("name_startswith").lowercased()
        nameContains = query.text("name_contains").lowercased()
        nicknameContains = (query.choice("members_nickname_contains") ?? []).map { $0.lowercased() }
            .filter { !$0.isEmpty }
        nicknamePrefix = query.text("members_nickname_startswith").lowercased()
        nicknames = query.choice("members_nickname").map { TextSet($0.map { $0.lowercased() }) }
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
    }

    /// Some clients send seconds, some milliseconds; no second of this kind is as large as a millisecond of 1973.
    private static func time(_ value: Int64) -> Int64 { value > 0 && value < 100_000_000_000 ? value * 1000 : value }
}

extension CounterCondition {
    /// `nil` when the query asks for no counter.
    init?(_ query: RequestQuery) throws {
        let key = query.text("metacounter_key")
        guard !key.isEmpty else { return nil }
        let values = query.choice("metacounter_values").map { Set($0.compactMap { Int64($0) }) }
        var lowest = try query.int("metacounter_value_gte") ?? .min
        var highest = try query.int("metacounter_value_lte") ?? .max
        if let above = try query.int("metacounter_value_gt") { lowest = max(lowest, above == .max ? .max : above + 1) }
        if let below = try query.int("metacounter_value_lt") {
            highest = min(highest, below == .min ? .min : below - 1)
        }
        self.init(key: key, values: values, lowest: lowest, highest: highest)
    }
}
