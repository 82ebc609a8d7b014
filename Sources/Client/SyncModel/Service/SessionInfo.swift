/// What the service says at login. Times in milliseconds.
public struct SessionInfo: Equatable, Sendable {
    public var userID: UserID
    /// The service's time of the login, since the epoch: change logs that were never read are read from here.
    public var loginTime: Int64
    public var reconnect: ReconnectPolicy
    public var counting: CountingPolicy
    /// Whether it wants to know that messages of large channels have arrived.
    public var wantsDeliveriesOfSuperChannels: Bool
    /// Whether it has purged messages since the time that was given at login.
    public var hasNewRetention: Bool
    /// The stream goes on from the point that was given at login, so that nothing is missing. Looked at only where
    /// changes are in the stream.
    public var isContinued: Bool
    /// JSON text of an object: what the service tells of itself, for hosts.
    public var details: [UInt8]
    /// Bytes of the largest file it takes; `nil`: it does not say.
    public var fileLimit: Int64?
    /// Messages may be sent by requests when the connection is lost, as long as this session's credentials hold.
    public var takesMessagesByRequest: Bool

    public init(
        userID: UserID, loginTime: Int64, reconnect: ReconnectPolicy = ReconnectPolicy(),
        counting: CountingPolicy = CountingPolicy(), wantsDeliveriesOfSuperChannels: Bool = true,
        hasNewRetention: Bool = false, isContinued: Bool = false, details: [UInt8] = Array("{}".utf8),
        fileLimit: Int64? = nil, takesMessagesByRequest: Bool = false
    ) {
        self.userID = userID
        self.loginTime = loginTime
        self.reconnect = reconnect
        self.counting = counting
        self.wantsDeliveriesOfSuperChannels = wantsDeliveriesOfSuperChannels
        self.hasNewRetention = hasNewRetention
        self.isContinued = isContinued
        self.details = details
        self.fileLimit = fileLimit
        self.takesMessagesByRequest = takesMessagesByRequest
    }
}

/// How attempts to connect again are spaced: the first one at once, then `base`, multiplied by `factor` each time.
public struct ReconnectPolicy: Equatable, Sendable {
    public var base: Int64
    public var limit: Int64
    public var factor: Int64
    /// Negative: without end.
    public var attempts: Int64

    public init(base: Int64 = 2_000, limit: Int64 = 20_000, factor: Int64 = 2, attempts: Int64 = -1) {
        self.base = base
        self.limit = limit
        self.factor = factor
        self.attempts = attempts
    }

    /// The pauses grow to at least this, in milliseconds, whatever the service asks for.
    public static let shortestPause: Int64 = 1000

    /// The policy with pauses that grow to at least `shortestPause`. A service may ask for pauses that make no sense,
    /// and these must not make a host connect without end.
    public var bounded: ReconnectPolicy {
        let shortest = ReconnectPolicy.shortestPause
        guard base < shortest || limit < shortest else { return self }
        return ReconnectPolicy(
            base: max(base, 100), limit: max(limit, shortest), factor: max(factor, 2), attempts: attempts)
    }
}
