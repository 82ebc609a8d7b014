/// What a host can ask for by `sm_call`. `ActionTable` says what each takes and does; docs/actions.md is made from it.
public enum Action: String, CaseIterable, Sendable {
    // Messages
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
    // Reading and writing
    case markAsRead = "mark_as_read"
    case markAllAsRead = "mark_all_as_read"
    case markAsUnread = "mark_as_unread"
    case markAsDelivered = "mark_as_delivered"
    case startTyping = "start_typing"
    case endTyping = "end_typing"
}
