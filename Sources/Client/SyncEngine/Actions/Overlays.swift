import SyncJSON
import SyncModel

/// Actions of hosts that the service has not answered yet (a reaction, an edit, a deletion), shown over the messages
/// that they change.
///
/// They are never stored. A message is shown as the cache has it, with the pending actions applied in their order: so
/// facts that come meanwhile and several overlays on one message fit together, and an overlay that is dropped leaves
/// nothing behind.
struct Overlays {
    private struct Entry {
        let call: CallID
        let action: ActionCall
    }

    /// By channel and message.
    private var channels: [ChannelURL: [MessageID: [Entry]]] = [:]

    var isEmpty: Bool { channels.isEmpty }

    mutating func add(_ action: ActionCall, call: CallID) {
        channels[action.channelURL, default: [:]][action.messageID, default: []].append(
            Entry(call: call, action: action))
    }

    /// Returns whether there was such an overlay.
    mutating func remove(_ action: ActionCall, call: CallID) -> Bool {
        guard var entries = channels[action.channelURL]?[action.messageID],
            let index = entries.firstIndex(where: { $0.call == call })
        else { return false }
        entries.remove(at: index)
        channels[action.channelURL]?[action.messageID] = entries.isEmpty ? nil : entries
        if channels[action.channelURL]?.isEmpty == true { channels[action.channelURL] = nil }
        return true
    }

    /// For the simulator's checks.
    func hasDeletion(_ messageID: MessageID, in channelURL: ChannelURL) -> Bool {
        channels[channelURL]?[messageID]?.contains { $0.action.action == .message(.deleteMessage) } ?? false
    }

    /// How many messages of a channel have an overlay.
    func count(_ channelURL: ChannelURL) -> Int { channels[channelURL]?.count ?? 0 }

    /// A cached message with its overlays; `nil` when they delete it.
    func shown(
        _ message: MessageRecord, _ channelURL: ChannelURL, _ rules: any ServiceRules, by userID: UserID
    ) -> MessageRecord? {
        guard let entries = channels[channelURL]?[message.id] else { return message }
        var message = message
        for entry in entries {
            switch rules.preview(of: entry.action, on: message.json, userID: userID) {
            case .removed: return nil
            case .changed(let json):
                message.json = json
                if let type = entry.action.text("custom_type") { message.customType = type }
            case nil: break
            }
        }
        return message
    }

    /// A row of a page, which matches a filter, with its overlays; `nil` when it is not shown.
    func shown(
        _ row: MessageRow, _ filter: MessageFilter, _ channelURL: ChannelURL, _ rules: any ServiceRules,
        by userID: UserID
    ) -> MessageRow? {
        guard let entries = channels[channelURL]?[row.id] else { return row }
        // The page has no other columns; properties that no overlay changes did match.
        let type = entries.compactMap { $0.action.text("custom_type") }.last
        if let type, !filter.isWanted(customType: type) { return nil }
        let message = MessageRecord(id: row.id, position: row.position, json: row.json)
        return shown(message, channelURL, rules, by: userID)?.row
    }

    /// A channel with its last message as that is shown. A last message that an overlay deletes stays there, because
    /// only the service knows which message is the last without it.
    func shown(_ channel: ChannelRecord, _ rules: any ServiceRules, by userID: UserID) -> ChannelRecord {
        guard let last = channel.lastMessage, channels[channel.url]?[last.id] != nil,
            let json = JSONSlice.member("last_message", of: channel.json),
            let message = shown(
                MessageRecord(id: last.id, position: last.position, json: json), channel.url, rules, by: userID),
            let text = JSONSlice.setting([("last_message", message.json)], in: channel.json)
        else { return channel }
        var shown = channel
        shown.json = text
        return shown
    }
}
