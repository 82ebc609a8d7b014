/// Which messages of a channel a collection shows.
public struct MessageFilter: Equatable, Hashable, Sendable {
    public enum TypeFilter: String, Sendable, CaseIterable { case all, user, file, admin }
    public enum ReplyType: String, Sendable, CaseIterable {
        case none, all, onlyReplyToChannel = "only_reply_to_channel"
    }

    public var type = TypeFilter.all
    /// Empty: any. An empty text among them means messages without a custom type.
    public var customTypes: [String] = []
    /// Empty: anyone. Admin messages have no sender and are refused when a sender is asked for.
    public var senderIDs: [String] = []
    public var replyType = ReplyType.none
    /// Messages a `fetch` brings, 1 to 200.
    public var limit = 30

    public init() {}

    /// Whether the filter lets everything through.
    public var isEmpty: Bool { type == .all && customTypes.isEmpty && senderIDs.isEmpty && replyType == .all }

    public func matches(_ message: MessageRecord) -> Bool {
        switch type {
        case .all: break
        case .user: if message.kind != .user { return false }
        case .file: if message.kind != .file { return false }
        case .admin: if message.kind != .admin { return false }
        }
        if !customTypes.isEmpty, !customTypes.contains(message.customType) { return false }
        if !senderIDs.isEmpty, !senderIDs.contains(message.senderID) { return false }
        switch replyType {
        case .all: return true
        case .none: return message.parentID == 0
        case .onlyReplyToChannel: return message.parentID == 0 || message.isReplyToChannel
        }
    }
}
