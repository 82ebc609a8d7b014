import SyncModel

/// What the configuration says about the engine. Times in milliseconds.
public struct EngineOptions: Sendable {
    public enum ResendPolicy: String, Sendable, CaseIterable { case none, manual, automatic }
    /// Which messages of others the host is told, whether a collection shows them or not.
    public enum Notify: String, Sendable, CaseIterable { case none, mentions, all }

    /// Which channels lose messages first when the cache is over its limit.
    public enum Eviction: String, Sendable, CaseIterable {
        case lastOpened = "last_opened"
        case host
    }
    /// Channels that are cached though no collection shows them: the first ones of the usual order, and how many of the
    /// newest messages of each.
    public struct Prefetching: Equatable, Sendable {
        public var channels: Int
        public var messages: Int

        public init(channels: Int, messages: Int) { (self.channels, self.messages) = (channels, messages) }
    }

    public var userID: UserID
    public var accessToken: String
    public var messageCollectionCapacity = 1000
    public var resendPolicy = ResendPolicy.automatic
    public var resendRetryCount = 10
    public var failedRetentionDays = 7
    public var maxFailedPerChannel = 1000
    public var requestTimeout: Int64 = 10_000
    /// A file transfer without progress fails after this time.
    public var fileTimeout: Int64 = 30_000
    /// How many files are sent at once.
    public var uploadsAtOnce = 2
    /// While the connection is lost, messages are sent by requests, if the service accepts that.
    public var sendsByRequest = false
    public var notify = Notify.none
    /// How many `message_received` events may wait to be drained at once.
    public var noticesAtOnce = 16
    /// `nil`: only what collections show is cached.
    public var prefetch: Prefetching?
    /// Bytes of the rows of messages that are cached; `nil`: without bound.
    public var cacheLimit: Int64?
    public var evictionOrder = Eviction.lastOpened
    /// For how long messages are cached; `nil`: for ever.
    public var messageAge: Int64?
    /// How many of the newest messages of each channel are evicted last.
    public var cacheFloor = 200
    /// The most rows that are evicted in one slice.
    public var cacheSliceRows = 500
    /// Cached messages are indexed for search.
    public var searches = false
    /// Microseconds since an arbitrary moment, to measure how long a piece of work takes. Nothing else depends on it.
    public var stopwatch: @Sendable () -> Int64 = { 0 }
    /// For how long a connection lives on in the background.
    public var backgroundGrace: Int64 = 5000
    /// `nil`: there is none.
    public var database: DatabaseSetup?
    /// The whole configuration for hosts that ask for it, as JSON; never with the access token.
    public var described = Array("{}".utf8)
    /// Seed of request ids and of the jitter of pauses; the same seed replays the same run.
    public var seed: UInt64 = 1

    public init(userID: UserID, accessToken: String = "") {
        self.userID = userID
        self.accessToken = accessToken
    }
}
