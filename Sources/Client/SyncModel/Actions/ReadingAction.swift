/// Actions that tell others what this user has read, got or is about to write.
public enum ReadingAction: String, CaseIterable, Sendable {
    case markAsRead = "mark_as_read"
    case markAllAsRead = "mark_all_as_read"
    case markAsUnread = "mark_as_unread"
    case markAsDelivered = "mark_as_delivered"
    case startTyping = "start_typing"
    case endTyping = "end_typing"

    public var spec: ActionSpec {
        switch self {
        case .markAsRead: Specs.markAsRead
        case .markAllAsRead: Specs.markAllAsRead
        case .markAsUnread: Specs.markAsUnread
        case .markAsDelivered: Specs.markAsDelivered
        case .startTyping, .endTyping: Specs.typing
        }
    }
}

private enum Specs {
    static let markAsRead = ActionSpec([.channel], effect: "the channel's counts become 0; `update` in lists")

    static let markAllAsRead = ActionSpec(
        [.optional("channel_urls", .selection, "only these channels")],
        effect: "the counts of the channels become 0; `update` in lists. Within a second after another one it "
            + "completes with SERVICE and code 800160, and nobody is asked")

    static let markAsUnread = ActionSpec(
        [.channel, .message],
        effect: "the message and what follows it count as unread again; `update` in lists",
        result: "`channel_url`, `ts` (read until then), `unread_message_count`")

    static let markAsDelivered = ActionSpec(
        [.channel, .optional("time", .time, "messages up to then have arrived; now when it is missing")],
        effect: "`update` of the channel, `event_delivery_status_updated`. Messages that come over this client's "
            + "connection are acknowledged without it",
        result: "`ts`")

    static let typing = ActionSpec(
        [.channel],
        effect: "the others are told, once a second at most however often it is called. Typing ends by itself ten "
            + "seconds after it was last started")
}
