import ServerBase
import SyncBytes

/// Who may see, say and change what.
public struct AccessRules: ChatRules {
    let chat: Chat

    /// Whether the caller may change a channel.
    public func checkManaging(_ caller: Caller, _ channel: ChannelRow, needsOperator: Bool) throws {
        if caller.isAdmin { return }
        let member = try joinedMembership(caller.userID, in: channel)
        if needsOperator, !member.isOperator { throw Refusal.unauthorized("operators only") }
    }

    /// Refuses a user who may not see what is in a channel: members may, and in public channels everybody may.
    @discardableResult
    public func checkReading(_ caller: Caller, _ channel: ChannelRow) throws -> MembershipRow? {
        if caller.isAdmin {
            return caller.userID.isEmpty ? nil : try storage.members.membership(channel.id, caller.userID)
        }
        let member = try storage.members.membership(channel.id, caller.userID)
        if let member, member.state != .gone { return member }
        if try isBannedHere(caller.userID, channel) { throw Refusal.banned() }
        guard channel.isPublic else { throw Refusal.notMember() }
        return nil
    }

    /// The caller as a reader of a channel; refused when the caller may not see what is in the channel.
    public func reader(_ caller: Caller, _ channel: ChannelRow) throws -> Reader {
        Reader(channel: channel, membership: try checkReading(caller, channel))
    }

    /// Whether a user may send to a channel; the reason why not is thrown.
    public func checkSending(_ caller: Caller, _ channel: ChannelRow) throws {
        if caller.isAdmin {
            // The administration speaks for itself anywhere, for a user only where that user is a member.
            if caller.userID.isEmpty || storage.bots.contains(caller.userID) { return }
            guard try storage.members.membership(channel.id, caller.userID)?.state == .joined else {
                throw Refusal.notMember()
            }
            return
        }
        guard let member = try storage.members.membership(channel.id, caller.userID), member.state == .joined else {
            if try isBannedHere(caller.userID, channel) { throw Refusal.banned() }
            throw Refusal.notMember()
        }
        if try mute(of: member, in: channel) != nil { throw Refusal(900_041, "Muted in this channel.", status: 403) }
        if storage.hasBlocks, channel.memberCount == 2 {
            // In a channel of two members, a user whom the other one blocks may not send.
            let other = try storage.audience(channel.id).first { !$0.isByteEqual(to: caller.userID) } ?? ""
            if try storage.blocks.list(of: caller.userID).blockedBy.contains(other) {
                throw Refusal(900_080, "The receiver has blocked you.", status: 403)
            }
        }
        guard !member.isOperator else { return }
        if channel.isFrozen { throw Refusal(900_050, "The channel is frozen.", status: 403) }
        if channel.isBroadcast { throw Refusal(900_023, "Only operators send to a broadcast channel.", status: 403) }
    }

    /// The mute that holds for a member, in this channel or in all of its custom type; `nil` when the member may speak.
    public func mute(of member: MembershipRow, in channel: ChannelRow) throws -> RestrictionTable.Restriction? {
        if member.isMuted(at: now) {
            return RestrictionTable.Restriction(
                userID: member.userID, customType: "", until: member.mutedUntil, since: member.mutedAt,
                note: member.muteNote)
        }
        return try restriction(of: member.userID, .mute, in: channel)
    }

    /// Whether a user is banned, in this channel or in all channels of its custom type.
    public func isBanned(_ userID: String, _ channel: ChannelRow) throws -> Bool {
        try isBannedHere(userID, channel) || restriction(of: userID, .ban, in: channel) != nil
    }

    private func isBannedHere(_ userID: String, _ channel: ChannelRow) throws -> Bool {
        try storage.bans.ban(channel.id, userID)?.holds(at: now) ?? false
    }

    /// The ban or mute that holds for a user in all channels of a channel's custom type.
    private func restriction(of userID: String, _ kind: RestrictionTable.Restriction.Kind, in channel: ChannelRow)
        throws
        -> RestrictionTable.Restriction?
    {
        guard !channel.customType.isEmpty else { return nil }
        return try storage.restrictions.list(of: userID, kind)
            .first { $0.customType.isByteEqual(to: channel.customType) && $0.holds(at: now) }
    }

    /// A user's own membership in a channel that the user has joined.
    func joinedMembership(_ userID: String, in channel: ChannelRow) throws -> MembershipRow {
        let member = try ownMembership(userID, in: channel)
        guard member.state == .joined else { throw Refusal.notMember() }
        return member
    }

    /// A user's own membership in a channel that the user has not left.
    public func ownMembership(_ userID: String, in channel: ChannelRow) throws -> MembershipRow {
        guard let member = try storage.members.membership(channel.id, userID), member.state != .gone else {
            throw Refusal.notMember()
        }
        return member
    }

    /// The members of a channel who get what a user says: all but those who block this user.
    public func listeners(of channel: ChannelRow, sender: String) throws -> [String] {
        let members = try storage.audience(channel.id)
        guard !sender.isEmpty, storage.hasBlocks else { return members }
        let deaf = try storage.blocks.list(of: sender).blockedBy
        return deaf.isEmpty ? members : members.filter { !deaf.contains($0) }
    }
}

extension Chat {
    public var access: AccessRules { AccessRules(chat: self) }
}
