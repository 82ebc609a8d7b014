import SyncModel

/// Queries and filters as hosts write them (docs/queries.md).
enum Criteria {
    static func query(_ bytes: [UInt8]) throws(BorderError) -> ChannelQuery {
        var reader = try DocumentReader(bytes)
        var query = ChannelQuery()
        query.limit = try reader.int("limit", 1...100) ?? 20
        query.order = try choice(&reader, "order") ?? .latestLastMessage
        query.includeEmpty = try reader.bool("include_empty") ?? true
        query.includeFrozen = try reader.bool("include_frozen") ?? true
        query.includeMetadata = try reader.bool("include_metadata") ?? true
        query.includeChatNotification = try reader.bool("include_chat_notification") ?? false
        query.channelURLs = try reader.strings("channel_urls")
        query.customTypes = try reader.strings("custom_types")
        query.customTypeStartsWith = try reader.string("custom_type_starts_with") ?? ""
        query.nicknameContains = try reader.string("nickname_contains") ?? ""
        query.nicknameStartsWith = try reader.string("nickname_starts_with") ?? ""
        query.nicknameExact = try reader.string("nickname_exact") ?? ""
        query.userIDsInclude = try reader.strings("user_ids_include")
        query.userIDsCombination = try choice(&reader, "user_ids_query_type") ?? .and
        query.userIDsExact = try reader.strings("user_ids_exact")
        query.nameContains = try reader.string("channel_name_contains") ?? ""
        query.memberState = try choice(&reader, "member_state") ?? .all
        query.superChannels = try choice(&reader, "super_channels") ?? .all
        query.publicChannels = try choice(&reader, "public_channels") ?? .all
        query.unreadChannels = try choice(&reader, "unread_channels") ?? .all
        query.hiddenChannels = try choice(&reader, "hidden_channels") ?? .unhiddenOnly
        query.metadataKey = try reader.string("metadata_key") ?? ""
        query.metadataValues = try reader.strings("metadata_values")
        query.metadataValueStartsWith = try reader.string("metadata_value_starts_with") ?? ""
        query.metadataOrderKey = try reader.string("metadata_order_key") ?? ""
        query.searchQuery = try reader.string("search_query") ?? ""
        for field in try reader.strings("search_fields") {
            guard let known = ChannelQuery.SearchField(rawValue: field) else {
                throw reader.fail("search_fields", "a list of \"member_nickname\", \"channel_name\"")
            }
            query.searchFields.append(known)
        }
        query.createdBefore = Int64(try reader.int("created_before", 0...Int.max) ?? 0)
        query.createdAfter = Int64(try reader.int("created_after", 0...Int.max) ?? 0)
        try reader.end()
        try check(query, reader)
        return query
    }

    /// Filters that contradict each other.
    private static func check(_ query: ChannelQuery, _ reader: DocumentReader) throws(BorderError) {
        let hasNickname = !query.nicknameContains.isEmpty || !query.nicknameStartsWith.isEmpty || !query.nicknameExact.isEmpty
        let byMembers = [!query.userIDsExact.isEmpty, !query.userIDsInclude.isEmpty, hasNickname].filter { $0 }.count
        if byMembers > 1 {
            let key = query.userIDsExact.isEmpty ? "user_ids_include" : "user_ids_exact"
            throw reader.fail(key, "only one of user_ids_exact, user_ids_include, nickname_*")
        }
        if query.metadataKey.isEmpty, !query.metadataValues.isEmpty || !query.metadataValueStartsWith.isEmpty {
            throw reader.fail("metadata_key", "a key to go with the metadata filter")
        }
        if !query.metadataValues.isEmpty, !query.metadataValueStartsWith.isEmpty {
            throw reader.fail("metadata_values", "only one of metadata_values, metadata_value_starts_with")
        }
        if (query.order == .metadataValueAlphabetical) == query.metadataOrderKey.isEmpty {
            throw reader.fail("metadata_order_key", "a key together with the order metadata_value_alphabetical")
        }
        if query.searchQuery.isEmpty, !query.searchFields.isEmpty { throw reader.fail("search_query", "a text to search for") }
    }

    static func filter(_ bytes: [UInt8]) throws(BorderError) -> MessageFilter {
        var reader = try DocumentReader(bytes)
        var filter = MessageFilter()
        filter.limit = try reader.int("limit", 1...200) ?? 30
        filter.type = try choice(&reader, "message_type") ?? .all
        filter.customTypes = try reader.strings("custom_types")
        filter.senderIDs = try reader.strings("sender_ids")
        filter.replyType = try choice(&reader, "reply_type") ?? .none
        try reader.end()
        return filter
    }

    private static func choice<T: RawRepresentable & CaseIterable>(
        _ reader: inout DocumentReader, _ key: String
    ) throws(BorderError) -> T? where T.RawValue == String {
        try reader.word(key, T.allCases.map(\.rawValue)).flatMap { T(rawValue: $0) }
    }
}
