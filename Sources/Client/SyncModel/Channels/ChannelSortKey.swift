import SyncBytes
import SyncJSON

/// Where a channel stands in a query's order. Total: two different channels never have equal keys.
public struct ChannelSortKey: Comparable, Equatable, Sendable {
    /// 0 for channels that have a value to sort by, 1 for those without one, which come behind them.
    let group: Int
    /// Greater comes first.
    let time: Int64
    /// Lesser comes first, by Unicode scalars.
    let text: String
    let url: ChannelURL

    public init(_ query: ChannelQuery, _ channel: ChannelRecord) {
        url = channel.url
        switch query.order {
        case .latestLastMessage:
            group = channel.lastMessage == nil ? 1 : 0
            time = channel.lastMessage?.position.order ?? channel.createdAt
            text = ""
        case .chronological:
            group = 0
            time = channel.createdAt
            text = ""
        case .channelNameAlphabetical:
            group = channel.name.isEmpty ? 1 : 0
            time = 0
            text = channel.name
        case .metadataValueAlphabetical:
            let value = channel.metadataValue(query.metadataOrderKey)
            group = value == nil ? 1 : 0
            time = 0
            text = value ?? ""
        }
    }

    public static func < (left: ChannelSortKey, right: ChannelSortKey) -> Bool {
        if left.group != right.group { return left.group < right.group }
        if left.time != right.time { return left.time > right.time }
        // Bytes of UTF-8 sort as scalars do. `==` of texts takes composed and decomposed letters for the same, which no
        // order by scalars does: mixing the two is no total order.
        if left.text.isByteOrdered(before: right.text) { return true }
        if right.text.isByteOrdered(before: left.text) { return false }
        return left.url < right.url
    }

    /// Whether the two channels are equal in the query's order, in which only their URLs put one before the other.
    public func isTied(with other: ChannelSortKey) -> Bool {
        group == other.group && time == other.time && text.isByteEqual(to: other.text)
    }

    public static func == (left: ChannelSortKey, right: ChannelSortKey) -> Bool {
        !(left < right) && !(right < left)
    }
}

extension ChannelQuery {
    /// Whether `left` stands before `right` in this query's order.
    public func areInIncreasingOrder(_ left: ChannelRecord, _ right: ChannelRecord) -> Bool {
        ChannelSortKey(self, left) < ChannelSortKey(self, right)
    }
}

extension ChannelRecord {
    /// The channel's JSON as a document.
    public var document: JSON? { try? JSON.parse(json) }

    public func metadataValue(_ key: String) -> String? { document?["metadata"]?[key]?.string }
}
