import SyncJSON

extension Chat {
    // MARK: Coming

    /// Invites users. Those who accept invitations by themselves, which is what users do unless told otherwise, are in
    /// at once.
    func invite(_ channel: ChannelRow, _ ids: [String], inviter: String, _ caller: Caller) throws -> ChannelRow {
        try checkManaging(caller, channel, needsOperator: false)
        let now = now
        return try change { broadcasts in
            var invited: [UserRow] = []
            for id in ids {
                guard let user = try storage.user(id) else { throw APIError.noUser() }
                if let ban = try storage.ban(channel.id, id), ban.holds(at: now) { continue }
                if let known = try storage.membership(channel.id, id), known.state != .gone { continue }
                let isIn = user.acceptsInvitations
                var member = MembershipRow(channelID: channel.id, userID: id, state: isIn ? .joined : .invited)
                member.inviter = inviter
                member.invitedAt = now
                if isIn { member.joinedAt = now }
                begin(&member, channel, at: now)
                try storage.save(member, at: now)
                invited.append(user)
            }
            guard !invited.isEmpty else { return channel }
            let changed = try membersChanged(channel, at: now, &broadcasts)
            try tellInvitation(changed, inviter: inviter, invitees: invited, at: now, &broadcasts)
            let joined = invited.filter(\.acceptsInvitations)
            if !joined.isEmpty { try tellJoined(joined, changed, at: now, &broadcasts) }
            return changed
        }
    }

    /// A new member has read nothing and misses nothing.
    private func begin(_ member: inout MembershipRow, _ channel: ChannelRow, at now: Int64) {
        member.lastRead = 0
        member.readTotal = channel.countable
    }

    /// After members came or went: counts, changelog, and the frame that tells the counts.
    private func membersChanged(_ channel: ChannelRow, at now: Int64, _ broadcasts: inout [Broadcast]) throws
        -> ChannelRow
    {
        let counts = try storage.recountMembers(channel.id)
        try storage.touchChannel(channel.id, at: now)
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
        broadcasts.append(Broadcast(frame: frame, users: try storage.joinedMembers(channel.id)))
        return try storage.channel(id: channel.id) ?? channel
    }

    private func counts(_ channel: ChannelRow) -> JSON {
        .object(["member_count": .int(channel.memberCount), "joined_member_count": .int(channel.joinedCount)])
    }

    func tellInvitation(
        _ channel: ChannelRow, inviter: String, invitees: [UserRow], at now: Int64, _ broadcasts: inout [Broadcast]
    ) throws {
        guard !invitees.isEmpty else { return }
        let data = JSON.object([
            "inviter": inviter.isEmpty ? .null : try storage.user(inviter).map { SocketDialect.user($0.json) } ?? .null,
            "invitees": .array(try invitees.map { try member($0, channel) }), "invited_at": .int(now),
        ])
        for (key, value) in counts(channel).members ?? [] { data.set(key, value) }
        let frame = Frames.channelEvent(10020, channel, at: now, data, counts(channel))
        broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
    }

    /// A user with its part in a channel, in the socket's dialect.
    private func member(_ user: UserRow, _ channel: ChannelRow) throws -> JSON {
        let json = SocketDialect.user(user.json)
        let membership = try storage.membership(channel.id, user.id)
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
        let joined = try users.map { try member($0, channel) }
        if joined.count == 1, let only = joined.first {
            for (key, value) in only.members ?? [] { data.set(key, value) }
        }
        data.set("users", .array(joined))
        data.set("joined_ts", .int(now))
        let frame = Frames.channelEvent(10000, channel, at: now, data, counts(channel))
        broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
    }

    /// An invited user comes in, or anybody into a public channel.
    func join(_ channel: ChannelRow, _ userID: String, accessCode: String, byInvitation: Bool) throws -> ChannelRow {
        let user = try activeUser(userID)
        let now = now
        if let ban = try storage.ban(channel.id, userID), ban.holds(at: now) { throw APIError.banned() }
        let known = try storage.membership(channel.id, userID)
        if known?.state == .joined { return channel }
        if byInvitation {
            guard known?.state == .invited else { throw APIError.notMember() }
        } else if !channel.isPublic, known?.state != .invited {
            throw APIError.unauthorized("the channel is not public")
        }
        guard channel.accessCode.isEmpty || channel.accessCode == accessCode else {
            throw APIError.unauthorized("the access code is wrong")
        }
        var member = MembershipRow(channelID: channel.id, userID: userID, state: .joined)
        if let known, known.state == .invited { member = known }
        member.state = .joined
        member.joinedAt = now
        begin(&member, channel, at: now)
        return try change { broadcasts in
            try storage.save(member, at: now)
            let changed = try membersChanged(channel, at: now, &broadcasts)
            try tellJoined([user], changed, at: now, &broadcasts)
            return changed
        }
    }

    // MARK: Going

    func decline(_ channel: ChannelRow, _ userID: String) throws {
        guard var membership = try storage.membership(channel.id, userID), membership.state == .invited else {
            throw APIError.notMember()
        }
        let user = try activeUser(userID)
        let now = now
        try change { broadcasts in
            let audience = try storage.audience(channel.id)
            let data = JSON.object([
                "inviter": try storage.user(membership.inviter).map { SocketDialect.user($0.json) } ?? .null,
                "invitee": SocketDialect.user(user.json),
            ])
            membership.state = .gone
            try storage.save(membership, at: now)
            let changed = try membersChanged(channel, at: now, &broadcasts)
            for (key, value) in counts(changed).members ?? [] { data.set(key, value) }
            broadcasts.append(
                Broadcast(
                    frame: Frames.channelEvent(10022, changed, at: now, data, counts(changed)), users: audience))
        }
    }

    func leave(_ channel: ChannelRow, _ ids: [String]?, keepsOperators: Bool = false) throws {
        let now = now
        try change { broadcasts in
            let audience = try storage.audience(channel.id)
            for id in ids ?? audience {
                guard var membership = try storage.membership(channel.id, id), membership.state != .gone else {
                    throw APIError.notMember()
                }
                guard let user = try storage.user(id) else { throw APIError.noUser() }
                let data = try member(user, channel)
                membership.state = .gone
                if !keepsOperators { membership.isOperator = false }
                try storage.save(membership, at: now)
                let changed = try membersChanged(channel, at: now, &broadcasts)
                for (key, value) in counts(changed).members ?? [] { data.set(key, value) }
                broadcasts.append(
                    Broadcast(
                        frame: Frames.channelEvent(10001, changed, at: now, data, counts(changed)), users: audience))
            }
        }
    }

    // MARK: Hiding

    func hide(_ channel: ChannelRow, _ userID: String, hidesPrevious: Bool, unhidesByItself: Bool) throws -> Int64 {
        guard var membership = try storage.membership(channel.id, userID), membership.state != .gone else {
            throw APIError.notMember()
        }
        let now = now
        if hidesPrevious {
            let offset = max(now, channel.lastMessageAt + 1)
            clock.reach(offset)
            forget(&membership, channel, before: offset)
        } else {
            // What is hidden is not unread.
            membership.readTotal = channel.countable
            membership.ownUnread = 0
            membership.mentions = 0
        }
        membership.hidden = unhidesByItself ? .untilNewMessage : .always
        let hidden = membership
        try change { broadcasts in
            try storage.save(hidden, at: now)
            let data = JSON.object([
                "hide_previous_messages": .bool(hidesPrevious), "allow_auto_unhide": .bool(unhidesByItself),
            ])
            let extra = JSON.object(["ts_message_offset": .int(hidden.offset)])
            broadcasts.append(
                Broadcast(frame: Frames.channelEvent(13000, channel, at: now, data, extra), users: [userID]))
        }
        return membership.offset
    }

    func unhide(_ channel: ChannelRow, _ userID: String) throws {
        guard var membership = try storage.membership(channel.id, userID), membership.state != .gone else {
            throw APIError.notMember()
        }
        guard membership.hidden != .no else { return }
        membership.hidden = .no
        let now = now
        try change { broadcasts in
            try storage.save(membership, at: now)
            broadcasts.append(
                Broadcast(frame: Frames.channelEvent(13001, channel, at: now, .object()), users: [userID]))
        }
    }

    // MARK: Moderation

    /// Makes exactly these members operators, or adds and takes some away.
    func changeOperators(_ channel: ChannelRow, adding: [String] = [], removing: [String]? = [], _ caller: Caller)
        throws
    {
        try checkManaging(caller, channel, needsOperator: true)
        let now = now
        try change { broadcasts in
            var operators = try storage.operators(channel.id)
            if let removing { operators.removeAll { removing.contains($0) } } else { operators = [] }
            for id in adding where !operators.contains(id) { operators.append(id) }
            try setOperators(channel, to: operators, at: now, &broadcasts)
        }
    }

    func setOperators(_ channel: ChannelRow, to ids: [String], at now: Int64, _ broadcasts: inout [Broadcast]) throws {
        let before = Set(try storage.operators(channel.id))
        let after = Set(ids)
        guard before != after else { return }
        // In order: each save takes a change number, and a Set's order differs from run to run.
        for id in before.symmetricDifference(after).sorted() {
            guard var membership = try storage.membership(channel.id, id), membership.state != .gone else {
                throw APIError.notMember()
            }
            membership.isOperator = after.contains(id)
            try storage.save(membership, at: now)
            let role = JSON.object([
                "cat": 20100, "ts": .int(now),
                "data": .object([
                    "channel_url": .string(channel.url), "channel_type": "group",
                    "my_role": membership.isOperator ? "operator" : "none",
                ]),
            ])
            broadcasts.append(Broadcast(frame: Frames.frame("USEV", role), users: [id]))
        }
        try storage.touchChannel(channel.id, at: now)
        let users = try ids.compactMap { try storage.user($0) }.map { SocketDialect.user($0.json) }
        let frame = Frames.channelEvent(10002, channel, at: now, .object(["operators": .array(users)]))
        broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
    }

    /// Mutes a member for so many seconds (-1: for ever), or unmutes.
    func mute(_ channel: ChannelRow, _ userID: String, seconds: Int64, note: String, mutes: Bool, _ caller: Caller)
        throws
    {
        try checkManaging(caller, channel, needsOperator: true)
        guard var membership = try storage.membership(channel.id, userID), membership.state != .gone else {
            throw APIError.notMember()
        }
        guard let user = try storage.user(userID) else { throw APIError.noUser() }
        let now = now
        membership.mutedUntil = mutes ? Chat.end(now, seconds) : 0
        membership.mutedAt = mutes ? now : 0
        membership.muteNote = mutes ? note : ""
        let data = SocketDialect.user(user.json)
        if mutes { restrict(data, "muted", until: membership.mutedUntil, note, at: now) }
        try change { broadcasts in
            try storage.save(membership, at: now)
            try storage.touchChannel(channel.id, at: now)
            let frame = Frames.channelEvent(mutes ? 10201 : 10200, channel, at: now, data)
            broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
        }
    }

    /// When something of so many seconds ends; -1 is never.
    static func end(_ now: Int64, _ seconds: Int64) -> Int64 {
        seconds < 0 ? -1 : now &+ min(seconds, 1_000_000_000) &* 1000
    }

    private func restrict(_ user: JSON, _ type: String, until: Int64, _ note: String, at now: Int64) {
        user.set("description", .string(note))
        user.set("end_at", .int(until))
        user.set("remaining_duration", .int(until < 0 ? -1 : max(0, until - now)))
        user.set("restriction_type", .string(type))
    }

    /// Bans a user for so many seconds (-1: for ever), which ends the membership, or lifts the ban.
    func ban(_ channel: ChannelRow, _ userID: String, seconds: Int64, note: String, bans: Bool, _ caller: Caller) throws
    {
        try checkManaging(caller, channel, needsOperator: true)
        guard let user = try storage.user(userID) else { throw APIError.noUser() }
        let now = now
        let data = SocketDialect.user(user.json)
        try change { broadcasts in
            let audience = try storage.audience(channel.id)
            var told = channel
            if bans {
                let ban = Storage.Ban(userID: userID, until: Chat.end(now, seconds), bannedAt: now, note: note)
                try storage.save(ban, channel.id)
                restrict(data, "banned", until: ban.until, note, at: now)
                if var membership = try storage.membership(channel.id, userID), membership.state != .gone {
                    membership.state = .gone
                    membership.isOperator = false
                    try storage.save(membership, at: now)
                    told = try membersChanged(channel, at: now, &broadcasts)
                }
            } else {
                guard try storage.ban(channel.id, userID) != nil else {
                    throw APIError(400_201, "The user is not banned.", status: 404)
                }
                try storage.liftBan(channel.id, userID)
            }
            let frame = Frames.channelEvent(bans ? 10601 : 10600, told, at: now, data, counts(told))
            broadcasts.append(Broadcast(frame: frame, users: audience))
        }
    }

    // MARK: Blocks

    func block(_ blockerID: String, _ blockeeID: String, blocks: Bool) throws -> UserRow {
        let blocker = try activeUser(blockerID)
        guard let blockee = try storage.user(blockeeID) else { throw APIError.noUser() }
        let now = now
        try change { broadcasts in
            if blocks { try storage.block(blockerID, blockeeID) } else { try storage.unblock(blockerID, blockeeID) }
            let event = JSON.object([
                "cat": blocks ? 20001 : 20000, "ts": .int(now),
                "data": .object([
                    "blocker": SocketDialect.user(blocker.json), "blockee": SocketDialect.user(blockee.json),
                ]),
            ])
            broadcasts.append(Broadcast(frame: Frames.frame("USEV", event), users: [blockerID, blockeeID]))
        }
        return blockee
    }
}
