/// Since when this user is a member of a channel. Times in milliseconds since the epoch; 0: the service tells none.
public struct ChannelMembership: Equatable, Sendable {
    /// When this user was invited last.
    public var invitedAt: Int64
    /// When this user joined; 0 while an invitation is not accepted.
    public var joinedAt: Int64

    public init(invitedAt: Int64 = 0, joinedAt: Int64 = 0) {
        self.invitedAt = invitedAt
        self.joinedAt = joinedAt
    }

    /// Whether this membership began after the known one had ended: the user left the channel and came back.
    public func isLater(than known: ChannelMembership) -> Bool {
        if known.joinedAt > 0 {
            // A user who had joined and is only invited now has left the channel in between.
            return (joinedAt == 0 ? invitedAt : joinedAt) > known.joinedAt
        }
        return known.invitedAt > 0 && invitedAt > known.invitedAt
    }
}
