/// Actions on users, and what this user has at the service beyond channels: profile, devices, reports,
/// search.
public enum UserAction: String, CaseIterable, Sendable {
    case listUsers = "list_users"
    case blockUser = "block_user"
    case unblockUser = "unblock_user"
    case listBlockedUsers = "list_blocked_users"
    case updateProfile = "update_profile"
    case listPushTokens = "list_push_tokens"
    case registerPushToken = "register_push_token"
    case unregisterPushToken = "unregister_push_token"
    case unregisterAllPushTokens = "unregister_all_push_tokens"
    case reportUser = "report_user"
    case reportChannel = "report_channel"
    case reportMessage = "report_message"
    case searchMessages = "search_messages"

    public var spec: ActionSpec {
        switch self {
        case .listUsers: Specs.listUsers
        case .blockUser: Specs.blockUser
        case .unblockUser: Specs.unblockUser
        case .listBlockedUsers: Specs.listBlockedUsers
        case .updateProfile: Specs.updateProfile
        case .listPushTokens: Specs.listPushTokens
        case .registerPushToken: Specs.registerPushToken
        case .unregisterPushToken: Specs.unregisterPushToken
        case .unregisterAllPushTokens: Specs.unregisterAllPushTokens
        case .reportUser: Specs.reportUser
        case .reportChannel: Specs.reportChannel
        case .reportMessage: Specs.reportMessage
        case .searchMessages: Specs.searchMessages
        }
    }
}

private enum Specs {
    private static let user = ActionSpec.Parameter.required("user_id", .name, "the user")

    static let listUsers = ActionSpec(
        [
            .optional("user_ids", .selection, "only these"),
            .optional("nickname_startswith", .text, "only names that begin with it"),
            .optional("nickname", .text, "only those of this name"),
            .optional("metadata_key", .name, "only those with such metadata"),
            .optional("metadata_values", .selection, "and one of these values"),
        ] + ActionSpec.page,
        effect: "none", result: "`users`: a page of them; `next`: token of the next page, empty at the end")

    static let blockUser = ActionSpec(
        [user], effect: "none by itself; the service tells what follows from it", result: "the user")

    static let unblockUser = ActionSpec([user], effect: "none by itself; the service tells what follows from it")

    static let listBlockedUsers = ActionSpec(
        ActionSpec.page, effect: "none",
        result: "`users`: a page of whom this user blocks; `next`: token of the next page, empty at the end")

    static let updateProfile = ActionSpec(
        [
            .optional("nickname", .text, "the new name"),
            .optional("profile_url", .text, "where the new picture is"),
            .optional("preferred_languages", .names, "languages to translate messages to, the first one first"),
        ],
        effect: "none by itself: channels have it when they are asked for again. What is not named stays",
        result: "the user as the service has it")

    private static let pushType = ActionSpec.Parameter.required(
        "type", .word(["gcm", "apns", "apns_voip", "huawei"]), "of which notification service the tokens are")

    static let listPushTokens = ActionSpec([pushType], effect: "none", result: "`type`, `tokens`: a list of texts")

    static let registerPushToken = ActionSpec(
        [
            pushType, .required("token", .name, "the device's token"),
            .optional("is_unique", .flag, "whether this user's other tokens of the type go"),
        ],
        effect: "none: the service notifies the device of what comes while this user is not connected",
        result: "`type`, `token`")

    static let unregisterPushToken = ActionSpec(
        [pushType, .required("token", .name, "the device's token")], effect: "none")

    static let unregisterAllPushTokens = ActionSpec([], effect: "none: no device of this user is notified")

    private static let report: [ActionSpec.Parameter] = [
        .required("category", .word(["suspicious", "harassing", "spam", "inappropriate"]), "what is wrong"),
        .optional("description", .text, "in the user's words"),
    ]

    private static let reported = "`report_type`, `report_category`, `report_description`, `created_at` and what was "
        + "reported"

    static let reportUser = ActionSpec(
        [
            .required("user_id", .name, "the user"),
            .optional("channel_url", .name, "where it happened"),
        ] + report,
        effect: "none: moderators see it", result: reported)

    static let reportChannel = ActionSpec(
        [.channel, .optional("user_id", .name, "who is to blame")] + report,
        effect: "none: moderators see it", result: reported)

    static let reportMessage = ActionSpec(
        [.channel, .message, .optional("user_id", .name, "who sent it")] + report,
        effect: "none: moderators see it", result: reported)

    static let searchMessages = ActionSpec(
        [
            .required("query", .name, "words that a message has to have, in any order, without regard to case"),
            .optional("channel_url", .name, "only messages of this channel; without it of all that this user is in"),
            .optional("custom_type", .name, "only messages of this custom type"),
            .optional("since", .time, "only messages from this time on"),
            .optional("until", .time, "only messages up to this time"),
            .optional("exact", .flag, "whether the words have to stand together as they are"),
            .optional("fields", .words(["message", "data", "custom_type"]), "where to look; in `message`"),
            .optional("reverse", .flag, "whether the oldest come first"),
        ] + ActionSpec.page,
        effect: "none: the service looks through all that it has, cached or not",
        result: "`messages`: a page of them, newest first, each with `channel` (`channel_url`, `name`); `total`: how "
            + "many there are, where the service counts; `next`: token of the next page, empty at the end")
}
