import SyncModel

/// How many messages of a channel are cached.
public struct SyncProgress: Equatable, Sendable {
    /// Progress of prefetch: how many channels of the run are done.
    public struct Run: Equatable, Sendable {
        public var done: Int
        public var total: Int
    }

    public var channelURL: ChannelURL
    /// How many messages were cached since the channel began to be shown or prefetched.
    public var done: Int64
    /// All messages are cached, from the first to the newest.
    public var isComplete: Bool
    /// Prefetch has finished the channel; `nil`: the event tells a page.
    public var prefetch: Run?

    public init(channelURL: ChannelURL, done: Int64, isComplete: Bool, prefetch: Run? = nil) {
        (self.channelURL, self.done, self.isComplete, self.prefetch) = (channelURL, done, isComplete, prefetch)
    }
}
