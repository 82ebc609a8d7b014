// Actions on who is in a channel, and what they may do there.
extension ActionTable {
    private static let user = ActionSpec.Parameter.required("user_id", .name, "the user")
    private static let accessCode = ActionSpec.Parameter.optional(
        "access_code", .text, "of a channel that asks for one")
    private static let restriction: [ActionSpec.Parameter] = [
        .optional("seconds", .integer(1...1_000_000_000), "for how long; without end when it is missing"),
        .optional("description", .text, "why"),
    ]
    static let page: [ActionSpec.Parameter] = [
        .optional("limit", .integer(1...100), "how many a page has; 20"),
        .optional("token", .text, "`next` of the page before; the first page without it"),
    ]

    static let invite = ActionSpec(
        [.channel, .required("user_ids", .names, "whom")],
        effect: "`update` of the channel, `event_user_received_invitation`",
        result: "the channel as the service has it")

    static let acceptInvitation = ActionSpec(
        [.channel, accessCode], effect: "`update` of the channel, `event_user_joined`",
        result: "the channel as the service has it")

    static let declineInvitation = ActionSpec(
        [.channel], effect: "`remove` of the channel, `channel_removed`, `event_user_declined_invitation`")

    static let join = ActionSpec(
        [.channel, accessCode], effect: "`insert` of the channel into lists, `event_user_joined`",
        result: "the channel as the service has it")

    static let leave = ActionSpec(
        [.channel, .optional("should_remove_operator_status", .flag, "coming back later as no operator; false")],
        effect: "`remove` of the channel, `channel_removed`, `event_user_left`")

    static let listMembers = ActionSpec(
        [
            .channel,
            .optional(
                "order", .word(["member_nickname_alphabetical", "operator_then_member_alphabetical"]),
                "by name (default), or operators first"),
            .optional("operator_filter", .word(["all", "operator", "nonoperator"]), "which members"),
            .optional("muted_member_filter", .word(["all", "muted", "unmuted"]), "which members"),
            .optional("member_state_filter", .word(["all", "joined_only", "invited_only"]), "which members"),
            .optional("nickname_startswith", .text, "only names that begin with it"),
        ] + page,
        effect: "none",
        result: "`members`: a page of them; `next`: token of the next page, empty at the end")

    static let addOperators = ActionSpec(
        [.channel, .required("user_ids", .names, "members who become operators")],
        effect: "`update` of the channel, `event_operator_updated`")

    static let removeOperators = ActionSpec(
        [.channel, .required("user_ids", .names, "operators who become plain members")],
        effect: "`update` of the channel, `event_operator_updated`")

    static let muteUser = ActionSpec(
        [.channel, user] + restriction, effect: "`update` of the channel, `event_user_muted`")

    static let unmuteUser = ActionSpec(
        [.channel, user], effect: "`update` of the channel, `event_user_unmuted`")

    static let banUser = ActionSpec(
        [.channel, user] + restriction, effect: "`update` of the channel, `event_user_banned`")

    static let unbanUser = ActionSpec(
        [.channel, user], effect: "`update` of the channel, `event_user_unbanned`; the user may join again")

    static func listOfUsers(_ which: String) -> ActionSpec {
        ActionSpec(
            [.channel] + page, effect: "none",
            result: "`users`: a page of \(which); `next`: token of the next page, empty at the end")
    }
}
