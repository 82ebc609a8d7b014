/// What a reply in a thread counts for, as the service has it set for the application.
public struct CountingPolicy: Equatable, Sendable {
    public enum Replies: Sendable {
        case included, excluded
        /// Only those that are shown in the channel too.
        case onlyInChannel

        public func count(_ message: MessageRecord) -> Bool {
            switch self {
            case .included: true
            case .excluded: message.parentID.isEmpty
            case .onlyInChannel: message.parentID.isEmpty || message.isReplyToChannel
            }
        }
    }

    /// `nil`: the service did not say; then it has to be asked about replies.
    public var unread: Replies?
    public var lastMessage: Replies?

    public init(unread: Replies? = nil, lastMessage: Replies? = nil) {
        self.unread = unread
        self.lastMessage = lastMessage
    }
}
