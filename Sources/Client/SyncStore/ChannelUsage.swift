/// What the messages of a channel take in the cache, and when somebody looked at them last.
public struct ChannelUsage: Equatable, Sendable {
    /// Rows of `message`, those of its threads with them.
    public var messages: Int64
    /// Of their JSON and that of relations, and `rowBytes` for each row.
    public var bytes: Int64
    /// Milliseconds since the epoch, by this machine, with the precision of an hour; 0: never, or not known.
    public var usedAt: Int64

    /// What a row takes beside its JSON: the other columns, and its places in the indexes.
    static let rowBytes: Int64 = 176
}
