import SyncBytes

/// A user, as the service names them; empty where a message has no sender.
public struct UserID: TextID {
    public let text: String

    @inlinable
    public init(_ text: String) { self.text = text }
}

/// A channel, as the service names it.
public struct ChannelURL: TextID {
    public let text: String

    @inlinable
    public init(_ text: String) { self.text = text }
}

/// A message, as the service names it; of a thread, its first message; empty where there is none.
public struct MessageID: TextID {
    public let text: String

    @inlinable
    public init(_ text: String) { self.text = text }
}

/// A request to send a message, as this client names it; empty where a message was not sent by such a request.
public struct RequestID: TextID {
    public let text: String

    @inlinable
    public init(_ text: String) { self.text = text }
}
