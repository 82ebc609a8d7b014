/// Actions on polls. A poll is made, then sent with a message (`poll_id` of sm_send_message); the message shows it.
public enum PollAction: String, CaseIterable, Sendable {
    case createPoll = "create_poll"
    case getPoll = "get_poll"
    case listPolls = "list_polls"
    case updatePoll = "update_poll"
    case closePoll = "close_poll"
    case deletePoll = "delete_poll"
    case addPollOption = "add_poll_option"
    case updatePollOption = "update_poll_option"
    case deletePollOption = "delete_poll_option"
    case votePoll = "vote_poll"
    case listPollVoters = "list_poll_voters"
    case listPollChanges = "list_poll_changes"

    public var spec: ActionSpec {
        switch self {
        case .createPoll: Specs.createPoll
        case .getPoll: Specs.getPoll
        case .listPolls: Specs.listPolls
        case .updatePoll: Specs.updatePoll
        case .closePoll: Specs.closePoll
        case .deletePoll: Specs.deletePoll
        case .addPollOption: Specs.addPollOption
        case .updatePollOption: Specs.updatePollOption
        case .deletePollOption: Specs.deletePollOption
        case .votePoll: Specs.votePoll
        case .listPollVoters: Specs.listPollVoters
        case .listPollChanges: Specs.listPollChanges
        }
    }
}

private enum Specs {
    private static let poll = ActionSpec.Parameter.required("poll_id", .messageID, "the poll")
    private static let option = ActionSpec.Parameter.required("option_id", .messageID, "one of the poll's options")
    private static let text = ActionSpec.Parameter.required("text", .name, "what the option says")

    private static let fields: [ActionSpec.Parameter] = [
        .optional("data", .text, "the poll's data"),
        .optional("allow_user_suggestion", .flag, "whether other members may add options"),
        .optional("allow_multiple_votes", .flag, "whether a member may choose several options"),
        .optional(
            "close_at", .integer(-1...100_000_000_000),
            "when it closes by itself, in seconds since the epoch as the poll has it; -1: never"),
    ]
    private static let updated = "`update` of the message, `event_poll_updated`"
    private static let asItIs = "the poll as the service has it"

    static let createPoll = ActionSpec(
        [
            .required("title", .name, "the question"), .required("options", .selection, "what can be chosen"),
        ] + fields,
        effect: "none: a poll is seen when it is sent, with `poll_id` of a message", result: asItIs)

    static let getPoll = ActionSpec([.channel, poll], effect: "none", result: asItIs)

    static let listPolls = ActionSpec(
        [.channel] + ActionSpec.page, effect: "none",
        result: "`polls`: a page of the channel's; `next`: token of the next page, empty at the end")

    static let updatePoll = ActionSpec(
        [.channel, poll, .optional("title", .name, "the question")] + fields,
        effect: updated + "; what is not named stays. Only who made it may", result: asItIs)

    static let closePoll = ActionSpec(
        [.channel, poll], effect: updated + ": its `status` is \"closed\", nobody votes any more. Only who made it may",
        result: asItIs)

    static let deletePoll = ActionSpec(
        [.channel, poll],
        effect: updated + ": its `status` is \"removed\", the message stays. Only who made it may")

    static let addPollOption = ActionSpec(
        [.channel, poll, text],
        effect: updated + ". Who made the poll may, others where `allow_user_suggestion` is set", result: asItIs)

    static let updatePollOption = ActionSpec(
        [.channel, poll, option, text], effect: updated + ". Who made the poll or the option may", result: asItIs)

    static let deletePollOption = ActionSpec(
        [.channel, poll, option],
        effect: updated + ": the option is gone, and its votes. Who made the poll or the option may")

    static let votePoll = ActionSpec(
        [
            .channel, .required("message_id", .messageID, "the message that shows the poll"), poll,
            .required("option_ids", .ids, "all that this user chooses: these and no others; empty takes the vote back"),
        ],
        effect: "`update` of the message, `event_poll_voted`: counts, and `voted_option_ids` of its `poll`",
        result: "`poll_id`, `message_id`, `updated_vote_counts`: a list of `option_id` and `vote_count`",
        isOptimistic: true)

    static let listPollVoters = ActionSpec(
        [.channel, poll, option] + ActionSpec.page, effect: "none",
        result: "`users`: a page of who chose the option, the latest first; `vote_count`; `next`: token of the next "
            + "page, empty at the end")

    static let listPollChanges = ActionSpec(
        [.channel, .optional("since", .time, "what has changed since; everything without it and a token")]
            + ActionSpec.page,
        effect: "none; what collections show follows this log by itself",
        result: "`updated`: polls as they are now; `deleted`: ids of polls that are gone; `has_more`; `next`: the "
            + "token to go on from, also later")
}
