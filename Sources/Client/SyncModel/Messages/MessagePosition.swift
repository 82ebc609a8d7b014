/// Where a message stands in its channel, by the service's order; never by the device's clock.
///
/// The service decides what the two numbers are: a time and a numeric id, or numbers assigned at the edge of the
/// stretch of history that is being extended.
public struct MessagePosition: Comparable, Hashable, Sendable {
    public var order: Int64
    /// Breaks ties between messages of one order.
    public var tie: Int64

    public init(order: Int64, tie: Int64) {
        self.order = order
        self.tie = tie
    }

    /// Before every message.
    public static let first = MessagePosition(order: Int64.min, tie: Int64.min)
    /// After every message.
    public static let last = MessagePosition(order: Int64.max, tie: Int64.max)

    @inlinable
    public static func < (left: MessagePosition, right: MessagePosition) -> Bool {
        left.order == right.order ? left.tie < right.tie : left.order < right.order
    }

    /// The next position above, the position itself at the end of all.
    public var successor: MessagePosition {
        tie == Int64.max ? self : MessagePosition(order: order, tie: tie + 1)
    }

    /// The next position below, the position itself at the start of all.
    public var predecessor: MessagePosition {
        tie == Int64.min ? self : MessagePosition(order: order, tie: tie - 1)
    }
}
