import SyncModel

/// A channel in a list: with its JSON as hosts see it and its place in the query's order.
struct ChannelRow: WindowRow {
    let channel: ChannelRecord
    let place: ChannelSortKey
    /// The channel's JSON as this collection tells it.
    let json: [UInt8]

    init(_ channel: ChannelRecord, _ query: ChannelQuery) {
        self.channel = channel
        place = ChannelSortKey(query, channel)
        json = query.shown(channel.json)
    }

    var id: ChannelURL { channel.url }
}
