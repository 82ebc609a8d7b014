/// Actions that this library carries out alone, and one that gives what the service tells of itself.
public enum LibraryAction: String, CaseIterable, Sendable {
    case resendFailedMessages = "resend_failed_messages"
    case removeFailedMessages = "remove_failed_messages"
    case setDraft = "set_draft"
    case statistics, options, cancel, acknowledge, evict, export, encrypt, rekey
    case serviceInfo = "service_info"
    case clearChannels = "clear_channels"
    case setLimit = "set_limit"

    public var spec: ActionSpec {
        switch self {
        case .resendFailedMessages: Specs.resendFailedMessages
        case .removeFailedMessages: Specs.removeFailedMessages
        case .setDraft: Specs.setDraft
        case .statistics: Specs.statistics
        case .options: Specs.options
        case .cancel: Specs.cancel
        case .acknowledge: Specs.acknowledge
        case .evict: Specs.evict
        case .export: Specs.export
        case .encrypt: Specs.encrypt
        case .rekey: Specs.rekey
        case .serviceInfo: Specs.serviceInfo
        case .clearChannels: Specs.clearChannels
        case .setLimit: Specs.setLimit
        }
    }
}

private enum Specs {
    private static let whichFailed: [ActionSpec.Parameter] = [
        .optional("channel_url", .name, "only those of this channel"),
        .optional("request_id", .name, "only this one; NOT_FOUND when it has not failed"),
    ]

    static let resendFailedMessages = ActionSpec(
        whichFailed, connection: .none,
        effect: "own messages that failed go from the list `failed` to `pending`, `local_message_resend_started`, "
            + "and are sent in their order; without a connection they wait for one, or fail again, as the resend "
            + "policy says",
        result: "`count`: how many")

    static let removeFailedMessages = ActionSpec(
        whichFailed, connection: .none,
        effect: "own messages that failed are given up: `remove` from the list `failed`, `remove_manual_action`",
        result: "`count`: how many")

    static let setDraft = ActionSpec(
        [
            .channel,
            .optional("parent_message_id", .messageID, "the message that a thread answers: the draft is the thread's"),
            .optional("message", .text, "what the user has written; missing or null: there is no draft any more"),
            .optional("data", .text, "what the host wants to have with it"),
            .optional("reply_to", .messageID, "the message that it is to answer in the channel"),
        ],
        connection: .none,
        effect: "the channel is told again, `draft_changed`: its `draft`, or `thread_drafts`, has these keys and "
            + "`updated_at` (ms since the epoch); an empty text alone is no draft. It is on the disk within a second, "
            + "however often it is set. It goes with the message that is sent there with a text, with the channel, and "
            + "with the user who signs out. TOO_LARGE: over 65,536 bytes of JSON, or all drafts over 1,048,576 bytes "
            + "or 1,000")

    static let statistics = ActionSpec(
        [.optional("channel_url", .name, "what its messages take is told, too")], connection: .none, effect: "none",
        result: "`cached_channels`, `cached_messages`, `cache_bytes` (of the file), `cache_used_bytes` (of the rows of "
            + "messages), `cache_limit_bytes` (of those; null: none), `pending_messages`, `failed_messages`, "
            + "`connected`, `waiting_calls`; of the channel `channel_messages`, `channel_bytes`, `channel_used_at` "
            + "(ms since the epoch, to an hour), all 0 when nothing of it is cached")

    static let clearChannels = ActionSpec(
        [], connection: .none,
        effect:
            "the cached channels are gone: channel lists are told `clear` (`cache_cleared`), their fetches end with "
            + "`\"short\":\"reset\"`; with a connection all is listed again. Messages stay, see sm_clear_cache()")

    static let setLimit = ActionSpec(
        [
            .required("collection", .integer(1...Int64.max), "its number, as sm_collection_number() gives it"),
            .required("limit", .integer(1...200), "1 to 200 messages, or 1 to 100 channels"),
        ],
        connection: .none,
        effect:
            "each further fetch of that collection brings so many, in either direction. NOT_FOUND when there is no "
            + "such collection")

    static let options = ActionSpec(
        [], connection: .none, effect: "none",
        result: "the configuration as it is in effect, with the defaults and without the access token: the keys of "
            + "`sm_setup()`, among them `app_id` and `user_id`")

    static let cancel = ActionSpec(
        [.required("request", .integer(1...Int64.max), "the number of the call")], connection: .none,
        effect:
            "that call completes with CANCELED if it waits for the service: an action, a fetch, a start, a connect, a "
            + "send. A message that is canceled is given up: `remove` from `pending` or `failed`, "
            + "`local_message_canceled`. The service may do all the same what it was asked already, and then "
            + "collections are told. Connecting goes on. NOT_FOUND when no such call waits")

    static let acknowledge = ActionSpec(
        [.required("id", .integer(1...Int64.max), "`id` of an event `message_received`")], connection: .none,
        effect: "none. That event and all with a smaller id are not told again, but for those that wait in the queue. "
            + "NOT_FOUND when no event has had so large an id")

    static let evict = ActionSpec(
        [.required("channel_urls", .names, "the channels that lose messages first, in this order")], connection: .none,
        effect: "the answer to the event `cache_full`, within 5 s: those of its candidates lose their oldest messages "
            + "first, then others in the order of last use, each `cache_trimmed`. One that a collection shows by then "
            + "keeps its own. NOT_FOUND when the cache does not wait for an answer, or not any more",
        result: "`count`: how many of them are candidates")

    private static let hostKey: [ActionSpec.Parameter] = [
        .optional("encryption_key", .text, "64 hexadecimal digits: the key's 32 bytes. One of both is needed"),
        .optional("encryption_passphrase", .text, "a text that is not empty: the key is derived of it"),
    ]

    static let encrypt = ActionSpec(
        hostKey, connection: .none,
        effect: "none. The files of this client are encrypted from now on, and `sm_setup()` needs the key. They are "
            + "written again, about a second for 100 MB, while every other call waits; twice their space is needed "
            + "meanwhile. What had been removed before may stay readable on the disk. NO_ENCRYPTION without a fitting "
            + "library; STORAGE also when another program is reading the files; then they are as before. There is no "
            + "way back: sign out, delete the directory and sync again")

    static let rekey = ActionSpec(
        hostKey + [.optional("full", .flag, "the files are written again under another data key, too; false")],
        connection: .none,
        effect: "none. From now on `sm_setup()` needs the new key, and the old one opens nothing more. It takes some "
            + "milliseconds; who had copied the directory, and has the old key, can read what the files have, unless "
            + "`full` is true: then they are written again, as by `encrypt`")

    static let export = ActionSpec(
        [
            .required("path", .name, "the file to write; its folder is there already"),
            .optional("channel_url", .name, "only this channel; NOT_FOUND when nothing of it is cached"),
            .optional("overwrite", .flag, "replaces a file that has the name (default: refused)"),
        ],
        connection: .none,
        effect: "none. What is cached is written as lines of JSON (docs/export.md), behind all that syncs; "
            + "`export_progress` tells how far it is. Until it is complete the file is called `PATH.HEX.part`. It is "
            + "on the disk, for its owner alone, when the call completes; one that is canceled or fails leaves no "
            + "file. Without `timeout_ms` it takes as long as it takes. Messages that are not sent yet are not "
            + "exported. Signing out cancels it",
        result: "`channels`, `messages`, `bytes`: how many were written")

    static let serviceInfo = ActionSpec(
        [],
        effect: "none. The service is asked for the emoji categories, once for each `emoji_hash`",
        result: "what the service tells of itself at login: `file_upload_size_limit` (MiB), "
            + "`multiple_file_send_max_size` (files), `premium_feature_list`, `application_attributes`, "
            + "`use_reaction`, `emoji_hash`; and `emoji_categories`: each with `id`, `name`, `url` and `emojis`, a "
            + "list of `key` (of a reaction) and `url`")
}
