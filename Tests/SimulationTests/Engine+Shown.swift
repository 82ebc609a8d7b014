import SyncModel

@testable import SyncEngine

extension Engine {
    /// Every message collection of the host, with its channel as the server's code names it, in the order of their
    /// numbers.
    var shownMessages: [(channelURL: String, window: MessageWindow)] {
        messageWindows.filter { $0.window.id.isOfHost }.sorted { $0.window.id < $1.window.id }
            .map { ($0.channelURL.text, $0.window) }
    }

    /// Every channel collection of the host.
    var shownChannels: [ChannelWindow] { channelWindows.filter { $0.id.isOfHost } }

    /// What the list shows that feeds a stream over channels or messages.
    func feed(of stream: UInt64) -> [(id: String, json: [UInt8])]? {
        let own = CollectionID.stream(stream)
        if let list = channelWindows.first(where: { $0.id == own }) {
            return list.window.rows.map { ($0.id.text, $0.json) }
        }
        guard let messages = messageWindows.first(where: { $0.window.id == own })?.window else { return nil }
        let rows = messages.window.rows.map { ($0.id.text, $0.json) }
        return messages.filter.isReversed ? rows.reversed() : rows
    }
}

extension CollectionID {
    fileprivate var isOfHost: Bool { if case .host = self { true } else { false } }
}
