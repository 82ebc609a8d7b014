import SyncModel
import SyncSQLite

/// A walk over an index of channels in the order of a query, from its start or from behind a channel.
///
/// An order puts some channels after all others (for example those without a name) and mixes ascending with descending
/// columns. No single comparison in SQLite expresses that, and with several joined by OR, SQLite would walk the index
/// from its start. So a walk is a sequence of exact ranges: the rest of the channels that differ only by URL, the rest
/// of the channel's group, and the group after it.
struct ChannelWalk {
    /// The statements to run, one after the other, until there are enough channels.
    let statements: [String]
    private let bindPlace: (Statement) -> Void

    /// `nil` for an order without an index.
    init?(_ order: ChannelQuery.Order, after channel: ChannelRecord?) {
        // ?1 is the value of the sort column, ?2 the URL.
        let ranges: [String]
        let columns: String
        switch order {
        case .latestLastMessage:
            columns = "has_last_message DESC, latest_at DESC, url"
            let time = channel?.latestAt ?? 0
            bindPlace = { $0.bind(time) }
            if let channel {
                let group = channel.lastMessage == nil ? 0 : 1
                ranges = [
                    "has_last_message = \(group) AND latest_at = ?1 AND url > ?2",
                    "has_last_message = \(group) AND latest_at < ?1",
                ] + (group == 1 ? ["has_last_message = 0"] : [])
            } else {
                ranges = ["has_last_message = 1", "has_last_message = 0"]
            }
        case .chronological:
            columns = "created_at DESC, url"
            let time = channel?.createdAt ?? 0
            bindPlace = { $0.bind(time) }
            ranges = channel == nil ? [""] : ["created_at = ?1 AND url > ?2", "created_at < ?1"]
        case .channelNameAlphabetical:
            columns = "name, url"
            let name = channel?.name ?? ""
            bindPlace = { $0.bind(name) }
            if channel == nil {
                ranges = ["name > ''", "name = ''"]
            } else {
                ranges = name.isEmpty
                    ? ["name = '' AND url > ?2"] : ["name = ?1 AND url > ?2", "name > ?1", "name = ''"]
            }
        case .metadataValueAlphabetical:
            return nil
        }
        statements = ranges.map { range in
            "\(ChannelStore.select) WHERE is_cached = 1" + (range.isEmpty ? "" : " AND " + range)
                + " ORDER BY " + columns
        }
    }

    /// Binds the place after which the walk goes on, as far as the statement has parameters for it.
    func bind(_ channel: ChannelRecord, to statement: Statement) {
        if statement.parameterCount > 0 { bindPlace(statement) }
        if statement.parameterCount > 1 { statement.bind(channel.url) }
    }
}
