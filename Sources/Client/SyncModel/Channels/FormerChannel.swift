/// What says of which channel cached messages are, and since when they are complete, when the channel itself has been
/// forgotten.
public struct FormerChannel: Equatable, Sendable {
    public let identity: ChannelIdentity
    /// Messages before it are not for this user; in milliseconds since the epoch.
    public let messageOffset: Int64

    public init(_ channel: ChannelRecord) {
        identity = channel.identity
        messageOffset = channel.messageOffset
    }

    /// As it was written by `storedText`; `nil` when it was not.
    public init?(storedText text: String) {
        let parts = text.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, let createdAt = Int64(parts[0]), let offset = Int64(parts[1]) else { return nil }
        identity = ChannelIdentity(createdAt: createdAt, serviceID: String(parts[2]))
        messageOffset = offset
    }

    public var storedText: String { "\(identity.createdAt) \(messageOffset) \(identity.serviceID)" }

    /// Whether what is cached of its messages says nothing about the channel as it is now: that is another one under
    /// its URL, or this user left and came back, and may see again what was hidden.
    public func isReplaced(by channel: ChannelRecord) -> Bool {
        channel.identity.replaces(identity) || channel.messageOffset < messageOffset
    }
}
