import SyncModel
import SyncResources

/// What a machine wants done. The engine carries effects out in their order; machines do not call each other.
///
/// Indirect: an effect is one pointer to move, however large the fact in it.
indirect enum Effect {
    /// For the host.
    case event(HostEvent)
    case completion(Completion)
    /// For a stream, from what feeds it.
    case feed(stream: UInt64, FedNotice)
    case ask(Ask, ServiceRequest)
    /// `nil` cancels the timer.
    case timer(TimerQueue.Key, at: Int64?)
    case connect(token: String)
    case closeConnection
    /// The realtime database wants something of the transport.
    case database(TransportCommand)
    /// Resources want something of the database; what comes of it goes back by that number.
    case order(DatabaseRequest.Operation, id: UInt64)
    case ordered(ResourceInput)
    /// Something became known about messages of a channel.
    case messages(MessageFact)
    /// A page brought a message of this user: the outbox may be waiting for it.
    case ownMessageSeen(MessageRecord, channelURL: ChannelURL)
    /// The stream leaves out messages of a channel; own ones that it has brought have been seen.
    case leftOut(channelURL: ChannelURL)
    /// Something became known about channels.
    case channels(ChannelFact)
    /// An own message is not under way any more. In doubt: whether it has arrived at the service is not known.
    case sendEnded(channelURL: ChannelURL, isInDoubt: Bool)
    /// The service takes no message without a connection any more.
    case keyRefused
    /// Nobody needs the file of a request any more.
    case endFile(FileOwner)
    /// A channel's next message goes out, or has failed meanwhile: told behind what became of the one before it.
    case sendNext(channelURL: ChannelURL)
    /// A message was written down that these drafts became.
    case draftsSent([HistoryID])
    /// An overlay on a message came or went.
    case overlaid(channelURL: ChannelURL, messageID: MessageID)
    case typingStopped(channelURL: ChannelURL, userID: UserID)
    /// The user signs out: what the end of the session has left to be stored is stored, and everything is forgotten.
    case forgetUser(call: CallID)
    /// A channel is as it was in the cache, and is shown in another way.
    case shownAgain(channelURL: ChannelURL, Cause)
    /// A message collection shows its channel or thread now; the first one that does, or one more.
    case collectionOpened(CollectionID, MessageFilter, HistoryID, isFirst: Bool)
}

/// Whose file a request sends or receives.
enum FileOwner: Equatable {
    case message(RequestID)
    case call(CallID)
}
