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
    // Channels
    case createChannel = "create_channel"
    case getChannel = "get_channel"
    case updateChannel = "update_channel"
    case deleteChannel = "delete_channel"
    case hideChannel = "hide_channel"
    case unhideChannel = "unhide_channel"
    case freezeChannel = "freeze_channel"
    case unfreezeChannel = "unfreeze_channel"
    case resetHistory = "reset_history"
    case getMessage = "get_message"
    // Members
    case invite
    case acceptInvitation = "accept_invitation"
    case declineInvitation = "decline_invitation"
    case join, leave
    case listMembers = "list_members"
    case addOperators = "add_operators"
    case removeOperators = "remove_operators"
    case listOperators = "list_operators"
    case muteUser = "mute_user"
    case unmuteUser = "unmute_user"
    case listMutedUsers = "list_muted_users"
    case banUser = "ban_user"
    case unbanUser = "unban_user"
    case listBannedUsers = "list_banned_users"
    // Properties of a channel
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
    // Users
    case listUsers = "list_users"
    case blockUser = "block_user"
    case unblockUser = "unblock_user"
    case listBlockedUsers = "list_blocked_users"
    // This library
    case resendFailedMessages = "resend_failed_messages"
    case removeFailedMessages = "remove_failed_messages"
    case statistics, cancel
}
