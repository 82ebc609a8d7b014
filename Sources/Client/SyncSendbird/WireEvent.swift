import SyncModel

/// What one socket command says.
enum WireEvent {
    /// Only a sign that the peer is there.
    case alive
    case loggedIn(LoginAnswer)
    case loginRefused(ServiceFailure)
    /// The service has a message that was sent with this request id.
    case acknowledged(requestID: RequestID, channelURL: ChannelURL, MessageRecord)
    /// A command that a request of ours was answered with; JSON text of its document.
    case answered(requestID: RequestID, [UInt8])
    /// The service refuses what was sent with this request id.
    case refused(requestID: RequestID, ServiceFailure)
    /// An error that belongs to no request.
    case failed(ServiceFailure)
    /// The session key ends, or has ended.
    case sessionExpired
    /// The session was ended by the service for good.
    case tokenRevoked
    /// The service asks to go away and come back after so many milliseconds.
    case busy(retryAfter: Int64)
    case event(ServiceEvent)
}

/// What the service says when it accepts a login. Times in milliseconds.
struct LoginAnswer {
    var sessionKey: String
    var fileKey: String
    /// The answer to a renewal over the socket, not to a login.
    var isRenewal: Bool
    /// `nil` when the answer lacks the service's time: change logs begin there, without it none would be complete.
    var info: SessionInfo?
    var pingInterval: Int64
    var pongTimeout: Int64
}
