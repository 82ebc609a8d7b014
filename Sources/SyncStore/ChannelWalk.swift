import SyncModel

/// A walk over an index of channels in the order of a query, from its start or from behind a channel.
///
/// Orders mix ascending and descending columns, which no single comparison of SQLite expresses; a disjunction of
/// comparisons would walk the index from its start to find the place. So a walk from behind a channel is a sequence of
/// exact ranges: the rest of those that differ by URL alone, the rest of the group, the groups behind.
struct ChannelWalk {
    private let order: String
    /// Conditions on ?1 (group), ?2 (what is sorted by) and ?3 (URL), one range each.
    private let ranges: [String]
    private let group: (ChannelRecord) -> Bool
    private let bindKey: (ChannelRecord, Statement) -> Void

    /// `nil` for an order that no index has.
    init?(_ order: ChannelQuery.Order) {
        switch order {
        case .latestLastMessage:
            self.order = "has_last_message DESC, latest_at DESC, url"
            ranges = [
                "has_last_message = ?1 AND latest_at = ?2 AND url > ?3", "has_last_message = ?1 AND latest_at < ?2",
                "has_last_message < ?1",
            ]
            group = { $0.lastMessage != nil }
            bindKey = { $1.bind($0.lastMessage?.createdAt ?? $0.createdAt) }
        case .chronological:
            self.order = "created_at DESC, url"
            ranges = ["created_at = ?2 AND url > ?3", "created_at < ?2"]
            group = { _ in false }
            bindKey = { $1.bind($0.createdAt) }
        case .channelNameAlphabetical:
            self.order = "name = '', name, url"
            ranges = [
                "(name = '') = ?1 AND name = ?2 AND url > ?3", "(name = '') = ?1 AND name > ?2", "(name = '') > ?1",
            ]
            group = { $0.name.isEmpty }
            bindKey = { $1.bind($0.name) }
        case .metadataValueAlphabetical:
            return nil
        }
    }

    /// What to run, one after the other, until there are enough channels.
    func statements(after channel: ChannelRecord?) -> [String] {
        guard channel != nil else { return ["SELECT json FROM channel ORDER BY \(order)"] }
        return ranges.map { "SELECT json FROM channel WHERE \($0) ORDER BY \(order)" }
    }

    /// Binds the place behind which a walk goes on, as far as the statement's range asks for it.
    func bind(_ channel: ChannelRecord, to statement: Statement) {
        statement.bind(group(channel))
        if statement.parameterCount > 1 { bindKey(channel, statement) }
        if statement.parameterCount > 2 { statement.bind(channel.url) }
    }
}
