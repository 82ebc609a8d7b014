/// Which replies count as messages of their channel, for unread counts or for the last message. The raw values are the
/// protocol's.
public enum ThreadingPolicy: Int64 {
    /// The application never chose: a reply counts like any other message.
    case none = 0
    case includeReplies = 1
    case excludeReplies = 2
    /// Only replies that are shown in the channel too.
    case onlyInChannel = 3

    public func counts(isReply: Bool, isInChannel: Bool) -> Bool {
        switch self {
        case .none, .includeReplies: true
        case .excludeReplies: !isReply
        case .onlyInChannel: isInChannel
        }
    }

    /// The same rule as a condition on a row of `messages`.
    public var condition: String {
        switch self {
        case .none, .includeReplies: "1"
        case .excludeReplies: "parent_id = 0"
        case .onlyInChannel: "in_channel = 1"
        }
    }
}
