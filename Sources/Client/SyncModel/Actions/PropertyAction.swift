/// Actions on metadata, counters and this user's preferences of a channel.
public enum PropertyAction: String, CaseIterable, Sendable {
    case createMetadata = "create_metadata"
    case updateMetadata = "update_metadata"
    case deleteMetadata = "delete_metadata"
    case getMetadata = "get_metadata"
    case createCounters = "create_counters"
    case updateCounters = "update_counters"
    case deleteCounters = "delete_counters"
    case getCounters = "get_counters"
    case getPushPreference = "get_push_preference"
    case setPushPreference = "set_push_preference"
    case setCountPreference = "set_count_preference"

    public var spec: ActionSpec {
        switch self {
        case .createMetadata: Specs.createMetadata
        case .updateMetadata: Specs.updateMetadata
        case .deleteMetadata: Specs.deleteMetadata
        case .getMetadata: Specs.getMetadata
        case .createCounters: Specs.createCounters
        case .updateCounters: Specs.updateCounters
        case .deleteCounters: Specs.deleteCounters
        case .getCounters: Specs.getCounters
        case .getPushPreference: Specs.getPushPreference
        case .setPushPreference: Specs.setPushPreference
        case .setCountPreference: Specs.setCountPreference
        }
    }
}

private enum Specs {
    private static let metadata = ActionSpec.Parameter.required("metadata", .texts, "keys with their values")
    private static let counters = ActionSpec.Parameter.required("counters", .integers, "keys with whole numbers")
    private static let keys = ActionSpec.Parameter.optional("keys", .selection, "only these; all when it is missing")

    private static func metadataEffect(_ what: String) -> String {
        "`update` of the channel, `event_meta_data_\(what)`"
    }

    private static func counterEffect(_ what: String) -> String {
        "`event_meta_counter_\(what)`, as far as the channel shows them"
    }

    static let createMetadata = ActionSpec(
        [.channel, metadata], effect: metadataEffect("created") + "; refused when one of the keys exists",
        result: "the keys with their values")

    static let updateMetadata = ActionSpec(
        [.channel, metadata, .optional("upsert", .flag, "make keys that do not exist; false: they are left out")],
        effect: metadataEffect("updated"), result: "the changed keys with their values")

    static let deleteMetadata = ActionSpec([.channel, keys], effect: metadataEffect("deleted"))

    static let getMetadata = ActionSpec([.channel, keys], effect: "none", result: "the keys with their values")

    static let createCounters = ActionSpec(
        [.channel, counters], effect: counterEffect("created") + "; refused when one of the keys exists",
        result: "the keys with their values")

    static let updateCounters = ActionSpec(
        [
            .channel, counters,
            .optional("mode", .word(["set", "increase", "decrease"]), "what the numbers are for; `set`"),
            .optional("upsert", .flag, "make keys that do not exist; false: they are left out"),
        ],
        effect: counterEffect("updated"), result: "the changed keys with their values")

    static let deleteCounters = ActionSpec([.channel, keys], effect: counterEffect("deleted"))

    static let getCounters = ActionSpec([.channel, keys], effect: "none", result: "the keys with their values")

    static let getPushPreference = ActionSpec(
        [.channel], effect: "none", result: "`push_trigger_option`, `push_sound`")

    static let setPushPreference = ActionSpec(
        [
            .channel,
            .required(
                "push_trigger_option", .word(["default", "all", "mention_only", "off"]),
                "of which messages this user's devices are told"),
        ],
        effect: "`update` of the channel, `event_channel_changed`", result: "`push_trigger_option`, `push_sound`")

    static let setCountPreference = ActionSpec(
        [
            .channel,
            .required(
                "count_preference", .word(["all", "unread_message_count_only", "unread_mention_count_only", "off"]),
                "what is counted for this user"),
        ],
        effect: "`update` of the channel, `event_channel_changed`", result: "`count_preference`")
}
