/// Actions on channels as a whole.
public enum ChannelAction: String, CaseIterable, Sendable {
    case createChannel = "create_channel"
    case getChannel = "get_channel"
    case updateChannel = "update_channel"
    case deleteChannel = "delete_channel"
    case hideChannel = "hide_channel"
    case unhideChannel = "unhide_channel"
    case freezeChannel = "freeze_channel"
    case unfreezeChannel = "unfreeze_channel"
    case resetHistory = "reset_history"
    case getMessage = "get_message"
    case listPublicChannels = "list_public_channels"

    public var spec: ActionSpec {
        switch self {
        case .createChannel: Specs.createChannel
        case .getChannel: Specs.getChannel
        case .updateChannel: Specs.updateChannel
        case .deleteChannel: Specs.deleteChannel
        case .hideChannel: Specs.hideChannel
        case .unhideChannel: Specs.unhideChannel
        case .freezeChannel: Specs.freezeChannel
        case .unfreezeChannel: Specs.unfreezeChannel
        case .resetHistory: Specs.resetHistory
        case .getMessage: Specs.getMessage
        case .listPublicChannels: Specs.listPublicChannels
        }
    }
}

private enum Specs {
    private static let fields: [ActionSpec.Parameter] = [
        .optional("name", .text, "its name"),
        .optional("cover_url", .text, "where its picture is"),
        .optional("data", .text, "text for programs"),
        .optional("custom_type", .text, "its type"),
        .optional("is_distinct", .flag, "there is only one such channel of these members"),
        .optional("is_public", .flag, "anybody may join"),
        .optional("is_discoverable", .flag, "a public one is found by others"),
        .optional("access_code", .text, "what has to be known to join a public one"),
        .optional(
            "message_survival_seconds", .integer(-1...1_000_000_000),
            "messages are deleted after so many seconds; -1: never"),
        .optional("operator_ids", .names, "users who become operators"),
    ]

    static let createChannel = ActionSpec(
        [
            .optional(
                "user_ids", .names, "members beside this user; whom the service does not let in at once is invited"),
            .optional("channel_url", .name, "its URL; the service makes one when it is missing"),
            .optional("is_super", .flag, "a supergroup channel"),
            .optional("is_broadcast", .flag, "a supergroup channel where operators write"),
            .optional("is_exclusive", .flag, "a supergroup channel of its own kind"),
            .optional("is_ephemeral", .flag, "its messages are not kept"),
            .optional("strict", .flag, "refuse it when one of the users does not exist"),
        ] + fields,
        effect: "`insert` of the channel into lists, `event_channel_created`; nothing when a distinct one is there",
        result: "the channel, with `is_created`: whether it is new")

    static let getChannel = ActionSpec(
        [.channel],
        effect: "a channel of this user is cached: `insert` or `update`, `channel_refresh`",
        result: "the channel as the service has it")

    static let updateChannel = ActionSpec(
        [.channel] + fields, effect: "`update` of the channel, `event_channel_changed`; what is not named stays",
        result: "the channel as the service has it")

    static let deleteChannel = ActionSpec(
        [.channel], effect: "`remove` of the channel, `channel_removed`, `event_channel_deleted`")

    static let hideChannel = ActionSpec(
        [
            .channel,
            .optional("hide_previous_messages", .flag, "this user sees its messages from now on only; false"),
            .optional("allow_auto_unhide", .flag, "the next message shows it again; true"),
        ],
        effect: "it leaves lists of channels that are not hidden, `event_channel_hidden`",
        result: "`ts_message_offset`: what is older (ms) is not for this user any more")

    static let unhideChannel = ActionSpec(
        [.channel], effect: "it comes back to lists of channels that are not hidden, `event_channel_unhidden`")

    static let freezeChannel = ActionSpec(
        [.channel], effect: "`update` of the channel, `event_channel_frozen`",
        result: "the channel as the service has it")

    static let unfreezeChannel = ActionSpec(
        [.channel], effect: "`update` of the channel, `event_channel_unfrozen`",
        result: "the channel as the service has it")

    static let resetHistory = ActionSpec(
        [.channel],
        effect: "`remove` of the messages so far, for this user alone; `update` of the channel, "
            + "`event_channel_reset_history`",
        result: "`ts_message_offset`: what is older (ms) is not for this user any more")

    static let getMessage = ActionSpec(
        [.channel, .message], effect: "none", result: "the message as the service has it")

    static let listPublicChannels = ActionSpec(
        [
            .optional("membership", .word(["all", "joined"]), "whether only those that this user is in; `all`"),
            .optional(
                "order",
                .word([
                    "chronological", "channel_name_alphabetical", "latest_last_message", "metadata_value_alphabetical",
                ]), "in which order; `chronological`"),
            .optional("channel_urls", .selection, "only these"),
            .optional("custom_types", .selection, "only those of these types"),
            .optional("custom_type_starts_with", .text, "only those whose type begins with it"),
            .optional("channel_name_contains", .text, "only those whose name has it"),
            .optional("metadata_order_key", .name, "the metadata that the order goes by"),
            .optional("include_empty", .flag, "whether those without a message are among them; true"),
            .optional("include_frozen", .flag, "whether frozen ones are among them; true"),
        ] + ActionSpec.page,
        effect: "none: channels that this user is not in are in no list. `join` brings one in",
        result: "`channels`: a page of public channels; `next`: token of the next page, empty at the end")
}
