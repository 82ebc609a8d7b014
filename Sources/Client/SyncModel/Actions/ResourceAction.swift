/// Actions on objects by type and context, over the realtime database: docs/resources.md.
public enum ResourceAction: String, CaseIterable, Sendable {
    case resourceRegister = "resource_register"
    case resourcePush = "resource_push"
    case resourceReset = "resource_reset"
    case resourcePop = "resource_pop"
    case resourceLookup = "resource_lookup"
    case resourceCreate = "resource_create"
    case resourceUpdate = "resource_update"
    case resourceDestroy = "resource_destroy"
    case resourceCreateOrUpdate = "resource_create_or_update"
    case resourceToggle = "resource_toggle"
    case resourceContinue = "resource_continue"
    case resourceRef = "resource_ref"
    case resourceCollectionRef = "resource_collection_ref"
    case resourceStatistics = "resource_statistics"

    public var spec: ActionSpec {
        switch self {
        case .resourceRegister: Specs.resourceRegister
        case .resourcePush: Specs.resourcePush
        case .resourceReset: Specs.resourceReset
        case .resourcePop: Specs.resourcePop
        case .resourceLookup: Specs.resourceLookup
        case .resourceCreate: Specs.resourceCreate
        case .resourceUpdate: Specs.resourceUpdate
        case .resourceDestroy: Specs.resourceDestroy
        case .resourceCreateOrUpdate: Specs.resourceCreateOrUpdate
        case .resourceToggle: Specs.resourceToggle
        case .resourceContinue: Specs.resourceContinue
        case .resourceRef: Specs.resourceRef
        case .resourceCollectionRef: Specs.resourceCollectionRef
        case .resourceStatistics: Specs.resourceStatistics
        }
    }
}

private enum Specs {
    private static let type = ActionSpec.Parameter.required("resource_type", .name, "a registered type")
    private static let context = ActionSpec.Parameter.required("context", .name, "the name of a context")

    private static let resources = ActionSpec.Parameter.optional(
        "resources", .form(.contextResources),
        "names with what they stand for: a key, or `{\"key\", \"type\", \"value\"}`; none when it is missing")

    private static let key = ActionSpec.Parameter.optional(
        "key", .form(.databaseKey), "the object's key; only for types with an `@` in their path")

    private static let value = ActionSpec.Parameter.required(
        "value", .value, "what the object is to be; any JSON value that is not empty")

    private static let exists = ActionSpec.Parameter.optional(
        "exists", .flag, "whether the object is there; the service is asked when it is missing")

    private static let whenDone = ActionSpec.Parameter.optional(
        "when", .word(["answered", "kept"]),
        "complete when the service has answered for the object and its counters (default; without `timeout_ms` "
            + "however long that takes), or as soon as the write cannot be lost any more: then `resource_error` tells "
            + "a refusal")

    private static let written =
        "`change`: create, update or destroy; `key`, `path` of the object; `counters`: a list of `path` and `by`, with "
        + "`status`, `code` and `message` where one was refused; `uncounted`: counters without an owner in the context"

    static let resourceRegister = ActionSpec(
        [
            .required("resource_type", .name, "the type's name"),
            .required("path", .form(.pathTemplate), "where its objects are: `/group_message/$group/@`"),
            .optional(
                "counters", .form(.counterList),
                "what its objects count: a list of `{\"name\", \"counting\", \"predicate\"}`: the key below the "
                    + "object, a type, and a condition of docs/streams.md (all count when it is missing)"),
            .optional(
                "hooks",
                .words([
                    "will_create", "will_update", "will_destroy", "did_create", "did_update", "did_destroy",
                    "persisted_create", "persisted_update", "persisted_destroy", "action",
                ]), "the events that are told of its objects"),
        ],
        connection: .database,
        effect: "none. Types last as long as the client, and are registered once: again is INVALID_ARGUMENT")

    static let resourcePush = ActionSpec(
        [
            .required("context", .name, "the new context's name"),
            .optional("parent", .name, "the context that it stands on; none for a root"), resources,
        ],
        connection: .database,
        effect: "none. Contexts last until `resource_pop`, `sm_sign_out` or the client's end; a name that is there is "
            + "INVALID_ARGUMENT")

    static let resourceReset = ActionSpec(
        [context, resources], connection: .database,
        effect: "the context's own level has these and no others; what is under way keeps what it saw")

    static let resourcePop = ActionSpec(
        [context], connection: .database,
        effect: "the name is free. Contexts that stand on this one keep it")

    static let resourceLookup = ActionSpec(
        [context, .optional("name", .name, "only what has this name")], connection: .database, effect: "none",
        result: "`resources`: what is seen from the context, of each name the topmost; `depth`: its levels")

    static let resourceCreate = ActionSpec(
        [type, context, key, value, whenDone], connection: .database,
        effect: "the value is at the type's path, under a new key when none is given; counters of the type go "
            + "up, whether or not something was there: see `resource_create_or_update`",
        result: written)

    static let resourceUpdate = ActionSpec(
        [
            type, context, key,
            .required("value", .object, "members of the object, or paths below it, and what they are to be"), whenDone,
        ],
        connection: .database,
        effect: "these members are otherwise, the others stay. Counters go up or down where their predicate begins or "
            + "ceases to hold. Needs the old value where something counts or logs the type: without a connection from "
            + "what is kept of the place, or it ends with NOT_CONNECTED",
        result: written)

    static let resourceDestroy = ActionSpec(
        [type, context, key, whenDone], connection: .database,
        effect: "the object is gone, and counters that it was in go down. Needs the old value as an update does",
        result: written)

    static let resourceCreateOrUpdate = ActionSpec(
        [type, context, key, value, exists, whenDone], connection: .database,
        effect: "an update when the object is there, a create when it is not", result: written)

    static let resourceToggle = ActionSpec(
        [
            type, context, key, .optional("value", .value, "for a create; needless with `exists` true"), exists,
            whenDone,
        ],
        connection: .database, effect: "a destroy when the object is there, a create when it is not", result: written)

    static let resourceContinue = ActionSpec(
        [
            .required("hook", .integer(1...Int64.max), "the `hook` of a `resource_will_…` event"),
            .optional("value", .value, "to be written instead"),
            .optional("refuse", .name, "why it is not to be done: the call completes with CANCELED and these words"),
        ],
        connection: .database,
        effect: "what waited for it goes on, or ends. NOT_FOUND when nothing waits for this hook")

    static let resourceRef = ActionSpec(
        [type, context, key], connection: .database, effect: "none", result: "`path`: where the object is")

    static let resourceCollectionRef = ActionSpec(
        [type, context], connection: .database, effect: "none",
        result: "`path`: where all objects of the type are that this context has")

    static let resourceStatistics = ActionSpec(
        [], connection: .database, effect: "none",
        result: "`types`, `counters`, `contexts`; `in_flight`: operations that the service has not answered yet")
}
