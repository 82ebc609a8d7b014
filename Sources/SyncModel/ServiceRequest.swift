/// What the engine asks of a chat service, in the engine's own words. A service turns each into HTTP or a socket frame.
public enum ServiceRequest: Equatable, Sendable {
    /// One page of the user's channels. `token` is the service's, empty for the first page.
    case listChannels(query: ChannelQuery, token: String, limit: Int)
    /// Channels changed or gone since a point.
    case channelChanges(since: ChangePoint)
    case getChannel(url: String)
    /// Messages around a time: up to `before` older ones, all at that time, up to `after` newer ones.
    case listMessages(channelURL: String, around: Int64, before: Int, after: Int)
    /// Messages edited or deleted since a point.
    case messageChanges(channelURL: String, since: ChangePoint)
    /// What lies between the newest message held (at the time `after`, where `held` rows are cached) and now. `from` is
    /// the time of the oldest one that is held without a gap.
    case messageGap(channelURL: String, from: Int64, after: Int64, held: Int)
    /// Sends a user message. `body` is a JSON object in canonical field names; the request id makes a retry harmless.
    case sendMessage(channelURL: String, requestID: String, body: [UInt8])
    case updateMessage(channelURL: String, messageID: Int64, body: [UInt8])
    case deleteMessage(channelURL: String, messageID: Int64)
    case markAsRead(channelURL: String)
    /// A fresh session key for the access token.
    case renewSession
    /// A sign of life on the socket. Its reply is any received frame, so the engine awaits none.
    case ping(time: Int64)
}

/// From where a change log is read.
public enum ChangePoint: Equatable, Hashable, Sendable {
    /// The service's token of the last page.
    case token(String)
    /// Milliseconds since the epoch, by the service's clock.
    case time(Int64)
}
