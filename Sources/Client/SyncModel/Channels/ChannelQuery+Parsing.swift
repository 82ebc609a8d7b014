import SyncJSON

extension ChannelQuery {
    private enum Key: String {
        case limit, order
        case includeEmpty = "include_empty", includeFrozen = "include_frozen", includeMetadata = "include_metadata"
        case includeMemberList = "include_member_list", includeChatNotification = "include_chat_notification"
        case channelURLs = "channel_urls", customTypes = "custom_types"
        case customTypeStartsWith = "custom_type_starts_with"
        case nicknameContains = "nickname_contains", nicknameStartsWith = "nickname_starts_with"
        case nicknameExact = "nickname_exact"
        case userIDsInclude = "user_ids_include", userIDsCombination = "user_ids_query_type"
        case userIDsExact = "user_ids_exact"
        case nameContains = "channel_name_contains"
        case memberState = "member_state", superChannels = "super_channels", publicChannels = "public_channels"
        case unreadChannels = "unread_channels", hiddenChannels = "hidden_channels"
        case metadataKey = "metadata_key", metadataValues = "metadata_values"
        case metadataValueStartsWith = "metadata_value_starts_with", metadataOrderKey = "metadata_order_key"
        case searchQuery = "search_query", searchFields = "search_fields"
        case createdBefore = "created_before", createdAfter = "created_after"
    }

    /// Reads a query as hosts write it: an object with the keys of docs/queries.md. What is missing keeps its default;
    /// null and an empty text or list are the same as missing. Unknown keys, wrong forms and filters that contradict
    /// each other are refused with their path. `path` is that of the query in the document it came in.
    public init(json: JSON, path: String = "$") throws(DocumentError) {
        self.init()
        for (name, value) in try DocumentValue(json, path: path).members() {
            guard let key = Key(rawValue: name) else { throw value.unknown(in: "query") }
            if !value.json.isNull { try read(key, value) }
        }
        if let (key, message) = contradiction { throw DocumentError(path: path + "." + key.rawValue, message: message) }
        if !channelURLs.isEmpty { dropMemberFilters() }
    }

    /// Drops filters by members and search text from a query that names its channels: the service takes none of them
    /// then.
    private mutating func dropMemberFilters() {
        userIDsExact = []
        userIDsInclude = []
        nicknameContains = ""
        nicknameStartsWith = ""
        nicknameExact = ""
        searchQuery = ""
        searchFields = []
    }

    private mutating func read(_ key: Key, _ value: DocumentValue) throws(DocumentError) {
        switch key {
        case .limit: limit = Int(try value.integer(in: ChannelQuery.limits))
        case .order: order = try value.choice()
        case .includeEmpty: includeEmpty = try value.flag()
        case .includeFrozen: includeFrozen = try value.flag()
        case .includeMetadata: includeMetadata = try value.flag()
        case .includeMemberList: includeMemberList = try value.flag()
        case .includeChatNotification: includeChatNotification = try value.flag()
        case .channelURLs: channelURLs = try value.texts().map { ChannelURL($0) }
        case .customTypes: customTypes = try value.texts()
        case .customTypeStartsWith: customTypeStartsWith = try value.text()
        case .nicknameContains: nicknameContains = try value.text()
        case .nicknameStartsWith: nicknameStartsWith = try value.text()
        case .nicknameExact: nicknameExact = try value.text()
        case .userIDsInclude: userIDsInclude = try value.texts().map { UserID($0) }
        case .userIDsCombination: userIDsCombination = try value.choice()
        case .userIDsExact: userIDsExact = try value.texts().map { UserID($0) }
        case .nameContains: nameContains = try value.text()
        case .memberState: memberState = try value.choice()
        case .superChannels: superChannels = try value.choice()
        case .publicChannels: publicChannels = try value.choice()
        case .unreadChannels: unreadChannels = try value.choice()
        case .hiddenChannels: hiddenChannels = try value.choice()
        case .metadataKey: metadataKey = try value.text()
        case .metadataValues: metadataValues = try value.texts()
        case .metadataValueStartsWith: metadataValueStartsWith = try value.text()
        case .metadataOrderKey: metadataOrderKey = try value.text()
        case .searchQuery: searchQuery = try value.text()
        case .searchFields: searchFields = try value.choices()
        case .createdBefore: createdBefore = try value.time()
        case .createdAfter: createdAfter = try value.time()
        }
    }

    /// The first contradiction between filters, at the key that would have to be removed. Nickname filters add up; with
    /// filters by user id they contradict each other.
    private var contradiction: (key: Key, message: String)? {
        let nickname: Key? = !nicknameContains.isEmpty ? .nicknameContains
            : !nicknameStartsWith.isEmpty ? .nicknameStartsWith : !nicknameExact.isEmpty ? .nicknameExact : nil
        let byMembers = [
            userIDsExact.isEmpty ? nil : Key.userIDsExact, userIDsInclude.isEmpty ? nil : Key.userIDsInclude, nickname,
        ].compactMap { $0 }
        if byMembers.count > 1 { return (byMembers[1], "cannot be combined with \(byMembers[0].rawValue)") }
        if metadataKey.isEmpty {
            if !metadataValues.isEmpty { return (.metadataValues, "needs metadata_key") }
            if !metadataValueStartsWith.isEmpty { return (.metadataValueStartsWith, "needs metadata_key") }
        }
        if !metadataValues.isEmpty, !metadataValueStartsWith.isEmpty {
            return (.metadataValueStartsWith, "cannot be combined with metadata_values")
        }
        if order == .metadataValueAlphabetical, metadataOrderKey.isEmpty {
            return (.metadataOrderKey, "is required by the order \(order.rawValue)")
        }
        if order != .metadataValueAlphabetical, !metadataOrderKey.isEmpty {
            return (.metadataOrderKey, "needs the order \(Order.metadataValueAlphabetical.rawValue)")
        }
        if searchQuery.isEmpty, !searchFields.isEmpty { return (.searchFields, "needs search_query") }
        if createdBefore > 0, createdAfter >= createdBefore {
            return (.createdAfter, "must be earlier than created_before")
        }
        return nil
    }
}
