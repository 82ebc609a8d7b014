/// Actions on a message of a channel.
public enum MessageAction: String, CaseIterable, Sendable {
    case editMessage = "edit_message"
    case deleteMessage = "delete_message"
    case addReaction = "add_reaction"
    case removeReaction = "remove_reaction"
    case pinMessage = "pin_message"
    case unpinMessage = "unpin_message"
    case translateMessage = "translate_message"
    case createMetaArrayKeys = "create_meta_array_keys"
    case deleteMetaArrayKeys = "delete_meta_array_keys"
    case addMetaArrayValues = "add_meta_array_values"
    case removeMetaArrayValues = "remove_meta_array_values"

    public var spec: ActionSpec {
        switch self {
        case .editMessage: Specs.editMessage
        case .deleteMessage: Specs.deleteMessage
        case .addReaction, .removeReaction: Specs.reaction
        case .pinMessage, .unpinMessage: Specs.pin
        case .translateMessage: Specs.translateMessage
        case .createMetaArrayKeys, .deleteMetaArrayKeys: Specs.metaArrayKeys
        case .addMetaArrayValues, .removeMetaArrayValues: Specs.metaArrayValues
        }
    }
}

private enum Specs {
    static let editMessage = ActionSpec(
        [
            .channel, .message, .optional("message", .text, "the new text"),
            .optional("data", .text, "the new data"), .optional("custom_type", .text, "the new custom type"),
            .optional("mention_type", .word(["users", "channel"]), "whom it mentions: the users named, or all members"),
            .optional("mentioned_user_ids", .names, "the users it mentions; replaces those it mentioned before"),
        ],
        effect: "`update` of the message, `event_message_updated`; what is not named stays. Only the sender may: of a "
            + "cached message of somebody else it completes with NOT_OWN_MESSAGE and asks nobody",
        result: "the message as the service has it", isOptimistic: true)

    static let deleteMessage = ActionSpec(
        [.channel, .message],
        effect: "`remove` of the message, `event_message_deleted`. The sender may, and operators",
        isOptimistic: true)

    static let reaction = ActionSpec(
        [.channel, .message, .required("key", .name, "the reaction")],
        effect: "`update` of the message, `event_reaction_updated`",
        result: "the reaction as the service has it", isOptimistic: true)

    static let pin = ActionSpec(
        [.channel, .message], effect: "`update` of the channel, `event_pinned_message_updated`")

    static let translateMessage = ActionSpec(
        [.channel, .message, .required("target_langs", .names, "languages to translate it to")],
        effect: "`update` of the message, `event_message_updated`: its `translations` have the languages",
        result: "the message as the service has it")

    static let metaArrayKeys = ActionSpec(
        [.channel, .message, .required("keys", .names, "keys of the message's `sorted_metaarray`")],
        effect: "`update` of the message, `event_message_updated`",
        result: "the message as the service has it")

    static let metaArrayValues = ActionSpec(
        [.channel, .message, .required("values", .textLists, "for each key the values, as `{\"color\": [\"red\"]}`")],
        effect: "`update` of the message, `event_message_updated`",
        result: "the message as the service has it")
}
