import SyncModel

/// A channel in a list: as hosts see it, at its place in the query's order.
struct ChannelRow: WindowRow {
    let channel: ChannelRecord
    let place: ChannelSortKey

    init(_ channel: ChannelRecord, _ query: ChannelQuery) {
        self.channel = channel
        place = ChannelSortKey(query, channel)
    }

    var id: String { channel.url }
    var json: [UInt8] { channel.json }
}
