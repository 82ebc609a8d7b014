import SyncModel

/// A request under way, with everything that the machine that asked needs to make use of the reply. Printable, so that
/// the history of a failing seed shows what was in flight.
enum Ask: Equatable {
    /// A page of the one-time listing of all channels.
    case channelListing
    case channelChanges(since: ChangePoint)
    case channel(url: ChannelURL)
    /// A page of a collection's own query.
    case channelPage(collection: CollectionID)
    case messages(MessageAsk, of: HistoryID)
    case send(requestID: RequestID, channelURL: ChannelURL)
    /// Sent without the event connection.
    case sendByRequest(requestID: RequestID, channelURL: ChannelURL)
    case upload(requestID: RequestID, channelURL: ChannelURL, file: Int)
    /// A page of the user's own messages, to find one that the service already has.
    case lookup(OwnLookup)
    case action(call: CallID, ActionCall)
    case retention
    case unreadCounts
    /// The newest messages of a channel, to find those that `Notices` has to tell to the host.
    case notices(channelURL: ChannelURL, number: UInt64)
    /// The service is only told something; nobody waits for an answer.
    case told
}

/// A request of a timeline. The answer to a request of an earlier generation is dropped: the timeline has started over
/// since.
struct MessageAsk: Equatable {
    enum Kind: Equatable {
        /// The parent message of a thread.
        case parent
        case changes(since: ChangePoint)
        case polls(since: ChangePoint)
        case gap(end: HistoryEdge)
        /// The gap is huge. Asks whether it is still huge for the messages that the first of these filters leaves; the
        /// other filters are asked about next.
        case filteredGap([MessageFilter])
        case around(place: MessagePosition)
        case page(from: HistoryEdge, PageDirection)
        /// A new token for an edge that has lost its own.
        case edge(HistoryEdge, PageDirection)

        /// The directions in which no other page may be asked for while this one is under way.
        var directions: Set<PageDirection> {
            switch self {
            case .around: [.previous, .next]
            case .page(_, let direction), .edge(_, let direction): [direction]
            case .parent, .changes, .polls, .gap, .filteredGap: []
            }
        }

        /// How to find where a page of the answer belongs.
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
