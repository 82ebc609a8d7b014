/// To which channel cached messages belong, and since when they are complete. Kept when the channel itself has been
/// forgotten, or was not told yet when its messages were cached.
public struct FormerChannel: Equatable, Sendable {
    /// `nil` when the channel was not told yet.
    public let identity: ChannelIdentity?
    /// This user does not see messages from before this time; in milliseconds since the epoch.
    public let messageOffset: Int64
    public let membership: ChannelMembership

    public init(_ channel: ChannelRecord) {
        identity = channel.identity
        messageOffset = channel.messageOffset
        membership = channel.membership
    }

    /// The channel was not told yet when its first messages were cached, in a session that began at `loginTime` (by the
    /// service's clock). For a membership that began later, messages may be missing, since an earlier membership may
    /// have hidden some.
    public init(untoldAt loginTime: Int64) {
        identity = nil
        messageOffset = 0
        membership = ChannelMembership(joinedAt: loginTime)
    }

    /// As it was written by `storedText`, or by releases that did not know of memberships; `nil` when it was not.
    public init?(storedText text: String) {
        var parts = text.split(separator: " ", omittingEmptySubsequences: false)[...]
        var known = ChannelMembership()
        if parts.first == FormerChannel.membershipMark {
            guard parts.count > 3, let invitedAt = Int64(parts[1]), let joinedAt = Int64(parts[2]) else { return nil }
            known = ChannelMembership(invitedAt: invitedAt, joinedAt: joinedAt)
            parts = parts.dropFirst(3)
            if parts.count == 1, parts.first == FormerChannel.untoldMark {
                self = FormerChannel(untoldAt: joinedAt)
                return
            }
        }
        guard parts.count >= 3, let createdAt = parts.popFirst().flatMap({ Int64($0) }),
            let offset = parts.popFirst().flatMap({ Int64($0) })
        else { return nil }
        identity = ChannelIdentity(createdAt: createdAt, serviceID: parts.joined(separator: " "))
        messageOffset = offset
        membership = known
    }

    private static let membershipMark: Substring = "member"
    private static let untoldMark: Substring = "untold"

    public var storedText: String {
        let member = "\(FormerChannel.membershipMark) \(membership.invitedAt) \(membership.joinedAt) "
        guard let identity else { return member + FormerChannel.untoldMark }
        return member + "\(identity.createdAt) \(messageOffset) \(identity.serviceID)"
    }

    /// Whether the cached messages are of no use for the channel as it is now: because another channel has this URL
    /// now, or because this user left and came back, and may see hidden messages again. The second reason counts even
    /// when no messages are known to be hidden: a page may have been made after a reset of the history that the channel
    /// had not told yet.
    public func isReplaced(by channel: ChannelRecord) -> Bool {
        identity.map(channel.identity.replaces) ?? false || channel.messageOffset < messageOffset
            || channel.membership.isLater(than: membership)
    }
}
