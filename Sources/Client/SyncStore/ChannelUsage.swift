/// What the messages of a channel take in the cache, and when somebody looked at them last.
public struct ChannelUsage: Equatable, Sendable {
    /// Rows of `message`, including those of the channel's threads.
    public var messages: Int64
    /// Bytes of the JSON of messages and relations, plus `rowBytes` for each row.
    public var bytes: Int64
    /// Milliseconds since the epoch, by this machine, with the precision of an hour; 0: never, or not known.
    public var usedAt: Int64

    /// What a row takes beside its JSON: the other columns, and its places in the indexes.
    static let rowBytes: Int64 = 176
}
