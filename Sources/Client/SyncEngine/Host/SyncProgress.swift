import SyncModel

/// How far the messages of a channel are cached.
public struct SyncProgress: Equatable, Sendable {
    /// Of a run over channels that nobody looks at: so many are done with, of so many.
    public struct Run: Equatable, Sendable {
        public var done: Int
        public var total: Int
    }

    public var channelURL: ChannelURL
    /// Messages of the channel cached by this run.
    public var done: Int64
    /// From the first message to the newest.
    public var isComplete: Bool
    /// The channel is done with; `nil`: a page came.
    public var prefetch: Run?

    public init(channelURL: ChannelURL, done: Int64, isComplete: Bool, prefetch: Run? = nil) {
        (self.channelURL, self.done, self.isComplete, self.prefetch) = (channelURL, done, isComplete, prefetch)
    }
}
