/// What a service can do. When a service cannot do something, the engine makes up for it by asking for more.
public struct ServiceCapabilities: Equatable, Sendable {
    /// How the client learns what changed while it was not connected.
    public enum Changes: Equatable, Sendable {
        /// The service has a log that is read from a point on.
        case log
        /// The service does not tell: what is cached is asked for again after each login.
        case asked
        /// The stream of events goes on where it ended, and so holds every change. Where it cannot, it says so.
        case inStream
    }

    /// Who says where a message stands among the others of its channel.
    public enum Placement: Equatable, Sendable {
        /// The service, with each message.
        case given
        /// Nobody: messages stand in the order in which pages and the stream bring them, and get their places here. The
        /// order of their `MessagePosition` is the time that they claim, at most that of the service's answer; the tie
        /// is not looked at. Such a service's changes are in its stream, its edges have tokens, and a page that meets
        /// `until` says so. Its pages have no message that the stream had not told when they were asked for.
        case bySequence
    }

    /// How the client learns which channels came, changed or went.
    public var channelChanges: Changes
    /// How the client learns which messages came, were edited or deleted.
    public var messageChanges: Changes
    /// The service tells what is missing behind the newest cached message; otherwise pages are asked for from there.
    public var hasGapCheck: Bool
    /// Actions that it does not offer: they complete at once, without a request.
    public var missingActions: Set<Action>
    public var placement: Placement
    /// Edits and reactions are events of their own (`Relation`), which the rules fold into their message
    /// (`RelationRules`).
    public var hasRelations: Bool

    public init(
        channelChanges: Changes = .log, messageChanges: Changes = .log, hasGapCheck: Bool = true,
        missingActions: Set<Action> = [], placement: Placement = .given,
        hasRelations: Bool = false
    ) {
        self.channelChanges = channelChanges
        self.messageChanges = messageChanges
        self.hasGapCheck = hasGapCheck
        self.missingActions = missingActions
        self.placement = placement
        self.hasRelations = hasRelations
    }
}
