import SyncBytes
import SyncModel

/// A URL's query, escaped as it grows. Parameters without a value are left out.
struct Query {
    private(set) var text = ""

    mutating func add(_ key: String, _ value: String) {
        guard !value.isEmpty else { return }
        if !text.isEmpty { text += "&" }
        text += key + "=" + PercentEncoding.escape(value)
    }

    /// A list joined by commas; commas inside the values are escaped.
    mutating func add(_ key: String, list: [String]) {
        guard !list.isEmpty else { return }
        if !text.isEmpty { text += "&" }
        text += key + "=" + list.map(PercentEncoding.escape).joined(separator: ",")
    }

    mutating func add(_ since: ChangePoint) {
        switch since {
        case .token(let token): add("token", token)
        case .time(let time): add("change_ts", String(time))
        }
    }

    /// Adds the parameters of a filter, except for replies.
    mutating func add(_ filter: MessageFilter) {
        switch filter.type {
        case .all: break
        case .user: add("message_type", "MESG")
        case .file: add("message_type", "FILE")
        case .admin: add("message_type", "ADMM")
        }
        add("custom_types", list: filter.customTypes)
        add("sender_ids", list: filter.senderIDs.map(\.text))
    }

    mutating func addChannelParts() {
        for part in ["show_member", "show_read_receipt", "show_delivery_receipt", "show_metadata"] { add(part, "true") }
    }

    /// Cached rows are complete: every part is asked for, whatever a collection shows of it.
    mutating func addMessageParts(replies: MessageFilter.ReplyType = .all) {
        add("include_reply_type", replies.rawValue)
        addMessageContent()
        for part in ["is_sdk", "checking_has_next", "checking_continuous_messages"] { add(part, "true") }
    }

    /// Asks for all parts of a message's content; a request for one message needs no other parameters.
    mutating func addMessageContent() {
        for part in [
            "with_sorted_meta_array", "include_reactions", "include_thread_info", "include_parent_message_info",
            "include_poll_details",
        ] { add(part, "true") }
    }
}
