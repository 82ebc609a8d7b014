/// What a page of a log says of the one behind it.
public struct LogPage: Equatable, Sendable {
    public var hasMore: Bool
    /// Token for the next call; empty when the service gave none.
    public var next: String

    public init(hasMore: Bool, next: String) {
        self.hasMore = hasMore
        self.next = next
    }
}

extension ServiceReply {
    /// For a page of what changed in a channel; `nil` for other replies.
    public var logPage: LogPage? {
        switch self {
        case .messageChanges(let changes): LogPage(hasMore: changes.hasMore, next: changes.next)
        case .pollChanges(let changes): LogPage(hasMore: changes.hasMore, next: changes.next)
        default: nil
        }
    }
}
