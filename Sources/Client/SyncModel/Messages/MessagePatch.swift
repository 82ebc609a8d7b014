/// A small change to a message that the service tells as an event of its own.
///
/// Applying one twice has the outcome of applying it once, so an event may be replayed on a page that was older than
/// it.
public enum MessagePatch: Equatable, Sendable {
    case reaction(MessageReaction)
    /// The thread of the message changed; JSON text of its new `thread_info` object.
    case threadInfo([UInt8])
    case poll(PollChange)

    public var source: EventSource {
        switch self {
        case .reaction: .eventReactionUpdated
        case .threadInfo: .eventThreadInfoUpdated
        case .poll(let change): if case .voted = change.kind { .eventPollVoted } else { .eventPollUpdated }
        }
    }
}
