/// Where a message stands in its channel: the server's time, ties broken by the server's id. Never the device's clock.
public struct MessagePosition: Comparable, Hashable, Sendable {
    /// Milliseconds since the epoch.
    public var createdAt: Int64
    public var id: Int64

    public init(createdAt: Int64, id: Int64) {
        self.createdAt = createdAt
        self.id = id
    }

    /// Before every message.
    public static let first = MessagePosition(createdAt: Int64.min, id: Int64.min)
    /// After every message.
    public static let last = MessagePosition(createdAt: Int64.max, id: Int64.max)

    @inlinable
    public static func < (left: MessagePosition, right: MessagePosition) -> Bool {
        left.createdAt == right.createdAt ? left.id < right.id : left.createdAt < right.createdAt
    }
}
