import SyncBytes

/// What the engine asks of a chat service, in the engine's own words. A service turns each into HTTP or a socket frame.
public indirect enum ServiceRequest: Equatable, Sendable {
    /// One page of the user's channels. `token` is the service's, empty for the first page.
    case listChannels(query: ChannelQuery, token: String, limit: Int)
    /// Channels changed or gone since a point.
    case channelChanges(since: ChangePoint)
    case getChannel(url: ChannelURL)
    /// The first page about a time (milliseconds since the epoch; `Int64.max`: the newest messages): up to `limit`
    /// older ones, those at that time, and up to `limit` newer ones. With a `parentID` of that thread's replies only.
    case messagesAround(channelURL: ChannelURL, time: Int64, limit: Int, parentID: MessageID = "")
    /// Up to `limit` messages behind an edge, in one direction. What stands at the edge itself may come again. With a
    /// `parentID` of that thread's replies only. `until`: where, in that direction, history is cached again. A page
    /// whose range ends there has met it, and need not go further.
    case messages(
        channelURL: ChannelURL, from: HistoryEdge, direction: PageDirection, limit: Int, parentID: MessageID = "",
        until: HistoryEdge? = nil)
    /// Up to `limit` messages of this user before an edge, the newest of them, replies too.
    case ownMessages(channelURL: ChannelURL, before: HistoryEdge, limit: Int)
    case getMessage(channelURL: ChannelURL, messageID: MessageID)
    /// The token with which history goes on in a direction beside a message, when no token of that place is kept. With
    /// a `parentID` the thread's. Only of services that place messages by sequence.
    case edge(channelURL: ChannelURL, messageID: MessageID, direction: PageDirection, parentID: MessageID = "")
    /// Messages edited or deleted since a point.
    case messageChanges(channelURL: ChannelURL, since: ChangePoint)
    /// Polls of a channel that changed since a point.
    case pollChanges(channelURL: ChannelURL, since: ChangePoint)
    /// The messages between the newest cached one and now. History is held without a gap from `start` to `end`; `held`
    /// messages are cached that have the order of `end`. With a filter only what matches it counts.
    case messageGap(
        channelURL: ChannelURL, start: HistoryEdge, end: HistoryEdge, held: Int, filter: MessageFilter? = nil)
    /// Up to when messages were purged, as far as that has changed since a point.
    case retention(since: ChangePoint)
    /// How many messages this user has not read, over all channels.
    case unreadCounts
    /// Sends a message. `body` is a JSON object in canonical field names, with `file` or `files` for a file message;
    /// the request id makes a retry harmless.
    case sendMessage(channelURL: ChannelURL, requestID: RequestID, body: [UInt8])
    /// The same by a request of its own, also without a connection; `SessionInfo.takesMessagesByRequest` says whether
    /// the service can be asked so. Whatever is wrong with the session is told as a rejected token.
    case sendMessageByRequest(channelURL: ChannelURL, requestID: RequestID, body: [UInt8])
    /// Gives the service a file for a message; the timeout is one without progress.
    case uploadFile(channelURL: ChannelURL, requestID: RequestID, OutgoingFile)
    case action(ActionCall)
    /// Tells that everything up to a message has arrived here; the service does not answer.
    case markDelivered(channelURL: ChannelURL, messageID: MessageID)
}

extension ServiceRequest {
    public var isSend: Bool {
        switch self {
        case .sendMessage, .sendMessageByRequest: true
        default: false
        }
    }

    /// Bytes of the body of a message to be sent; 0 for any other request.
    public var bodySize: Int {
        switch self {
        case .sendMessage(_, _, let body), .sendMessageByRequest(_, _, let body): body.count
        default: 0
        }
    }

    /// Whether it sends or receives a file: then its deadline bounds the time without progress.
    public var hasFile: Bool {
        switch self {
        case .uploadFile: true
        case .action(let call): call.action == .file(.downloadFile)
        default: false
        }
    }

    /// The deadline the host gave for it, in milliseconds; `nil`: the usual one.
    public var timeout: Int64? { if case .action(let call) = self { call.timeout } else { nil } }
}

/// Towards older or newer.
public enum PageDirection: String, Hashable, Sendable { case previous, next }

/// From where a change log is read.
public enum ChangePoint: Equatable, Hashable, Sendable {
    /// The service's token of the last page.
    case token(String)
    /// Milliseconds since the epoch, by the service's clock.
    case time(Int64)
}
