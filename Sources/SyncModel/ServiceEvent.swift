/// What a service tells of its own accord over the socket.
public enum ServiceEvent: Sendable {
    /// The login succeeded.
    case loggedIn(LoginInfo)
    /// The login was refused.
    case loginFailed(ServiceFailure)
    /// A message by anyone. `requestID` of the record is set when this is the acknowledgement of our own send.
    case messageReceived(channelURL: String, message: MessageRecord)
    case messageUpdated(channelURL: String, message: MessageRecord)
    case messageDeleted(channelURL: String, messageID: Int64)
    case reaction(channelURL: String, MessageReaction)
    /// The thread of a message changed; `json` is its new `thread_info` object.
    case threadInfo(channelURL: String, messageID: Int64, json: [UInt8])
    case channel(url: String, ChannelEvent)
    /// The answer to a request sent over the socket.
    case reply(requestID: String, ServiceReply)
    /// The session key runs out or has run out.
    case sessionExpired
    case tokenRevoked
    /// The service asks to stay away for this long (milliseconds).
    case busy(retryAfter: Int64)
    /// A sign of life and nothing else.
    case pong
}

public struct MessageReaction: Equatable, Sendable {
    public var messageID: Int64
    public var key: String
    public var userID: String
    public var isAdded: Bool
    public var updatedAt: Int64

    public init(messageID: Int64, key: String, userID: String, isAdded: Bool, updatedAt: Int64) {
        self.messageID = messageID
        self.key = key
        self.userID = userID
        self.isAdded = isAdded
        self.updatedAt = updatedAt
    }
}

/// What the service fixes at login. Times in milliseconds.
public struct LoginInfo: Equatable, Sendable {
    public var userID: String
    /// The service's time of the login, since the epoch.
    public var loginTime: Int64
    public var pingInterval: Int64
    public var pongTimeout: Int64
    public var reconnectBase: Int64
    public var reconnectMax: Int64
    public var reconnectFactor: Int64
    /// Negative: without end.
    public var reconnectLimit: Int64

    public init(
        userID: String, loginTime: Int64, pingInterval: Int64 = 15_000, pongTimeout: Int64 = 5_000,
        reconnectBase: Int64 = 2_000, reconnectMax: Int64 = 20_000, reconnectFactor: Int64 = 2,
        reconnectLimit: Int64 = -1
    ) {
        self.userID = userID
        self.loginTime = loginTime
        self.pingInterval = pingInterval
        self.pongTimeout = pongTimeout
        self.reconnectBase = reconnectBase
        self.reconnectMax = reconnectMax
        self.reconnectFactor = reconnectFactor
        self.reconnectLimit = reconnectLimit
    }
}
