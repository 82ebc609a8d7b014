import SyncModel
import SyncResources
import SyncStore
import SyncStreams

/// Something that the host is told outside of a call's result. The event queue adds sequence number and time.
public enum HostEvent: Sendable {
    /// A collection's list changed.
    case change(CollectionChange)
    /// Any other event of a collection.
    case collection(CollectionID, CollectionNotice)
    case client(ClientNotice)

    /// Whether the event tells content of a list, a stream or a listen.
    var isOfList: Bool {
        switch self {
        case .change, .collection, .client(.database(.value)): true
        case .client: false
        }
    }
}

/// What a collection tells beside changes of its lists. JSON texts are objects of the service.
public enum CollectionNotice: Equatable, Sendable {
    /// A message arrived that is not contiguous with what the collection shows.
    case newMessage(channelURL: ChannelURL, json: [UInt8], Cause, CollectionInfo)
    case channelUpdated(json: [UInt8], Cause)
    case channelRemoved(url: ChannelURL, Cause)
    /// A start has shown this many messages from the cache.
    case cacheShown(call: CallID, count: Int)
    /// The parent message of a thread, as it is now.
    case parentUpdated(json: [UInt8], Cause)
    case parentRemoved(id: MessageID, Cause)
    case hugeGap
    /// The host lagged: `dropped` events were dropped; the lists follow, each as `clear` and `insert`.
    case overflow(dropped: Int)
    case stream(StreamNotice)

    public var type: StaticString {
        switch self {
        case .newMessage: "new_message"
        case .channelUpdated: "channel_updated"
        case .channelRemoved: "channel_removed"
        case .cacheShown: "cache_shown"
        case .parentUpdated: "parent_updated"
        case .parentRemoved: "parent_removed"
        case .hugeGap: "huge_gap"
        case .overflow: "overflow"
        case .stream(let notice): notice.type
        }
    }
}

/// What the client tells.
///
/// At most fifteen cases have values: with sixteen, and one without, code of Swift 6.3 reads bits of it that nobody has
/// written, as valgrind shows.
public enum ClientNotice: Equatable, Sendable {
    public enum ConnectionState: String, Sendable {
        case disconnected, connecting, connected, waiting
        case tokenNeeded = "token_needed"
    }
    public enum SyncState: String, Sendable { case idle, running, paused }

    /// `retryIn` is in milliseconds, for the state `waiting`. With the reason when the connection was lost or could not
    /// be made.
    case connection(ConnectionState, retryIn: Int64? = nil, ServiceFailure? = nil)
    case syncState(SyncState)
    case syncProgress(SyncProgress)
    /// Messages of a channel were removed from the cache: how many, and the bytes of their rows.
    case cacheTrimmed(channelURL: ChannelURL, messages: Int64, bytes: Int64)
    /// The host is asked which channels lose messages first.
    case cacheFull(CacheFull)
    case unreadCounts(UnreadCounts)
    case messageReceived(ReceivedMessage)
    /// Progress of a file of an own message.
    case uploadProgress(FileProgress)
    /// Progress of the file that a call receives or writes.
    case callProgress(CallProgress)
    /// An older cache is being indexed for search; the numbers of messages are approximate.
    case searchProgress(done: Int64, total: Int64)
    /// With the reason that the service gave.
    case tokenNeeded(ServiceFailure)
    case cacheReset(file: String)
    /// `lost`: own messages and writes that were lost, if that is what the event tells.
    case storageError(message: String, lost: LostIntents? = nil)
    case database(DatabaseNotice)
    case resource(ResourceNotice)
    case closed

    public var type: StaticString {
        switch self {
        case .connection: "connection"
        case .syncState: "sync_state"
        case .syncProgress: "sync_progress"
        case .cacheTrimmed: "cache_trimmed"
        case .cacheFull: "cache_full"
        case .unreadCounts: "unread_counts"
        case .messageReceived: "message_received"
        case .uploadProgress: "upload_progress"
        case .callProgress(let progress): progress.kind == .download ? "download_progress" : "export_progress"
        case .searchProgress: "search_progress"
        case .tokenNeeded: "token_needed"
        case .cacheReset: "cache_reset"
        case .storageError: "storage_error"
        case .database(let notice): notice.type
        case .resource(let notice): notice.type
        case .closed: "closed"
        }
    }
}
