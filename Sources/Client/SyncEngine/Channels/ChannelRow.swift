import SyncModel

/// A channel in a list: as hosts see it, at its place in the query's order.
struct ChannelRow: WindowRow {
    let channel: ChannelRecord
    let place: ChannelSortKey
    /// What the collection tells of it.
    let json: [UInt8]

    init(_ channel: ChannelRecord, _ query: ChannelQuery) {
        self.channel = channel
        place = ChannelSortKey(query, channel)
        json = query.shown(channel.json)
    }

    var id: ChannelURL { channel.url }
}
