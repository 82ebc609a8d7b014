import SyncModel
import SyncRealtime
import SyncStreams

/// What a host asks of the engine. The border has checked every argument; ids are the border's.
///
/// Commands are copied several times on their way, the small and frequent ones as often as any: cases that would make
/// all of them large lie apart.
public enum HostCommand: Sendable {
    case connect(call: CallID)
    case disconnect
    case resumeSync
    case pauseSync
    case setToken(String)
    case setForeground(Bool)
    /// Forgets this user: the connection, the token, the cache, own messages that are not the service's.
    case signOut(call: CallID)
    case clearCache(channelURL: ChannelURL?, call: CallID)
    indirect case openChannelCollection(id: CollectionID, query: ChannelQuery)
    indirect case openMessageCollection(
        id: CollectionID, channelURL: ChannelURL, filter: MessageFilter, viewpoint: Int64)
    /// `function`: what the host says about rows. `place`: what a stream over the database shows.
    indirect case openStream(
        id: UInt64, StreamSpec, function: (any RowFunction)?, place: DatabaseLocation? = nil)
    indirect case stream(StreamRequest, of: UInt64, call: CallID)
    /// The same of a channel that is in the cache; of another one nothing is opened.
    indirect case openCached(
        id: CollectionID, channelURL: ChannelURL, filter: MessageFilter, viewpoint: Int64, call: CallID)
    case removeCollection(id: CollectionID)
    case fetch(collection: CollectionID, direction: PageDirection, call: CallID)
    /// Every message that is newer than what is shown.
    case fetchAllNext(collection: CollectionID, call: CallID)
    /// Own messages that are stored and not shown.
    case fetchFailed(collection: CollectionID, call: CallID)
    case fetchPending(collection: CollectionID, call: CallID)
    /// The page around the viewpoint, of messages: from the cache at once, then as the service says.
    case start(collection: CollectionID, call: CallID)
    case resetViewpoint(collection: CollectionID, viewpoint: Int64)
    /// `body` is a JSON object in canonical field names without the request id.
    case sendMessage(collection: CollectionID, requestID: RequestID, body: [UInt8], call: CallID)
    case resendMessage(collection: CollectionID, requestID: RequestID, call: CallID)
    case appendMessage(collection: CollectionID, requestID: RequestID, body: [UInt8], call: CallID)
    /// The host sent a message by its own means and shows it when it has been sent.
    indirect case appendSent(collection: CollectionID, requestID: RequestID, MessageRecord, call: CallID)
    /// How the host's own send went.
    indirect case handleSendResponse(collection: CollectionID, requestID: RequestID, SendOutcome, call: CallID)
    /// The host edited a message by its own means.
    indirect case tellEdit(collection: CollectionID, MessageRecord, call: CallID)
    /// An edit of a failed message in place.
    case updateMessage(collection: CollectionID, requestID: RequestID, body: [UInt8], call: CallID)
    /// The host deleted a sent message by its own means; or a pending or failed one is given up.
    case deleteMessage(collection: CollectionID, OwnMessageReference, call: CallID)
    /// Anything of the table of actions.
    indirect case action(ActionCall, call: CallID)
    /// Something of the realtime database.
    indirect case database(DatabaseRequest, call: CallID)
    /// Something of the objects in it.
    indirect case resource(ResourceCall, call: CallID)
    /// The host lagged behind and lost events of these collections (how many, by number): tell their lists again.
    case resync(collections: [CollectionID: Int])
}

/// How a host's own send went.
public enum SendOutcome: Sendable {
    case sent(MessageRecord)
    /// `body`: what there is to keep of a message that was never appended; `nil` when there is nothing.
    case failed(code: Int, body: [UInt8]?)
}

/// Which own message: one the service has, or one that is pending or failed.
public enum OwnMessageReference: Equatable, Sendable {
    case sent(id: MessageID)
    case unsent(requestID: RequestID)
}
