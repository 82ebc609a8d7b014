/// What a service tells of its own accord.
public enum ServiceEvent: Sendable {
    /// Logged in: requests can be made, and what happens is told from now on.
    case connected(SessionInfo)
    /// The session ended, or could not begin. `retryAfter` is how long the service asks to stay away, in milliseconds.
    case disconnected(ServiceFailure, retryAfter: Int64?)
    /// A message by anyone. Own ones come here when they were sent from elsewhere, or when their acknowledgement came
    /// too late to be a reply.
    case messageReceived(channelURL: ChannelURL, message: MessageRecord)
    case messageUpdated(channelURL: ChannelURL, message: MessageRecord)
    case messageDeleted(channelURL: ChannelURL, messageID: MessageID)
    case messagePatched(channelURL: ChannelURL, messageID: MessageID, patch: MessagePatch)
    /// Relations of messages came, or were taken back; the messages need not be known yet. Only of services that have
    /// relations.
    case messageRelations(channelURL: ChannelURL, RelationChanges, Cause)
    case channel(url: ChannelURL, ChannelEvent)
    case unreadCounts(UnreadCounts)
    /// A channel of this user as the answer to an action has it. It may leave out parts that are known already.
    case channelAnswered(ChannelRecord, Cause)
    /// What one answer of the stream brought, in order, and the point from which the stream goes on after it: stored as
    /// one, or not at all; when it cannot be stored, `ChatService.resume` follows. The first batch of a session comes
    /// soon, and is empty if nothing has happened: own messages that wait are sent after it. Only where changes are in
    /// the stream.
    indirect case batch([ServiceEvent], resume: String)
    /// The stream leaves out messages of a channel: what was told ends at `older`, the service's token there, and goes
    /// on with the page, which reaches the newest and begins with a token of its own. A page without any message says
    /// that nothing is known but that some are missing.
    indirect case hole(channelURL: ChannelURL, older: String, newer: MessagePage)
    /// A text to be kept until the next session, even when the cache is lost: a token that is renewed, the id of this
    /// device. It replaces what was kept before; `ChatService.kept` follows.
    case keep(String)
}
