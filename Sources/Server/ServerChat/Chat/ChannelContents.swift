import ServerBase
import SyncBytes
import SyncJSON

/// Reads what is told of the members and messages of channels. Who may ask is checked before, by the caller.
public struct ChannelContents {
    public typealias Member = (membership: MembershipRow, user: UserRow)
    public typealias OwnChannel = (channel: ChannelRow, membership: MembershipRow)

    private let storage: Storage
    private let now: Int64

    init(_ storage: Storage, at now: Int64) {
        self.storage = storage
        self.now = now
    }

    /// A channel; `nil` when there is none.
    public func find(_ url: String) throws -> ChannelRow? { try storage.channels.channel(url) }

    /// A user's membership in a channel; `nil` when there never was one.
    public func membership(_ userID: String, in channel: ChannelRow) throws -> MembershipRow? {
        try storage.members.membership(channel.id, userID)
    }

    /// The members who have joined, without those who are invited.
    public func joinedMembers(of channel: ChannelRow) throws -> [String] { try storage.members.joined(channel.id) }

    public func members(of channel: ChannelRow, _ wanted: MemberListQuery) throws -> [Member] {
        try storage.members.list(channel.id)
            .filter { membership, user in
                try membership.isOperator == wanted.isOperator ?? membership.isOperator
                    && membership.isMuted(at: now) == wanted.isMuted ?? membership.isMuted(at: now)
                    && isIn(wanted.state, membership) && wanted.activity.matches(user)
                    && user.nickname.lowercased().beginsWithBytes(of: wanted.prefix)
            }
            .sorted { left, right in
                if wanted.operatorsFirst, left.membership.isOperator != right.membership.isOperator {
                    return left.membership.isOperator
                }
                let names = (left.user.nickname.lowercased(), right.user.nickname.lowercased())
                if !names.0.isByteEqual(to: names.1) { return names.0.isByteOrdered(before: names.1) }
                return left.user.id.isByteOrdered(before: right.user.id)
            }
    }

    private func isIn(_ state: MemberListQuery.State, _ member: MembershipRow) throws -> Bool {
        switch state {
        case .all: true
        case .joined: member.state == .joined
        case .invited: member.state == .invited
        case .invitedByFriend: try member.state == .invited && isInvitedByFriend(member)
        case .invitedByOther: try member.state == .invited && !isInvitedByFriend(member)
        }
    }

    /// Whether the member was invited by somebody whom the member has as a friend.
    public func isInvitedByFriend(_ member: MembershipRow) throws -> Bool {
        try storage.friends.isFriend(member.inviter, of: member.userID)
    }

    /// The ids of those who are operators.
    public func operators(of channel: ChannelRow) throws -> [String] { try storage.members.operators(channel.id) }

    /// Those who are muted in this channel now.
    public func mutedMembers(of channel: ChannelRow) throws -> [MembershipRow] {
        try storage.members.muted(channel.id, at: now)
    }

    /// Bans that hold now.
    public func bans(of channel: ChannelRow) throws -> [BanTable.Ban] {
        try storage.bans.list(channel.id).filter { $0.holds(at: now) }
    }

    /// A user's ban, also when it is over.
    public func ban(of userID: String, in channel: ChannelRow) throws -> BanTable.Ban? {
        try storage.bans.ban(channel.id, userID)
    }

    // MARK: Of a user

    /// The channels that a user has joined or is invited to.
    public func channels(of userID: String, _ wanted: OwnChannelsQuery = OwnChannelsQuery()) throws -> [OwnChannel] {
        try storage.channels.list(of: userID).filter { channel, _ in
            (wanted.customTypes?.contains(channel.customType) ?? true)
                && channel.isSuper == wanted.isSuper ?? channel.isSuper
        }
    }

    /// A user's bans or mutes by custom types of channels, as far as they hold now.
    public func restrictions(of userID: String, _ kind: RestrictionTable.Restriction.Kind) throws -> [RestrictionTable
        .Restriction]
    {
        try storage.restrictions.list(of: userID, kind).filter { $0.holds(at: now) }
    }

    /// A channel where a user is banned or muted, since when and until when.
    public typealias RestrictedChannel = (channel: ChannelRow, since: Int64, until: Int64, note: String)

    public func channels(where kind: RestrictionTable.Restriction.Kind, holdsFor userID: String) throws
        -> [RestrictedChannel]
    {
        switch kind {
        case .mute:
            try storage.channels.list(of: userID).filter { $0.membership.isMuted(at: now) }
                .map { ($0.channel, $0.membership.mutedAt, $0.membership.mutedUntil, $0.membership.muteNote) }
        case .ban:
            try storage.channels.all(publicOnly: false).compactMap { channel in
                guard let ban = try storage.bans.ban(channel.id, userID), ban.holds(at: now) else { return nil }
                return (channel, ban.bannedAt, ban.until, ban.note)
            }
        }
    }

    // MARK: Messages

    /// A message of a channel, if it is not too old for the reader to see.
    public func message(_ id: Int64, for reader: Reader) throws -> MessageRow {
        let message = try message(id, in: reader.channel)
        guard message.createdAt >= reader.membership?.offset ?? 0 else { throw Refusal.noMessage() }
        return message
    }

    public func message(_ id: Int64, in channel: ChannelRow) throws -> MessageRow {
        guard let message = try storage.messages.message(id, in: channel.id) else { throw Refusal.noMessage() }
        return message
    }

    /// How many messages a reader sees, replies too.
    public func messageCount(for reader: Reader) throws -> Int {
        var filter = MessageFilter()
        filter.replies = .all
        filter.offset = reader.membership?.offset ?? 0
        return try storage.messages.count(reader.channel.id, .upwards(0, .max), filter, limit: -1)
    }

    /// How many messages are unread: for these members, or for all who have joined or are invited.
    public func unreadCounts(in channel: ChannelRow, of ids: [String]?) throws -> [(userID: String, count: Int64)] {
        try (ids ?? storage.audience(channel.id)).compactMap { id in
            try storage.members.membership(channel.id, id).map { (id, $0.unread(in: channel)) }
        }
    }

    // MARK: Metadata and counters

    public func metadata(of channel: ChannelRow) throws -> [(String, String)] {
        try storage.channels.metadata(channel.id)
    }
    public func counters(of channel: ChannelRow) throws -> [(String, Int64)] {
        try storage.channels.counters(channel.id)
    }

    // MARK: Polls

    /// The polls of a channel that were not removed.
    public func polls(of channel: ChannelRow) throws -> [JSON] {
        try storage.documents.all(.poll, scope: String(channel.id)).map { $0.json }
            .filter { $0["status"]?.string != "removed" }
    }

    /// The options of a poll that a user has voted for.
    public func votes(of userID: String, in poll: Int64) throws -> [Int64] { try storage.votes.list(poll, of: userID) }

    /// The ids of those who have voted for an option.
    public func voters(for option: Int64, in poll: Int64) throws -> [String] {
        try storage.votes.voters(poll, option: option)
    }
}
