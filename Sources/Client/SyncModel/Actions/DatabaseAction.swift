/// Actions on the realtime database.
public enum DatabaseAction: String, CaseIterable, Sendable {
    case databaseGet = "database_get"
    case databaseSet = "database_set"
    case databaseUpdate = "database_update"
    case databasePush = "database_push"
    case databaseRemove = "database_remove"
    case databaseCount = "database_count"
    case databaseTransaction = "database_transaction"
    case databaseTransformed = "database_transformed"
    case databaseListen = "database_listen"
    case databaseUnlisten = "database_unlisten"
    case databaseSetToken = "database_set_token"
    case databaseOffline = "database_offline"
    case databaseOnline = "database_online"

    public var spec: ActionSpec {
        switch self {
        case .databaseGet: Specs.databaseGet
        case .databaseSet: Specs.databaseSet
        case .databaseUpdate: Specs.databaseUpdate
        case .databasePush: Specs.databasePush
        case .databaseRemove: Specs.databaseRemove
        case .databaseCount: Specs.databaseCount
        case .databaseTransaction: Specs.databaseTransaction
        case .databaseTransformed: Specs.databaseTransformed
        case .databaseListen: Specs.databaseListen
        case .databaseUnlisten: Specs.databaseUnlisten
        case .databaseSetToken: Specs.databaseSetToken
        case .databaseOffline: Specs.databaseOffline
        case .databaseOnline: Specs.databaseOnline
        }
    }
}

private enum Specs {
    private static let path = ActionSpec.Parameter.required(
        "path", .text, "the place: keys joined by slashes; empty is the root")

    private static let whenDone = ActionSpec.Parameter.optional(
        "when", .word(["answered", "kept"]),
        "complete when the service has answered (default; without `timeout_ms` however long that takes), or as soon as "
            + "it cannot be lost any more: then a refusal is told by `database_write_refused`")

    private static let query: [ActionSpec.Parameter] = [
        .optional(
            "order_by", .name,
            "what children are ordered by: `$key` (default), `$value`, `$priority`, or a path below each"),
        .optional("start_at", .bound, "the least value, or `[value, \"key\"]`; by `$key` a text"),
        .optional("start_after", .bound, "the same, left out itself"),
        .optional("end_at", .bound, "the greatest value, or `[value, \"key\"]`; by `$key` a text"),
        .optional("end_before", .bound, "the same, left out itself"),
        .optional("equal_to", .bound, "only children with this value, or `[value, \"key\"]`"),
        .optional("limit_to_first", .integer(1...Int64(Int32.max)), "so many from the beginning"),
        .optional("limit_to_last", .integer(1...Int64(Int32.max)), "so many from the end"),
    ]

    private static let shown = "listens show it at once, and what was before again when it is refused. It is kept over "
        + "a restart until the service has answered, and sent after all that was written before"

    static let databaseGet = ActionSpec(
        [path] + query
            + [.optional("shallow", .flag, "of the children only the names, each with true; without a query")],
        connection: .database,
        effect: "none. Without an answer of the service what is known of the place is given, also from an earlier run",
        result: "`value`: what is there, with this client's own writes; null for nothing. `current`: whether the "
            + "service says so")

    static let databaseSet = ActionSpec(
        [path, .required("value", .value, "what is to be there; null for nothing"), whenDone], connection: .database,
        effect: shown)

    static let databaseUpdate = ActionSpec(
        [path, .required("values", .object, "paths below the place and what is to be there"), whenDone],
        connection: .database, effect: "all of it or nothing; " + shown)

    static let databasePush = ActionSpec(
        [path, .required("value", .value, "what is to be there"), whenDone], connection: .database, effect: shown,
        result: "`key`: the new key below the place, which is behind all earlier ones")

    static let databaseRemove = ActionSpec([path, whenDone], connection: .database, effect: shown)

    static let databaseCount = ActionSpec(
        [
            path, .required("by", .integer(-(1 << 53)...(1 << 53)), "is added to the whole number there"), whenDone,
        ],
        connection: .database,
        effect: "where there is no whole number, `by` takes its place, or 0 when that is less; INVALID_ARGUMENT when "
            + "the sum does not fit into 64 bits, and what is there stays. It counts once, whoever else counts, unless "
            + "an answer of the service is lost; " + shown)

    static let databaseTransaction = ActionSpec(
        [path], connection: .database,
        effect: "the event `database_transform` asks for the value that the one there becomes, by the number of this "
            + "call, again whenever somebody else was faster; `database_transformed` answers. It needs a connection, "
            + "and without `timeout_ms` takes as long as host and service do",
        result: "`committed`: whether it was written; `value`: what was, when it was")

    static let databaseTransformed = ActionSpec(
        [
            .required("transaction", .integer(1...Int64.max), "the number of the call of `database_transaction`"),
            .optional("value", .value, "what is to be there; null for nothing"),
            .optional("abort", .flag, "leave it as it is"),
        ],
        connection: .database,
        effect: "none by itself. One of `value` and `abort` has to be given. NOT_FOUND when nothing is asked")

    static let databaseListen = ActionSpec(
        [path] + query, connection: .database,
        effect: "`database_value` whenever what is there becomes something else, by the number of this call, until "
            + "`database_unlisten`; first when something is known of it",
        result: "`listen`: the number of this call")

    static let databaseUnlisten = ActionSpec(
        [.required("listen", .integer(1...Int64.max), "the number of the call of `database_listen`")],
        connection: .database, effect: "nothing more is told of it. NOT_FOUND when there is no such listen")

    static let databaseSetToken = ActionSpec(
        [.optional("token", .name, "what the service knows this user by from now on; none when it is missing")],
        connection: .database, effect: "what waits for a token goes on")

    static let databaseOffline = ActionSpec(
        [], connection: .database, effect: "the service is not talked to until `database_online`; writes wait")

    static let databaseOnline = ActionSpec([], connection: .database, effect: "the service is talked to again")
}
