import SyncJSON

extension MessageFilter {
    /// Reads a filter as hosts write it: an object with `message_type`, `custom_types`, `sender_ids`, `reply_type` and
    /// `limit`. What is missing keeps its default. Unknown keys and wrong forms are refused with their path. `path` is
    /// that of the filter in the document it came in.
    public init(json: JSON, path: String = "$") throws(DocumentError) {
        self.init()
        for (key, value) in try DocumentValue(json, path: path).members() {
            switch key {
            case "message_type": type = try value.choice()
            case "custom_types": customTypes = try value.texts(allowEmpty: true)
            case "sender_ids": senderIDs = try value.texts()
            case "reply_type": replyType = try value.choice()
            case "limit": limit = Int(try value.integer(in: 1...200))
            default: throw value.unknown(in: "filter")
            }
        }
    }
}
