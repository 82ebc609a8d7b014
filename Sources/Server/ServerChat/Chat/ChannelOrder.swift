import ServerBase
import SyncBytes
import SyncJSON

/// The orders of a channel list, and where a channel stands in one.
public enum ChannelOrder: String {
    case latestLastMessage = "latest_last_message"
    case chronological
    case name = "channel_name_alphabetical"
    case metadata = "metadata_value_alphabetical"

    /// A place in the order. Channels are compared by these values in turn; no two have the same id.
    public struct Place: Comparable {
        /// 0 for channels that have a last message, a name or the metadata key, as the order asks; 1, behind them, for
        /// others.
        public let group: Int64
        public let text: String
        /// Later times come first.
        public let time: Int64
        public let id: Int64

        public static func < (left: Place, right: Place) -> Bool {
            if left.group != right.group { return left.group < right.group }
            if !left.text.isByteEqual(to: right.text) { return left.text.isByteOrdered(before: right.text) }
            if left.time != right.time { return left.time > right.time }
            return left.id > right.id
        }

        /// As a page token: text in hexadecimal digits, so that it passes any client unharmed.
        public var token: String {
            Hex.text(JSON.array([.int(group), .string(text), .int(time), .int(id)]).serialized())
        }

        public init(group: Int64, text: String, time: Int64, id: Int64) {
            self.group = group
            self.text = text
            self.time = time
            self.id = id
        }

        public init?(token: String) {
            guard let bytes = Hex.bytes(token), let json = try? JSON.parse(bytes), json.count == 4,
                let group = json[0]?.int, let text = json[1]?.string, let time = json[2]?.int, let id = json[3]?.int
            else { return nil }
            self.init(group: group, text: text, time: time, id: id)
        }
    }

    /// The place of a channel. A last message that the member does not see does not count.
    public func place(_ channel: ChannelRow, _ membership: MembershipRow, metadataValue: String?) -> Place {
        switch self {
        case .latestLastMessage:
            let last = channel.lastMessage(of: membership)
            return Place(
                group: last == nil ? 1 : 0, text: "", time: last?.at ?? channel.createdAt, id: channel.id)
        case .chronological:
            return Place(group: 0, text: "", time: channel.createdAt, id: channel.id)
        case .name:
            return Place(
                group: channel.name.isEmpty ? 1 : 0, text: channel.name, time: channel.createdAt, id: channel.id)
        case .metadata:
            return Place(
                group: metadataValue == nil ? 1 : 0, text: metadataValue ?? "", time: channel.createdAt, id: channel.id)
        }
    }
}
