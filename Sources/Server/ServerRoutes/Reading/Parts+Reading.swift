import ServerChat
import ServerHTTP

extension Keys {
    /// Which parts of a channel are to be shown.
    static let channelParts: Keys = """
        show_member show_members show_read_receipt show_delivery_receipt show_metadata \
        include_sorted_metaarray_in_last_message member_active_mode
        """
    /// Which parts of a message are to be shown.
    static let messageParts: Keys = """
        with_sorted_meta_array with_meta_array include_meta_array include_reactions include_thread_info \
        include_parent_message_info include_poll_details
        """
}

extension ChannelView.Parts {
    /// The parts that a request asks for. Parts that it does not mention are shown, since most clients need the
    /// members.
    init(_ query: RequestQuery) {
        self = []
        if query.bool("show_member", "show_members", default: true) { insert(.members) }
        if query.bool("show_read_receipt", default: true) { insert(.readReceipt) }
        if query.bool("show_delivery_receipt", default: true) { insert(.deliveryReceipt) }
        if query.bool("show_metadata", default: true) { insert(.metadata) }
        if query.bool("include_sorted_metaarray_in_last_message", default: true) { insert(.lastMetaArrays) }
        switch query.text("member_active_mode") {
        case "activated": insert(.activeOnly)
        case "deactivated": insert(.inactiveOnly)
        default: break
        }
    }
}

extension MessageRow.Parts {
    /// The parts a request asks for.
    init(_ query: RequestQuery) {
        self = []
        if query.bool("with_sorted_meta_array", "with_meta_array", "include_meta_array") { insert(.metaarray) }
        if query.bool("include_reactions") { insert(.reactions) }
        if query.bool("include_thread_info") { insert(.threadInfo) }
        if query.bool("include_parent_message_info") { insert(.parentInfo) }
        if !query.bool("include_poll_details", default: true) { insert(.shortPoll) }
    }
}
