import SyncModel
import SyncResources

/// What a machine wants done. The engine carries effects out in their order; machines do not call each other.
///
/// Indirect: an effect is one pointer to move, however large the fact in it.
indirect enum Effect {
    /// For the host.
    case event(HostEvent)
    case completion(Completion)
    /// For a stream, from the list or place that feeds it.
    case feed(stream: UInt64, FedNotice)
    case ask(Ask, ServiceRequest)
    /// `nil` cancels the timer.
    case timer(TimerQueue.Key, at: Int64?)
    case connect(token: String)
    case closeConnection
    /// The realtime database wants something of the transport.
    case database(TransportCommand)
    /// Resources want something of the database; its result comes back under this number.
    case order(DatabaseRequest.Operation, id: UInt64)
    case ordered(ResourceInput)
    /// Something became known about messages of a channel.
    case messages(MessageFact)
    /// A page brought a message of this user: the outbox may be waiting for it.
    case ownMessageSeen(MessageRecord, channelURL: ChannelURL)
    /// The stream skips some messages of a channel. Own messages in the page behind this hole were told by earlier
    /// effects.
    case leftOut(channelURL: ChannelURL)
    /// Something became known about channels.
    case channels(ChannelFact)
    /// An own message is not in flight any more. `isInDoubt`: it is not known whether the service has it.
    case sendEnded(channelURL: ChannelURL, isInDoubt: Bool)
    /// The service accepts no more messages without a connection.
    case keyRefused
    /// Nobody needs the file of a request any more.
    case endFile(FileOwner)
    /// The next message of a channel is sent, or fails; a separate effect, so that the host hears first what became of
    /// the message before it.
    case sendNext(channelURL: ChannelURL)
    /// A message made from these drafts was stored.
    case draftsSent([HistoryID])
    /// An overlay on a message came or went.
    case overlaid(channelURL: ChannelURL, messageID: MessageID)
    case typingStopped(channelURL: ChannelURL, userID: UserID)
    /// The user signs out: what the end of the session still has to store is stored, then everything is forgotten.
    case forgetUser(call: CallID)
    /// A channel did not change in the cache, but what hosts see of it did (an overlay, a draft, typing).
    case shownAgain(channelURL: ChannelURL, Cause)
    /// A message collection begins to show its channel or thread. `isFirst`: no other collection shows it yet.
    case collectionOpened(CollectionID, MessageFilter, HistoryID, isFirst: Bool)
}

/// Whose file a request sends or receives.
enum FileOwner: Equatable {
    case message(RequestID)
    case call(CallID)
}
