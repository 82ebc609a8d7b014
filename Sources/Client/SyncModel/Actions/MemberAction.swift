/// Actions on who is in a channel, and what they may do there.
public enum MemberAction: String, CaseIterable, Sendable {
    case invite
    case acceptInvitation = "accept_invitation"
    case declineInvitation = "decline_invitation"
    case join, leave
    case listMembers = "list_members"
    case addOperators = "add_operators"
    case removeOperators = "remove_operators"
    case listOperators = "list_operators"
    case muteUser = "mute_user"
    case unmuteUser = "unmute_user"
    case listMutedUsers = "list_muted_users"
    case banUser = "ban_user"
    case unbanUser = "unban_user"
    case listBannedUsers = "list_banned_users"

    public var spec: ActionSpec {
        switch self {
        case .invite: Specs.invite
        case .acceptInvitation: Specs.acceptInvitation
        case .declineInvitation: Specs.declineInvitation
        case .join: Specs.join
        case .leave: Specs.leave
        case .listMembers: Specs.listMembers
        case .addOperators: Specs.addOperators
        case .removeOperators: Specs.removeOperators
        case .listOperators: Specs.listOfUsers("the channel's operators")
        case .muteUser: Specs.muteUser
        case .unmuteUser: Specs.unmuteUser
        case .listMutedUsers: Specs.listOfUsers(
                "who is muted, with `description`, `start_at`, `end_at` (-1: without end), `remaining_duration` (ms)")
        case .banUser: Specs.banUser
        case .unbanUser: Specs.unbanUser
        case .listBannedUsers: Specs.listOfUsers(
                "who is banned, with `description`, `start_at`, `end_at` (-1: without end)")
        }
    }
}

private enum Specs {
    private static let user = ActionSpec.Parameter.required("user_id", .name, "the user")

    private static let accessCode = ActionSpec.Parameter.optional(
        "access_code", .text, "of a channel that asks for one")

    private static let restriction: [ActionSpec.Parameter] = [
        .optional("seconds", .integer(1...1_000_000_000), "for how long; without end when it is missing"),
        .optional("description", .text, "why"),
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
        ] + ActionSpec.page,
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
            [.channel] + ActionSpec.page, effect: "none",
            result: "`users`: a page of \(which); `next`: token of the next page, empty at the end")
    }
}
