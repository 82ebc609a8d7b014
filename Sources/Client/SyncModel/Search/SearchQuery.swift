/// What a host looks for among the cached messages.
public struct SearchQuery: Equatable, Sendable {
    public enum Order: String, Sendable, CaseIterable { case newest, relevance }

    /// Results that a fetch brings.
    public static let limits: ClosedRange<Int64> = 1...200

    /// As a user typed it.
    public var text: String
    /// The last word may be the beginning of a longer one.
    public var isPrefix = true
    /// Empty: all.
    public var channelURLs: [ChannelURL] = []
    /// Types, custom types and senders.
    public var filter: MessageFilter
    /// Milliseconds since the epoch; both ends belong to it.
    public var times: ClosedRange<Int64> = Int64.min...Int64.max
    public var order = Order.newest
    public var limit = 20

    public init(_ text: String) {
        self.text = text
        filter = MessageFilter()
        filter.replyType = .all
    }
}
