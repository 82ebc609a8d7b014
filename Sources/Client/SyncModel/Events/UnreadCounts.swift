import SyncBytes

/// How many messages this user has not read, over all channels.
public struct UnreadCounts: Equatable, Sendable {
    public var all: Int64
    /// By the custom types of channels; those without one are in `all` only.
    public var byCustomType: [TextKey: Int64]
    /// Milliseconds since the epoch, by the service's clock: of two the later one counts.
    public var time: Int64

    public init(all: Int64, byCustomType: [TextKey: Int64], time: Int64) {
        self.all = all
        self.byCustomType = byCustomType
        self.time = time
    }
}
