import ServerBase
import ServerChat
import ServerHTTP
import SyncBytes

extension Keys {
    static let messageFilter: Keys = """
        operator_filter message_type custom_types custom_type sender_ids sender_id sender_user_id sender_user_ids \
        parent_message_id include_reply_type includeReplyType reply_type include_replies
        """
}

extension MessageFilter {
    /// Which messages a request is after.
    init(_ query: RequestQuery) throws {
        self.init()
        switch try query.word("operator_filter", "all", ["all", "operator", "nonoperator"]) {
        case "operator": ofOperators = true
        case "nonoperator": ofOperators = false
        default: break
        }
        switch query.text("message_type") {
        case "", "all": break
        case "MESG": kinds = [.text]
        case "FILE": kinds = [.file]
        case "ADMM", "ADMN": kinds = [.admin, .broadcast]
        default: throw Refusal.invalid("message_type", "MESG, FILE or ADMM is expected")
        }
        // An empty type means messages without one; an empty sender means nobody in particular.
        customTypes = try MessageFilter.few("custom_types", query.choice("custom_types", "custom_type"))
        if customTypes?.contains("*") == true { customTypes = nil }
        let senders = query.choice("sender_ids", "sender_id", "sender_user_id", "sender_user_ids")
        self.senders = senders == [""] ? nil : try MessageFilter.few("sender_ids", senders)
        parentID = max(0, try query.int("parent_message_id") ?? 0)
        switch query.text("include_reply_type", "includeReplyType", "reply_type").lowercased() {
        case "", "none": replies = query.bool("include_replies") ? .all : .none
        case "all": replies = .all
        case "only_reply_to_channel": replies = .onlyInChannel
        default: throw Refusal.invalid("include_reply_type", "none, all or only_reply_to_channel is expected")
        }
    }

    private static func few(_ key: String, _ values: TextSet?) throws -> [String]? {
        guard let values, !values.isEmpty else { return nil }
        guard values.count <= 500 else { throw Refusal(400_203, "Too many \(key).") }
        return values.sorted()
    }
}
