/// Every action with what it takes and does. The one list: requests are checked against it and docs/actions.md is made
/// from it.
public enum ActionTable {
    public static func spec(of action: Action) -> ActionSpec {
        switch action {
        case .editMessage: editMessage
        case .deleteMessage: deleteMessage
        case .addReaction, .removeReaction: reaction
        case .pinMessage, .unpinMessage: pin
        case .translateMessage: translateMessage
        case .createMetaArrayKeys, .deleteMetaArrayKeys: metaArrayKeys
        case .addMetaArrayValues, .removeMetaArrayValues: metaArrayValues
        case .markAsRead: markAsRead
        case .markAllAsRead: markAllAsRead
        case .markAsUnread: markAsUnread
        case .markAsDelivered: markAsDelivered
        case .startTyping, .endTyping: typing
        }
    }
}
