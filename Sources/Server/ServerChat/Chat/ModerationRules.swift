import ServerBase
import SyncBytes
import SyncJSON

/// Operators, mutes and bans.
public struct ModerationRules: ChatRules {
    let chat: Chat

    /// Makes exactly these members operators, or adds and takes some away.
    public func changeOperators(
        _ channel: ChannelRow, adding: [String] = [], removing: TextSet? = [], _ caller: Caller
    )
        throws
    {
        try chat.access.checkManaging(caller, channel, needsOperator: true)
        let now = now
        try change { broadcasts in
            var operators = try storage.members.operators(channel.id)
            if let removing { operators.removeAll { removing.contains($0) } } else { operators = [] }
            for id in adding where !operators.containsBytes(of: id) { operators.append(id) }
            try setOperators(channel, to: operators, at: now, &broadcasts)
        }
    }

    public func setOperators(_ channel: ChannelRow, to ids: [String], at now: Int64, _ broadcasts: inout [Broadcast])
        throws
    {
        let before = TextSet(try storage.members.operators(channel.id))
        let after = TextSet(ids)
        guard before != after else { return }
        // In order: each save takes a change number, and a Set's order differs from run to run.
        for id in before.symmetricDifference(after).sorted() {
            guard var membership = try storage.members.membership(channel.id, id), membership.state != .gone else {
                throw Refusal.notMember()
            }
            membership.isOperator = after.contains(id)
            try storage.members.save(membership, at: now)
            let role = JSON.object([
                "cat": 20100, "ts": .int(now),
                "data": .object([
                    "channel_url": .string(channel.url), "channel_type": "group",
                    "my_role": membership.isOperator ? "operator" : "none",
                ]),
            ])
            broadcasts.append(Broadcast(frame: Frames.frame("USEV", role), users: [id]))
        }
        try storage.channels.touch(channel.id, at: now)
        let users = try ids.compactMap { try storage.users.user($0) }.map { SocketDialect.user($0.json) }
        let frame = Frames.channelEvent(10002, channel, at: now, .object(["operators": .array(users)]))
        broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
    }

    /// Mutes a member for so many seconds (-1: for ever), or unmutes.
    public func mute(
        _ channel: ChannelRow, _ userID: String, seconds: Int64, note: String, mutes: Bool, _ caller: Caller
    )
        throws
    {
        try chat.access.checkManaging(caller, channel, needsOperator: true)
        var membership = try chat.access.ownMembership(userID, in: channel)
        guard let user = try storage.users.user(userID) else { throw Refusal.noUser() }
        let now = now
        membership.mutedUntil = mutes ? Self.end(now, seconds) : 0
        membership.mutedAt = mutes ? now : 0
        membership.muteNote = mutes ? note : ""
        try tellMute(membership, user, channel, at: now)
        chat.dueTimer.arrange(at: max(0, membership.mutedUntil))
    }

    /// Stores that a member is muted now, or not any more, and tells.
    private func tellMute(_ membership: MembershipRow, _ user: UserRow, _ channel: ChannelRow, at now: Int64) throws {
        let isMuted = membership.mutedUntil != 0
        let data = SocketDialect.user(user.json)
        if isMuted { restrict(data, "muted", until: membership.mutedUntil, membership.muteNote, at: now) }
        try change { broadcasts in
            try storage.members.save(membership, at: now)
            try storage.channels.touch(channel.id, at: now)
            let frame = Frames.channelEvent(isMuted ? 10201 : 10200, channel, at: now, data)
            broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
        }
    }

    /// Ends mutes that have run out. This is told as if an operator had ended them.
    public func endMutes() throws {
        let now = now
        for var membership in try storage.members.endedMutes(by: now) {
            membership.mutedUntil = 0
            membership.mutedAt = 0
            membership.muteNote = ""
            if let channel = try storage.channels.channel(id: membership.channelID),
                let user = try storage.users.user(membership.userID)
            {
                try tellMute(membership, user, channel, at: now)
            } else {
                try storage.members.save(membership, at: now)
            }
        }
    }

    /// The time when something that begins now and takes `seconds` ends; -1 is never.
    public static func end(_ now: Int64, _ seconds: Int64) -> Int64 {
        seconds < 0 ? -1 : now &+ min(seconds, 1_000_000_000) &* 1000
    }

    private func restrict(_ user: JSON, _ type: String, until: Int64, _ note: String, at now: Int64) {
        user.set("description", .string(note))
        user.set("end_at", .int(until))
        user.set("remaining_duration", .int(until < 0 ? -1 : max(0, until.subtractingClamped(now))))
        user.set("restriction_type", .string(type))
    }

    /// Bans a user for so many seconds (-1: for ever), which ends the membership, or lifts the ban.
    public func ban(_ channel: ChannelRow, _ userID: String, seconds: Int64, note: String, bans: Bool, _ caller: Caller)
        throws
    {
        try chat.access.checkManaging(caller, channel, needsOperator: true)
        guard let user = try storage.users.user(userID) else { throw Refusal.noUser() }
        let now = now
        let data = SocketDialect.user(user.json)
        try change { broadcasts in
            let audience = try storage.audience(channel.id)
            var told = channel
            if bans {
                let ban = BanTable.Ban(userID: userID, until: Self.end(now, seconds), bannedAt: now, note: note)
                try storage.bans.save(ban, channel.id)
                restrict(data, "banned", until: ban.until, note, at: now)
                if var membership = try storage.members.membership(channel.id, userID), membership.state != .gone {
                    membership.state = .gone
                    membership.isOperator = false
                    try storage.members.save(membership, at: now)
                    told = try chat.members.recount(channel, at: now, &broadcasts)
                }
            } else {
                guard try storage.bans.ban(channel.id, userID) != nil else {
                    throw Refusal(400_201, "The user is not banned.", status: 404)
                }
                try storage.bans.lift(channel.id, userID)
            }
            let frame = Frames.channelEvent(bans ? 10601 : 10600, told, at: now, data, chat.members.counts(told))
            broadcasts.append(Broadcast(frame: frame, users: audience, carriesUnread: bans))
        }
    }

    /// A ban ends so many seconds from now (-1: never; `nil`: at the time that was set before) and has another note.
    /// Nobody is told, since the user stays banned.
    public func changeBan(_ channel: ChannelRow, _ ban: BanTable.Ban, seconds: Int64?, note: String, _ caller: Caller)
        throws
    {
        try chat.access.checkManaging(caller, channel, needsOperator: true)
        let until = seconds.map { Self.end(now, $0) } ?? ban.until
        let changed = BanTable.Ban(userID: ban.userID, until: until, bannedAt: ban.bannedAt, note: note)
        try storage.transaction { try storage.bans.save(changed, channel.id) }
    }

    /// Bans or mutes a user in all channels of these custom types, existing and future ones.
    public func restrict(
        _ userID: String, _ kind: RestrictionTable.Restriction.Kind, types: [String], seconds: Int64, note: String,
        lifts: Bool
    ) throws {
        _ = try activeUser(userID)
        let now = now
        try storage.transaction {
            for type in types {
                guard !lifts else {
                    try storage.restrictions.lift(of: userID, kind, type)
                    continue
                }
                let restriction = RestrictionTable.Restriction(
                    userID: userID, customType: type, until: Self.end(now, seconds), since: now, note: note)
                try storage.restrictions.save(restriction, kind)
            }
        }
        guard kind == .ban, !lifts else { return }
        for (channel, _) in try storage.channels.list(of: userID) where types.containsBytes(of: channel.customType) {
            try chat.members.leave(channel, [userID], keepsOperators: false)
        }
    }
}

extension Chat {
    public var moderation: ModerationRules { ModerationRules(chat: self) }
}
