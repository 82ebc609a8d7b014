import SyncBytes

/// Tells apart the channels that were made under one URL, one after the other.
public struct ChannelIdentity: Equatable, Sendable {
    /// Milliseconds since the epoch; services may tell it in whole seconds, so it is not enough.
    public let createdAt: Int64
    /// The service's own id of the channel; empty when it was not told.
    public let serviceID: String

    public init(createdAt: Int64, serviceID: String) {
        self.createdAt = createdAt
        self.serviceID = serviceID
    }

    /// Whether this is another channel than the one that was known under its URL: that one was deleted, and this one
    /// made since.
    public func replaces(_ known: ChannelIdentity) -> Bool {
        if createdAt != known.createdAt { return true }
        return !serviceID.isEmpty && !known.serviceID.isEmpty && !serviceID.isByteEqual(to: known.serviceID)
    }
}
