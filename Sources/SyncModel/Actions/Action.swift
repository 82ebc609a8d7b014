/// What a host can ask for by `sm_call`. `ActionTable` says what each takes and does; docs/actions.md is made from it.
public enum Action: String, CaseIterable, Sendable {
    case addReaction = "add_reaction"
    case removeReaction = "remove_reaction"
    case markAsRead = "mark_as_read"
}
