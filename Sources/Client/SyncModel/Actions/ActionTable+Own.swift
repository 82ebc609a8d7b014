// What this user has at the service beyond channels: profile, devices, reports; and what the service tells of itself.
extension ActionTable {
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
        ] + page,
        effect: "none: channels that this user is not in are in no list. `join` brings one in",
        result: "`channels`: a page of public channels; `next`: token of the next page, empty at the end")

    static let serviceInfo = ActionSpec(
        [],
        effect: "none. The service is asked for the emoji categories, once for each `emoji_hash`",
        result: "what the service tells of itself at login: `file_upload_size_limit` (MiB), "
            + "`multiple_file_send_max_size` (files), `premium_feature_list`, `application_attributes`, "
            + "`use_reaction`, `emoji_hash`; and `emoji_categories`: each with `id`, `name`, `url` and `emojis`, a "
            + "list of `key` (of a reaction) and `url`")
}
