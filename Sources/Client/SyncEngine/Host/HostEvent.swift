import SyncModel
import SyncResources
import SyncStore
import SyncStreams

/// Something the host is told without having asked at that moment. Sequence number and time are the border's to add.
public enum HostEvent: Sendable {
    /// A collection's list changed.
    case change(CollectionChange)
    /// Any other event of a collection.
    case collection(CollectionID, CollectionNotice)
    case client(ClientNotice)

    /// Whether it tells what a list, a stream or a listened place shows.
    var isOfList: Bool {
        switch self {
        case .change, .collection, .client(.database(.value)): true
        case .client: false
        }
    }
}

/// What a collection tells beside changes of its lists. JSON texts are those of the service's objects.
public enum CollectionNotice: Equatable, Sendable {
    /// A message arrived that is not contiguous with what the collection shows.
    case newMessage(channelURL: ChannelURL, json: [UInt8], Cause)
    case channelUpdated(json: [UInt8], Cause)
    case channelRemoved(url: ChannelURL, Cause)
    /// A start has shown what the cache had: so many messages.
    case cacheShown(call: CallID, count: Int)
    /// The message that a thread answers, as it is now.
    case parentUpdated(json: [UInt8], Cause)
    case parentRemoved(id: MessageID, Cause)
    case hugeGap
    /// The host lagged: `dropped` events were not told; the lists follow, each as `clear` and `insert`.
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

    /// `retryIn` is in milliseconds, for the state `waiting`.
    case connection(ConnectionState, retryIn: Int64?)
    case syncState(SyncState)
    case syncProgress(SyncProgress)
    /// Messages of a channel left the cache to make room: so many, and the bytes of their rows.
    case cacheTrimmed(channelURL: ChannelURL, messages: Int64, bytes: Int64)
    /// The host is asked which channels lose messages first.
    case cacheFull(CacheFull)
    case unreadCounts(UnreadCounts)
    case messageReceived(ReceivedMessage)
    /// Of the file of an own message.
    case uploadProgress(FileProgress)
    /// Of the file that a call receives or writes.
    case callProgress(CallProgress)
    /// An older cache is indexed for search: of so many messages so many, roughly.
    case searchProgress(done: Int64, total: Int64)
    /// Why, in the service's words.
    case tokenNeeded(ServiceFailure)
    case cacheReset(file: String)
    /// `lost`: what was to be sent and will not be, when that is what is told.
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
