import SyncSQLite

/// Which messages a list shows.
public struct MessageFilter {
    public enum Replies {
        /// Only messages that are no replies.
        case none
        /// Those, and replies that are shown in the channel too.
        case onlyInChannel
        case all
    }

    /// Empty: all.
    public var kinds: [MessageRow.Kind] = []
    /// `nil`: all; an empty text means messages without a type.
    public var customTypes: [String]?
    public var senders: [String]?
    /// Only messages of the channel's operators (true), or of all others.
    public var ofOperators: Bool?
    /// Deleted messages too.
    public var includesRemoved = false
    public var channelID: Int64 = 0
    public var replies = Replies.none
    /// Not 0: only the replies to that message.
    public var parentID: Int64 = 0
    /// Nothing before this time.
    public var offset: Int64 = 0

    public init() {}

    /// Whether some message may be left out: of the channel, or of the thread that is asked for.
    public var isSelective: Bool {
        !kinds.isEmpty || customTypes != nil || senders != nil || ofOperators != nil || parentID == 0 && replies != .all
    }

    /// Whether a changelog tells that a message changed: of a thread its replies and the message that they answer, of a
    /// channel all but replies that are not asked for. Other filters are the client's to apply.
    public func showsChange(of message: MessageRow) -> Bool {
        if parentID > 0 { return message.parentID == parentID || message.id == parentID }
        switch replies {
        case .none: return message.parentID == 0
        case .onlyInChannel: return message.isInChannel
        case .all: return true
        }
    }

    /// The condition, to follow "channel_id = ?"; `bind` binds its values in order.
    public var condition: String {
        var text = ""
        func oneOf(_ column: String, _ count: Int) {
            text += " AND \(column) IN (" + Array(repeating: "?", count: count).joined(separator: ", ") + ")"
        }
        if !kinds.isEmpty { oneOf("type", kinds.count) }
        if let customTypes { oneOf("custom_type", customTypes.count) }
        if let senders { oneOf("sender", senders.count) }
        if let ofOperators {
            text += " AND sender \(ofOperators ? "" : "NOT ")IN "
            text += "(SELECT user_id FROM members WHERE members.channel_id = ? AND is_operator = 1)"
        }
        if parentID > 0 {
            text += " AND parent_id = ? AND parent_id > 0"
        } else {
            switch replies {
            case .none: text += " AND parent_id = 0"
            case .onlyInChannel: text += " AND in_channel = 1"
            case .all: break
            }
        }
        if offset > 0 { text += " AND created_at >= ?" }
        return text
    }

    public func bind(_ statement: Statement) {
        for kind in kinds { statement.bind(kind.rawValue) }
        for type in customTypes ?? [] { statement.bind(type) }
        for sender in senders ?? [] { statement.bind(sender) }
        if ofOperators != nil { statement.bind(channelID) }
        if parentID > 0 { statement.bind(parentID) }
        if offset > 0 { statement.bind(offset) }
    }

    /// The table to read pages from.
    public var source: String {
        guard includesRemoved else { return "messages" }
        return "(SELECT * FROM messages UNION ALL SELECT * FROM removed)"
    }

    /// The channel's column in conditions. A thread goes by the index of replies instead of the channel's order.
    public var channelColumn: String { parentID > 0 ? "+channel_id" : "channel_id" }
}
