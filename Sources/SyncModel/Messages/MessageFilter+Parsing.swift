import SyncJSON

extension MessageFilter {
    private enum Key: String {
        case type = "message_type", customTypes = "custom_types", senderIDs = "sender_ids", replyType = "reply_type"
        case limit
    }

    /// Reads a filter as hosts write it: an object with `message_type`, `custom_types`, `sender_ids`, `reply_type` and
    /// `limit`. What is missing or null keeps its default. Unknown keys and wrong forms are refused with their path.
    /// `path` is that of the filter in the document it came in.
    public init(json: JSON, path: String = "$") throws(DocumentError) {
        self.init()
        for (name, value) in try DocumentValue(json, path: path).members() {
            guard let key = Key(rawValue: name) else { throw value.unknown(in: "filter") }
            if value.json.isNull { continue }
            switch key {
            case .type: type = try value.choice()
            case .customTypes: customTypes = try value.texts(allowEmpty: true)
            case .senderIDs: senderIDs = try value.texts()
            case .replyType: replyType = try value.choice()
            case .limit: limit = Int(try value.integer(in: 1...200))
            }
        }
    }
}
