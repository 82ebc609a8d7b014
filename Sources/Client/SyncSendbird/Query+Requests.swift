import SyncModel

// The parameters of requests that only read.
extension Query {
    // MARK: Channels

    /// The parameters of a request for one channel.
    static var channel: Query {
        var query = Query()
        query.addChannelParts()
        return query
    }

    static func channelChanges(_ since: ChangePoint) -> Query {
        var query = Query()
        query.add(since)
        query.addChannelParts()
        query.add("show_empty", "true")
        query.add("show_frozen", "true")
        query.add("include_chat_notification", "true")
        return query
    }

    static func channels(_ query: ChannelQuery, token: String, limit: Int) -> Query {
        var result = Query()
        if !token.isEmpty { result.add("token", token) }
        result.add("limit", String(limit))
        result.add("order", query.order.rawValue)
        result.addChannelParts()
        result.add("show_empty", query.includeEmpty ? "true" : "false")
        result.add("show_frozen", query.includeFrozen ? "true" : "false")
        result.add("include_chat_notification", query.includeChatNotification ? "true" : "false")
        result.add("distinct_mode", "all")
        result.add("super_mode", query.superChannels.rawValue)
        result.add("public_mode", query.publicChannels.rawValue)
        result.add("hidden_mode", query.hiddenChannels.rawValue)
        result.add("unread_filter", query.unreadChannels.rawValue)
        result.add("member_state_filter", query.memberState.rawValue)
        result.add("custom_types", list: query.customTypes)
        result.add("custom_type_startswith", query.customTypeStartsWith)
        result.add("channel_urls", list: query.channelURLs.map(\.text))
        result.add("name_contains", query.nameContains)
        result.add("members_nickname_contains", query.nicknameContains)
        result.add("members_nickname_startswith", query.nicknameStartsWith)
        result.add("members_nickname", query.nicknameExact)
        result.add("members_exactly_in", list: query.userIDsExact.map(\.text))
        if !query.userIDsInclude.isEmpty {
            result.add("members_include_in", list: query.userIDsInclude.map(\.text))
            result.add("query_type", query.userIDsCombination.rawValue)
        }
        if !query.searchQuery.isEmpty {
            let fields = query.searchFields.isEmpty ? ChannelQuery.SearchField.allCases : query.searchFields
            result.add("search_query", query.searchQuery)
            result.add("search_fields", list: fields.map(\.rawValue))
        }
        result.add("metadata_key", query.metadataKey)
        result.add("metadata_values", list: query.metadataValues)
        result.add("metadata_value_startswith", query.metadataValueStartsWith)
        result.add("metadata_order_key", query.metadataOrderKey)
        // Channels are created in whole seconds there. "Before 1.5 s" means before 2 s, "after 1.5 s" means after 1 s.
        if query.createdBefore > 0 {
            result.add("created_before", String(query.createdBefore / 1000 + (query.createdBefore % 1000 > 0 ? 1 : 0)))
        }
        if query.createdAfter > 0 { result.add("created_after", String(query.createdAfter / 1000)) }
        return result
    }

    // MARK: Messages

    /// The parameters of a request for one message.
    static var message: Query {
        var query = Query()
        query.addMessageContent()
        return query
    }

    /// Messages around a time; `senderID`: only those of this user.
    static func messages(
        _ time: Int64, before: Int, after: Int, _ parentID: MessageID, of senderID: UserID? = nil
    ) -> Query {
        var query = Query()
        query.add("parent_message_id", parentID.text)
        query.add("message_ts", String(time))
        query.add("prev_limit", String(before))
        query.add("next_limit", String(after))
        query.add("include", "true")
        query.add("reverse", "false")
        query.addMessageParts()
        if let senderID { query.add("sender_ids", list: [senderID.text]) }
        return query
    }

    static func messageChanges(_ since: ChangePoint) -> Query {
        var query = Query()
        query.add(since)
        query.addMessageParts()
        return query
    }

    static func pollChanges(_ since: ChangePoint) -> Query {
        var query = Query()
        query.add(since)
        query.add("limit", "100")
        return query
    }

    /// The service compares how many messages lie in a range, both ends included, with how many are held there, and
    /// sends the range when they differ. Two ranges are asked about. Nothing is missing in the first one, so it is the
    /// oldest message alone.
    static func gap(from start: HistoryEdge, behind end: HistoryEdge, held: Int, _ filter: MessageFilter?) -> Query {
        var query = Query()
        query.add("prev_start_ts", String(start.position.order))
        query.add("prev_end_ts", String(start.position.order))
        query.add("prev_cache_count", "1")
        query.add("next_start_ts", String(end.position.order))
        query.add("next_end_ts", String(Int64.max))
        query.add("next_cache_count", String(held))
        if let filter { query.add(filter) }
        query.addMessageParts(replies: filter?.replyType ?? .all)
        return query
    }

    // MARK: The application

    static func retention(_ since: ChangePoint) -> Query {
        var query = Query()
        switch since {
        case .token(let token): query.add("token", token)
        case .time(let time): query.add("ts", String(time))
        }
        query.add("limit", "100")
        return query
    }
}
