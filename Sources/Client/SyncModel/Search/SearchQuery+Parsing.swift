import SyncJSON

extension SearchQuery {
    private enum Key: String {
        case query, prefix, channelURLs = "channel_urls", senderIDs = "sender_ids", type = "message_type"
        case customTypes = "custom_types", since, until, order, limit
    }

    /// Reads a query as hosts write it: an object with the keys of docs/search.md. What is missing or null keeps its
    /// default, and an empty list is the same as none. Unknown keys and wrong forms are refused with their path.
    public init(json: JSON) throws(DocumentError) {
        let document = DocumentValue(json)
        self.init("")
        var (text, since, until): (String?, Int64?, Int64?)
        for (name, value) in try document.members() {
            guard let key = Key(rawValue: name) else { throw value.unknown(in: "search") }
            if value.json.isNull { continue }
            switch key {
            case .query: text = try value.text()
            case .prefix: isPrefix = try value.flag()
            case .channelURLs: channelURLs = try value.texts().map { ChannelURL($0) }
            case .senderIDs: filter.senderIDs = try value.texts().map { UserID($0) }
            case .type: filter.type = try value.choice()
            case .customTypes: filter.customTypes = try value.texts(allowEmpty: true)
            case .since: since = try value.time()
            case .until: until = try value.time()
            case .order: order = try value.choice()
            case .limit: limit = Int(try value.integer(in: SearchQuery.limits))
            }
        }
        guard let text else { throw document.missing(Key.query.rawValue) }
        self.text = text
        let (first, last) = (since ?? Int64.min, until ?? Int64.max)
        guard first <= last else { throw DocumentError(path: "$.until", message: "is before since") }
        times = first...last
    }
}
