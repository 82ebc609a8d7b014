/// The points of an operation of which a host can be told. It is told only of those that it asked for when it
/// registered the type.
public enum ResourceHook: String, CaseIterable, Sendable {
    /// Before anything is written. The operation waits for the host's answer.
    case willCreate = "will_create"
    case willUpdate = "will_update"
    case willDestroy = "will_destroy"
    /// After the local commit: the write is kept over a restart, and is sent when there is a connection.
    case didCreate = "did_create"
    case didUpdate = "did_update"
    case didDestroy = "did_destroy"
    /// After the remote commit: the service has answered, for the object and its counters.
    case persistedCreate = "persisted_create"
    case persistedUpdate = "persisted_update"
    case persistedDestroy = "persisted_destroy"
    /// What was done, with the value before and after it: the action log.
    case action

    static func will(_ change: ResourceChange) -> ResourceHook {
        switch change {
        case .create: .willCreate
        case .update: .willUpdate
        case .destroy: .willDestroy
        }
    }

    static func did(_ change: ResourceChange) -> ResourceHook {
        switch change {
        case .create: .didCreate
        case .update: .didUpdate
        case .destroy: .didDestroy
        }
    }

    static func persisted(_ change: ResourceChange) -> ResourceHook {
        switch change {
        case .create: .persistedCreate
        case .update: .persistedUpdate
        case .destroy: .persistedDestroy
        }
    }
}
