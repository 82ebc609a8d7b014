import SyncBytes

/// Up to when the service has purged messages, by its clock in milliseconds since the epoch.
public struct RetentionPage: Equatable, Sendable {
    /// In channels of a custom type.
    public var ends: [TextKey: Int64]
    /// In all others.
    public var generalEnd: Int64?
    /// Changes are told up to this time.
    public var time: Int64
    public var hasMore: Bool
    /// Token for the next call; empty when the service gave none.
    public var next: String

    public init(
        ends: [TextKey: Int64] = [:], generalEnd: Int64? = nil, time: Int64 = 0, hasMore: Bool = false,
        next: String = ""
    ) {
        self.ends = ends
        self.generalEnd = generalEnd
        self.time = time
        self.hasMore = hasMore
        self.next = next
    }

    /// Up to when messages in channels of a custom type are gone; `nil` when nothing is said of them.
    public func end(for customType: String) -> Int64? { ends[TextKey(customType)] ?? generalEnd }

    /// Adds what a later page says.
    public mutating func merge(_ page: RetentionPage) {
        ends.merge(page.ends) { $1 }
        generalEnd = page.generalEnd ?? generalEnd
        time = max(time, page.time)
    }
}
