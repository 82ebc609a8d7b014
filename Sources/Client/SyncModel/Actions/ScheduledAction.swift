/// Messages that wait at the service until their time, and that it sends then.
public enum ScheduledAction: String, CaseIterable, Sendable {
    case scheduleMessage = "schedule_message"
    case getScheduledMessage = "get_scheduled_message"
    case listScheduledMessages = "list_scheduled_messages"
    case updateScheduledMessage = "update_scheduled_message"
    case cancelScheduledMessage = "cancel_scheduled_message"
    case sendScheduledMessageNow = "send_scheduled_message_now"

    public var spec: ActionSpec {
        switch self {
        case .scheduleMessage: Specs.scheduleMessage
        case .getScheduledMessage: Specs.getScheduledMessage
        case .listScheduledMessages: Specs.listScheduledMessages
        case .updateScheduledMessage: Specs.updateScheduledMessage
        case .cancelScheduledMessage: Specs.cancelScheduledMessage
        case .sendScheduledMessageNow: Specs.sendScheduledMessageNow
        }
    }
}

private enum Specs {
    private static let id = ActionSpec.Parameter.required(
        "scheduled_message_id", .messageID, "the scheduled message")

    private static let fields: [ActionSpec.Parameter] = [
        .optional("data", .text, "its data"), .optional("custom_type", .text, "its custom type"),
        .optional("mention_type", .word(["users", "channel"]), "whom it mentions: the users named, or all members"),
        .optional("mentioned_user_ids", .names, "the users it mentions"),
        .optional("push_option", .word(["default", "suppress"]), "whether members are notified of it"),
    ]

    private static let asItIs = "the scheduled message as the service has it: `scheduled_message_id`, `scheduled_at`, "
        + "`status`, and what it will say"

    static let scheduleMessage = ActionSpec(
        [
            .channel, .required("scheduled_at", .time, "when it is sent, by the service's clock; not in the past"),
            .required("message", .name, "its text"),
        ] + fields,
        effect: "none before its time; then as any message that this user sends elsewhere", result: asItIs)

    static let getScheduledMessage = ActionSpec([.channel, id], effect: "none", result: asItIs)

    static let listScheduledMessages = ActionSpec(
        [
            .optional("channel_url", .name, "only those of this channel"),
            .optional(
                "status", .words(["pending", "sent", "failed", "canceled"]), "only those of these states"),
            .optional("order", .word(["scheduled_at", "created_at"]), "by which time; `scheduled_at`"),
            .optional("reverse", .flag, "whether the latest comes first"),
        ] + ActionSpec.page,
        effect: "none",
        result: "`scheduled_messages`: a page of this user's; `next`: token of the next page, empty at the end")

    static let updateScheduledMessage = ActionSpec(
        [
            .channel, id, .optional("scheduled_at", .time, "when it is sent"),
            .optional("message", .name, "its text"),
        ] + fields,
        effect: "none; what is not named stays. Refused once it was sent or canceled", result: asItIs)

    static let cancelScheduledMessage = ActionSpec(
        [.channel, id], effect: "none: it will not be sent")

    static let sendScheduledMessageNow = ActionSpec(
        [.channel, id], effect: "those of any message that this user sends elsewhere", result: asItIs)
}
