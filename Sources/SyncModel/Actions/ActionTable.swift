/// Every action with what it takes and does. The one list: requests are checked against it and docs/actions.md is made
/// from it.
public enum ActionTable {
    public static func spec(of action: Action) -> ActionSpec {
        switch action {
        case .addReaction:
            ActionSpec(
                [.channel, .message, .required("key", .name, "the reaction")],
                effect: "`update` of the message, `event_reaction_updated`",
                result: "the reaction as the service has it")
        case .removeReaction:
            ActionSpec(
                [.channel, .message, .required("key", .name, "the reaction")],
                effect: "`update` of the message, `event_reaction_updated`",
                result: "the reaction as the service has it")
        case .markAsRead:
            ActionSpec(
                [.channel], effect: "the channel's counts become 0; `update` in lists, `event_read_status_updated`")
        }
    }
}
