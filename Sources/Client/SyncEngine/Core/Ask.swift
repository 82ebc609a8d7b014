import SyncModel

/// What is under way: everything the machine that asked needs to make use of the reply. Printable, so that the history
/// of a failing seed shows what was in flight.
enum Ask: Equatable {
    /// A page of the one-time listing of all channels.
    case channelListing
    case channelChanges(since: ChangePoint)
    case channel(url: ChannelURL)
    /// A page of a collection's own query.
    case channelPage(collection: CollectionID)
    case messages(MessageAsk, of: HistoryID)
    case send(requestID: RequestID, channelURL: ChannelURL)
    /// Without the connection.
    case sendByRequest(requestID: RequestID, channelURL: ChannelURL)
    case upload(requestID: RequestID, channelURL: ChannelURL, file: Int)
    /// The user's own messages, for one that the service has.
    case lookup(OwnLookup)
    case action(call: CallID, ActionCall)
    case retention
    case unreadCounts
    /// The newest messages of a channel, for those that the host has to be told of.
    case notices(channelURL: ChannelURL, number: UInt64)
    /// Something the service is only told; nobody waits for an answer.
    case told
}

/// What a timeline asked. An answer to an earlier generation is dropped: everything started over since.
struct MessageAsk: Equatable {
    enum Kind: Equatable {
        /// The message that a thread answers.
        case parent
        case changes(since: ChangePoint)
        case polls(since: ChangePoint)
        case gap(end: HistoryEdge)
        /// The gap is huge: whether it is so for what the first of these filters leaves over; the others come next.
        case filteredGap([MessageFilter])
        case around(place: MessagePosition)
        case page(from: HistoryEdge, PageDirection)
        /// The token of an edge that has lost its own.
        case edge(HistoryEdge, PageDirection)

        /// Towards which no other page is asked for meanwhile.
        var directions: Set<PageDirection> {
            switch self {
            case .around: [.previous, .next]
            case .page(_, let direction), .edge(_, let direction): [direction]
            case .parent, .changes, .polls, .gap, .filteredGap: []
            }
        }

        /// Where a page of the answer stands.
        var road: SequencePage.Road {
            switch self {
            case .page(let edge, let direction): .page(from: edge, direction)
            case .around(let place): .around(place)
            case .gap(let end): .page(from: end, .next)
            case .parent, .changes, .polls, .filteredGap, .edge: .newest
            }
        }
    }

    var kind: Kind
    var generation: UInt64
}
