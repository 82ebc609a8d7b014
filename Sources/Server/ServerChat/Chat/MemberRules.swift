import ServerBase
import SyncBytes
import SyncJSON

/// Users who come into channels and leave them.
public struct MemberRules: ChatRules {
    let chat: Chat

    /// Invites users. Those who accept invitations automatically, as users do unless they have set otherwise, join at
    /// once.
    public func invite(
        _ channel: ChannelRow, _ ids: [String], inviter: String, _ invitation: InvitationInput, _ caller: Caller
    ) throws -> ChannelRow {
        try chat.access.checkManaging(caller, channel, needsOperator: false)
        let now = now
        return try change { broadcasts in
            var invited: [UserRow] = []
            for id in ids {
                guard let user = try storage.users.user(id) else { throw Refusal.noUser() }
                if try chat.access.isBanned(id, channel) { continue }
                let known = try storage.members.membership(channel.id, id)
                if let known, known.state != .gone { continue }
                let isIn = invitation.isIn(user)
                var member = MembershipRow(channelID: channel.id, userID: id, state: isIn ? .joined : .invited)
                member.isOperator = known?.isOperator ?? false
                member.hidden = invitation.hidden[id] ?? .no
                member.inviter = inviter
                member.invitedAt = now
                if isIn { member.joinedAt = now }
                begin(&member, channel, at: now)
                try storage.members.save(member, at: now)
                invited.append(user)
            }
            guard !invited.isEmpty else { return channel }
            let changed = try recount(channel, at: now, &broadcasts)
            try tellInvitation(changed, inviter: inviter, invitees: invited, at: now, &broadcasts)
            let joined = invited.filter(invitation.isIn)
            if !joined.isEmpty { try tellJoined(joined, changed, at: now, &broadcasts) }
            return changed
        }
    }

    /// A new member has read nothing, and no earlier message is unread.
    private func begin(_ member: inout MembershipRow, _ channel: ChannelRow, at now: Int64) {
        member.lastRead = 0
        member.readTotal = channel.countable
    }

    /// After members came or went: counts, changelog, and the frame that tells the counts.
    public func recount(_ channel: ChannelRow, at now: Int64, _ broadcasts: inout [Broadcast]) throws
        -> ChannelRow
    {
        let counts = try storage.members.recount(channel.id)
        try storage.channels.touch(channel.id, at: now)
        let frame = Frames.frame(
            "MCNT",
            .object([
                "group_channels": .array([
                    .object([
                        "channel_url": .string(channel.url), "channel_id": .int(channel.id),
                        "member_count": .int(counts.members),
                        "joined_member_count": .int(counts.joined), "ts": .int(now),
                    ])
                ]),
                "open_channels": .array(), "ts": .int(now), "sts": .int(now),
            ]))
        broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
        return try storage.channels.channel(id: channel.id) ?? channel
    }

    public func counts(_ channel: ChannelRow) -> JSON {
        .object(["member_count": .int(channel.memberCount), "joined_member_count": .int(channel.joinedCount)])
    }

    /// Counts, and the channel's core as an object of its own.
    private func eventParts(_ channel: ChannelRow) -> JSON {
        let parts = counts(channel)
        parts.set(
            "channel",
            .object([
                "channel_url": .string(channel.url), "name": .string(channel.name),
                "cover_url": .string(channel.coverURL), "custom_type": .string(channel.customType),
                "data": .string(channel.data), "created_at": .int(channel.createdAt / 1000),
                "member_count": .int(channel.memberCount),
                "max_length_message": .int(Int64(options.maximumMessageLength)),
                "disappearing_message": .object([
                    "message_survival_seconds": .int(channel.survival), "is_triggered_by_message_read": false,
                ]),
            ]))
        return parts
    }

    public func tellInvitation(
        _ channel: ChannelRow, inviter: String, invitees: [UserRow], at now: Int64, _ broadcasts: inout [Broadcast]
    ) throws {
        guard !invitees.isEmpty else { return }
        let data = JSON.object([
            "inviter": inviter.isEmpty
                ? .null : try storage.users.user(inviter).map { SocketDialect.user($0.json) } ?? .null,
            "invitees": .array(try invitees.map { try member($0, channel) }), "invited_at": .int(now),
        ])
        for (key, value) in counts(channel).members ?? [] { data.set(key, value) }
        let frame = Frames.channelEvent(10020, channel, at: now, data, counts(channel))
        broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
    }

    /// A user with its part in a channel, in the socket's dialect.
    private func member(_ user: UserRow, _ channel: ChannelRow) throws -> JSON {
        let json = SocketDialect.user(user.json)
        let membership = try storage.members.membership(channel.id, user.id)
        json.set("state", .string((membership?.state ?? .gone).word))
        json.set("role", membership?.isOperator == true ? "operator" : "none")
        json.set("is_muted", .bool(membership?.isMuted(at: now) ?? false))
        if let joined = membership?.joinedAt, joined > 0 { json.set("joined_ts", .int(joined)) }
        return json
    }

    private func tellJoined(_ users: [UserRow], _ channel: ChannelRow, at now: Int64, _ broadcasts: inout [Broadcast])
        throws
    {
        let data = counts(channel)
        let joined = try users.map { user in
            let json = try member(user, channel)
            // Clients read the name of whoever brought the user in without asking whether there is one.
            let inviter = try storage.members.membership(channel.id, user.id)?.inviter ?? ""
            json.set(
                "inviter", SocketDialect.user(try (inviter.isEmpty ? user : storage.users.user(inviter) ?? user).json))
            return json
        }
        if joined.count == 1, let only = joined.first {
            for (key, value) in only.members ?? [] { data.set(key, value) }
        }
        data.set("users", .array(joined))
        data.set("joined_ts", .int(now))
        let frame = Frames.channelEvent(10000, channel, at: now, data, eventParts(channel))
        broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
    }

    /// An invited user joins, or any user joins a public channel.
    public func join(
        _ channel: ChannelRow, _ userID: String, accessCode: String, byInvitation: Bool, _ caller: Caller
    ) throws -> ChannelRow {
        let user = try activeUser(userID)
        let now = now
        if try chat.access.isBanned(userID, channel) { throw Refusal.banned() }
        if !byInvitation, channel.flags.contains(.joinBlocked), !caller.isAdmin {
            throw Refusal.unauthorized("only the administration lets users into this channel")
        }
        let known = try storage.members.membership(channel.id, userID)
        if known?.state == .joined { return channel }
        if byInvitation {
            guard known?.state == .invited else { throw Refusal.notMember() }
        } else if !channel.isPublic, known?.state != .invited {
            throw Refusal.unauthorized("the channel is not public")
        }
        guard channel.accessCode.isEmpty || channel.accessCode.isByteEqual(to: accessCode) else {
            throw Refusal.unauthorized("the access code is wrong")
        }
        var member = MembershipRow(channelID: channel.id, userID: userID, state: .joined)
        // A user who left as an operator and kept the status joins as an operator.
        member.isOperator = known?.isOperator ?? false
        if let known, known.state == .invited { member = known }
        member.state = .joined
        member.joinedAt = now
        begin(&member, channel, at: now)
        return try change { broadcasts in
            try storage.members.save(member, at: now)
            let changed = try recount(channel, at: now, &broadcasts)
            try tellJoined([user], changed, at: now, &broadcasts)
            return changed
        }
    }

    public func decline(_ channel: ChannelRow, _ userID: String) throws {
        guard var membership = try storage.members.membership(channel.id, userID), membership.state == .invited else {
            throw Refusal.notMember()
        }
        let user = try activeUser(userID)
        let now = now
        try change { broadcasts in
            let audience = try storage.audience(channel.id)
            let data = JSON.object([
                "inviter": try storage.users.user(membership.inviter).map { SocketDialect.user($0.json) } ?? .null,
                "invitee": SocketDialect.user(user.json),
            ])
            membership.state = .gone
            try storage.members.save(membership, at: now)
            let changed = try recount(channel, at: now, &broadcasts)
            for (key, value) in counts(changed).members ?? [] { data.set(key, value) }
            broadcasts.append(
                Broadcast(
                    frame: Frames.channelEvent(10022, changed, at: now, data, counts(changed)), users: audience))
        }
    }

    public func leave(_ channel: ChannelRow, _ ids: [String]?, keepsOperators: Bool = true) throws {
        let now = now
        try change { broadcasts in
            let audience = try storage.audience(channel.id)
            for id in ids ?? audience {
                guard var membership = try storage.members.membership(channel.id, id), membership.state != .gone else {
                    throw Refusal.notMember()
                }
                guard let user = try storage.users.user(id) else { throw Refusal.noUser() }
                let data = try member(user, channel)
                membership.state = .gone
                if !keepsOperators { membership.isOperator = false }
                try storage.members.save(membership, at: now)
                let changed = try recount(channel, at: now, &broadcasts)
                for (key, value) in counts(changed).members ?? [] { data.set(key, value) }
                let frame = Frames.channelEvent(10001, changed, at: now, data, eventParts(changed))
                broadcasts.append(Broadcast(frame: frame, users: audience, carriesUnread: true))
            }
        }
    }
}

extension Chat {
    public var members: MemberRules { MemberRules(chat: self) }
}
