/// How much room the messages of a channel take in the cache, and when the host looked at them last.
public struct ChannelUsage: Equatable, Sendable {
    /// Rows of `message`, including those of the channel's threads.
    public var messages: Int64
    /// Bytes of the JSON of messages and relations, plus `rowBytes` for each row.
    public var bytes: Int64
    /// Milliseconds since the epoch, by this machine, with the precision of an hour; 0: never, or not known.
    public var usedAt: Int64

    /// Bytes of a row beside its JSON: the other columns, and its entries in the indexes.
    static let rowBytes: Int64 = 176
}
