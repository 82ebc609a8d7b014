import SyncModel
import SyncStreams

/// What a host asks of the engine. The border has checked every argument; ids are the border's.
///
/// Commands are copied several times on their way, the small and frequent ones as often as any: cases that would make
/// all of them large lie apart.
public enum HostCommand: Sendable {
    case connect(call: UInt64)
    case disconnect
    case resumeSync
    case pauseSync
    case setToken(String)
    case setForeground(Bool)
    /// Forgets this user: the connection, the token, the cache, own messages that are not the service's.
    case signOut(call: UInt64)
    case clearCache(channelURL: String?, call: UInt64)
    indirect case openChannelCollection(id: UInt64, query: ChannelQuery)
    indirect case openMessageCollection(id: UInt64, channelURL: String, filter: MessageFilter, viewpoint: Int64)
    /// `function`: what the host says about rows.
    indirect case openStream(id: UInt64, StreamSpec, function: (any RowFunction)?)
    indirect case stream(StreamRequest, of: UInt64, call: UInt64)
    /// The same of a channel that is in the cache; of another one nothing is opened.
    indirect case openCached(id: UInt64, channelURL: String, filter: MessageFilter, viewpoint: Int64, call: UInt64)
    case removeCollection(id: UInt64)
    case fetch(collection: UInt64, direction: PageDirection, call: UInt64)
    /// Every message that is newer than what is shown.
    case fetchAllNext(collection: UInt64, call: UInt64)
    /// Own messages that are stored and not shown.
    case fetchFailed(collection: UInt64, call: UInt64)
    case fetchPending(collection: UInt64, call: UInt64)
    /// The page around the viewpoint, of messages: from the cache at once, then as the service says.
    case start(collection: UInt64, call: UInt64)
    case resetViewpoint(collection: UInt64, viewpoint: Int64)
    /// `body` is a JSON object in canonical field names without the request id.
    case sendMessage(collection: UInt64, requestID: String, body: [UInt8], call: UInt64)
    case resendMessage(collection: UInt64, requestID: String, call: UInt64)
    case appendMessage(collection: UInt64, requestID: String, body: [UInt8], call: UInt64)
    /// The host sent a message by its own means and shows it when it has been sent.
    indirect case appendSent(collection: UInt64, requestID: String, MessageRecord, call: UInt64)
    /// How the host's own send went.
    indirect case handleSendResponse(collection: UInt64, requestID: String, SendOutcome, call: UInt64)
    /// The host edited a message by its own means.
    indirect case tellEdit(collection: UInt64, MessageRecord, call: UInt64)
    /// An edit of a failed message in place.
    case updateMessage(collection: UInt64, requestID: String, body: [UInt8], call: UInt64)
    /// The host deleted a sent message by its own means; or a pending or failed one is given up.
    case deleteMessage(collection: UInt64, OwnMessageReference, call: UInt64)
    /// Anything of the table of actions.
    indirect case action(ActionCall, call: UInt64)
    /// Something of the realtime database.
    indirect case database(DatabaseRequest, call: UInt64)
    /// Something of the objects in it.
    indirect case resource(ResourceCall, call: UInt64)
    /// The host lagged behind and lost events of these collections (how many, by number): tell their lists again.
    case resync(collections: [UInt64: Int])
}

/// How a host's own send went.
public enum SendOutcome: Sendable {
    case sent(MessageRecord)
    /// `body`: what there is to keep of a message that was never appended; `nil` when there is nothing.
    case failed(code: Int, body: [UInt8]?)
}

/// Which own message: one the service has, or one that is pending or failed.
public enum OwnMessageReference: Equatable, Sendable {
    case sent(id: String)
    case unsent(requestID: String)
}
