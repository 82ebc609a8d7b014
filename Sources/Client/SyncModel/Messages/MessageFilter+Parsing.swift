import SyncJSON

extension MessageFilter {
    private enum Key: String {
        case type = "message_type", customTypes = "custom_types", senderIDs = "sender_ids", replyType = "reply_type"
        case parentID = "parent_message_id"
        case limit, previousLimit = "previous_limit", nextLimit = "next_limit"
        case ownMessages = "own_messages"
        case isInclusive = "is_inclusive", isReversed = "reverse"
        case reactions = "include_reactions", threadInfo = "include_thread_info", metaArray = "include_meta_array"
        case parentMessageInfo = "include_parent_message_info", pollDetails = "include_poll_details"
    }

    private enum OwnMessages: String, CaseIterable { case atOnce = "at_once", onFetch = "on_fetch" }

    /// Reads a filter as hosts write it: an object with the keys of docs/queries.md. What is missing or null keeps its
    /// default. Unknown keys, wrong forms and contradictions are refused with their path.
    /// `path` is that of the filter in the document it came in.
    public init(json: JSON, path: String = "$") throws(DocumentError) {
        self.init()
        for (name, value) in try DocumentValue(json, path: path).members() {
            guard let key = Key(rawValue: name) else { throw value.unknown(in: "filter") }
            if value.json.isNull { continue }
            switch key {
            case .type: type = try value.choice()
            case .customTypes: customTypes = try value.texts(allowEmpty: true)
            case .senderIDs: senderIDs = try value.texts().map { UserID($0) }
            case .replyType: replyType = try value.choice()
            case .parentID: parentID = try value.messageID()
            case .limit: limit = Int(try value.integer(in: 1...200))
            case .previousLimit: previousLimit = Int(try value.integer(in: 1...200))
            case .nextLimit: nextLimit = Int(try value.integer(in: 1...200))
            case .ownMessages: ownMessagesOnFetch = try value.choice(OwnMessages.self) == .onFetch
            case .isInclusive: isInclusive = try value.flag()
            case .isReversed: isReversed = try value.flag()
            case .reactions: try leaveOut(.reactions, unless: value)
            case .threadInfo: try leaveOut(.threadInfo, unless: value)
            case .metaArray: try leaveOut(.metaArray, unless: value)
            case .parentMessageInfo: try leaveOut(.parentMessageInfo, unless: value)
            case .pollDetails: try leaveOut(.pollDetails, unless: value)
            }
        }
        if !parentID.isEmpty, let replyType = DocumentValue(json, path: path).member(Key.replyType.rawValue) {
            throw replyType.failure("a thread has replies only: not together with parent_message_id")
        }
    }

    private mutating func leaveOut(_ part: MessagePart, unless value: DocumentValue) throws(DocumentError) {
        if try value.flag() { leftOut.remove(part) } else { leftOut.insert(part) }
    }
}
