import SyncJSON

extension ChannelQuery {
    /// Reads a query as hosts write it: an object with the keys of docs/queries.md. What is missing keeps its default;
    /// an empty text or list is the same as a missing one. Unknown keys, wrong forms and filters that contradict each
    /// other are refused with their path. `path` is that of the query in the document it came in.
    public init(json: JSON, path: String = "$") throws(DocumentError) {
        self.init()
        let document = DocumentValue(json, path: path)
        for (key, value) in try document.members() {
            switch key {
            case "limit": limit = Int(try value.integer(in: 1...100))
            case "order": order = try value.choice()
            case "include_empty": includeEmpty = try value.flag()
            case "include_frozen": includeFrozen = try value.flag()
            case "include_metadata": includeMetadata = try value.flag()
            case "include_chat_notification": includeChatNotification = try value.flag()
            case "channel_urls": channelURLs = try value.texts()
            case "custom_types": customTypes = try value.texts()
            case "custom_type_starts_with": customTypeStartsWith = try value.text()
            case "channel_name_contains": nameContains = try value.text()
            case "member_state": memberState = try value.choice()
            case "super_channels": superChannels = try value.choice()
            case "public_channels": publicChannels = try value.choice()
            case "unread_channels": unreadChannels = try value.choice()
            case "hidden_channels": hiddenChannels = try value.choice()
            case "search_query": searchQuery = try value.text()
            case "search_fields": searchFields = try value.choices()
            case "created_before": createdBefore = try value.time()
            case "created_after": createdAfter = try value.time()
            default:
                if try readMembers(key, value) { continue }
                if try readMetadata(key, value) { continue }
                throw value.unknown(in: "query")
            }
        }
        if let contradiction { throw DocumentError(path: path + "." + contradiction.key, message: contradiction.message) }
    }

    private mutating func readMembers(_ key: String, _ value: DocumentValue) throws(DocumentError) -> Bool {
        switch key {
        case "nickname_contains": nicknameContains = try value.text()
        case "nickname_starts_with": nicknameStartsWith = try value.text()
        case "nickname_exact": nicknameExact = try value.text()
        case "user_ids_include": userIDsInclude = try value.texts()
        case "user_ids_query_type": userIDsCombination = try value.choice()
        case "user_ids_exact": userIDsExact = try value.texts()
        default: return false
        }
        return true
    }

    private mutating func readMetadata(_ key: String, _ value: DocumentValue) throws(DocumentError) -> Bool {
        switch key {
        case "metadata_key": metadataKey = try value.text()
        case "metadata_values": metadataValues = try value.texts()
        case "metadata_value_starts_with": metadataValueStartsWith = try value.text()
        case "metadata_order_key": metadataOrderKey = try value.text()
        default: return false
        }
        return true
    }

    /// The first pair of filters that cannot stand together, told at the one that would have to go.
    private var contradiction: (key: String, message: String)? {
        let members: [(key: String, isSet: Bool)] = [
            ("user_ids_exact", !userIDsExact.isEmpty), ("user_ids_include", !userIDsInclude.isEmpty),
            ("nickname_contains", !nicknameContains.isEmpty), ("nickname_starts_with", !nicknameStartsWith.isEmpty),
            ("nickname_exact", !nicknameExact.isEmpty),
        ]
        let set = members.filter(\.isSet).map(\.key)
        if set.count > 1 { return (set[1], "cannot be combined with \(set[0])") }
        if metadataKey.isEmpty {
            if !metadataValues.isEmpty { return ("metadata_values", "needs metadata_key") }
            if !metadataValueStartsWith.isEmpty { return ("metadata_value_starts_with", "needs metadata_key") }
        }
        if !metadataValues.isEmpty, !metadataValueStartsWith.isEmpty {
            return ("metadata_value_starts_with", "cannot be combined with metadata_values")
        }
        if order == .metadataValueAlphabetical, metadataOrderKey.isEmpty {
            return ("metadata_order_key", "is required by the order \(order.rawValue)")
        }
        if order != .metadataValueAlphabetical, !metadataOrderKey.isEmpty {
            return ("metadata_order_key", "needs the order \(Order.metadataValueAlphabetical.rawValue)")
        }
        if searchQuery.isEmpty, !searchFields.isEmpty { return ("search_fields", "needs search_query") }
        if createdBefore > 0, createdAfter >= createdBefore {
            return ("created_after", "must be earlier than created_before")
        }
        return nil
    }
}
