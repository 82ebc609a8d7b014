import ServerBase
import SyncBytes
import SyncJSON

extension Chat {
    /// Refuses a user who may not see what is in a channel: members may, and in public channels everybody may.
    @discardableResult
    public func checkReading(_ caller: Caller, _ channel: ChannelRow) throws -> MembershipRow? {
        if caller.isAdmin {
            return caller.userID.isEmpty ? nil : try storage.members.membership(channel.id, caller.userID)
        }
        let member = try storage.members.membership(channel.id, caller.userID)
        if let member, member.state != .gone { return member }
        if let ban = try storage.bans.ban(channel.id, caller.userID), ban.holds(at: now) { throw Refusal.banned() }
        guard channel.isPublic else { throw Refusal.notMember() }
        return nil
    }

    /// The caller as a reader of a channel; refused when the caller may not see what is in the channel.
    public func reader(_ caller: Caller, _ channel: ChannelRow) throws -> Reader {
        Reader(channel: channel, membership: try checkReading(caller, channel))
    }

    /// Marks everything so far as read by a member. Returns the frame that told this.
    @discardableResult
    public func markRead(_ caller: Caller, _ channelID: Int64, uniqueID: String? = nil) throws -> [UInt8] {
        guard let channel = try storage.channels.channel(id: channelID), !channel.isDeleted else {
            throw Refusal.noChannel()
        }
        guard let member = try storage.members.membership(channel.id, caller.userID), member.state == .joined else {
            throw Refusal.notMember()
        }
        let time = max(now, channel.lastMessageAt)
        let user = try activeUser(caller.userID)
        return try change { broadcasts in
            try storage.members.markRead(channel.id, member.userID, at: time, total: channel.countable)
            try storage.channels.touch(channel.id, at: time)
            let frame = readFrame(channel, user, at: time, uniqueID: uniqueID)
            broadcasts.append(
                Broadcast(
                    frame: frame, users: try storage.audience(channel.id), except: caller.socket,
                    carriesUnread: true))
            return frame
        }
    }

    private func readFrame(
        _ channel: ChannelRow, _ user: UserRow, at time: Int64, isExcluded: Bool = false, uniqueID: String? = nil
    ) -> [UInt8] {
        let body = JSON.object([
            "channel_url": .string(channel.url), "channel_type": "group", "channel_id": .int(channel.id),
            "user": SocketDialect.user(user.json), "ts": .int(time), "sts": .int(time),
        ])
        if isExcluded { body.set("is_excluded", true) }
        if let uniqueID { body.set("unique_id", .string(uniqueID)) }
        return Frames.frame("READ", body)
    }

    /// Everything from a message on becomes unread again for a member.
    public func markUnread(_ caller: Caller, _ channel: ChannelRow, from messageID: Int64, uniqueID: String?) throws
        -> MembershipRow
    {
        guard var member = try storage.members.membership(channel.id, caller.userID), member.state == .joined else {
            throw Refusal.notMember()
        }
        guard let message = try storage.messages.message(messageID, in: channel.id) else { throw Refusal.noMessage() }
        let user = try activeUser(caller.userID)
        let counts = try storage.messages.countables(channel.id, from: message.createdAt, by: caller.userID)
        member.lastRead = message.createdAt - 1
        member.readTotal = channel.countable - counts.all
        member.ownUnread = counts.own
        member.mentions = counts.mentions
        let now = now
        try change { broadcasts in
            try storage.members.save(member, at: now)
            try storage.channels.touch(channel.id, at: now)
            let frame = readFrame(channel, user, at: member.lastRead, isExcluded: true, uniqueID: uniqueID)
            broadcasts.append(
                Broadcast(frame: frame, users: try storage.audience(channel.id), carriesUnread: true))
        }
        return member
    }

    /// A member has received messages up to a time. This is told a moment later, together with marks of other members.
    public func markDelivered(_ caller: Caller, _ channel: ChannelRow, at time: Int64) throws {
        guard let member = try storage.members.membership(channel.id, caller.userID), member.state == .joined else {
            throw Refusal.notMember()
        }
        let time = min(max(time, 0), now)
        guard time > max(member.delivered, delivered[channel.id]?[caller.userID] ?? 0) else { return }
        finally { [self] in
            delivered[channel.id, default: [:]][caller.userID] = time
            guard !isTellingDeliveries else { return }
            isTellingDeliveries = true
            timers.after(30) { [weak self] in self?.tellDeliveries() }
        }
    }

    /// A member has received a message. Nothing happens, without an error, when the message is gone by now or the user
    /// is only invited: no caller waits for the outcome.
    public func markDelivered(_ caller: Caller, _ channel: ChannelRow, message id: Int64) throws {
        guard let message = try storage.messages.message(id, in: channel.id),
            try storage.members.membership(channel.id, caller.userID)?.state == .joined
        else { return }
        try markDelivered(caller, channel, at: message.createdAt)
    }

    /// Stores and tells the delivery marks that have gathered.
    public func tellDeliveries() {
        isTellingDeliveries = false
        let gathered = delivered
        delivered = [:]
        // In order: each channel takes a change number, and a Dictionary's order differs from run to run.
        for (channelID, marks) in gathered.sorted(by: { $0.key < $1.key }) {
            do {
                guard let channel = try storage.channels.channel(id: channelID), !channel.isDeleted else { continue }
                let now = now
                try change { broadcasts in
                    let updated = JSON.object()
                    for (user, time) in marks.sorted()
                    where try storage.members.markDelivered(channelID, user, at: time) {
                        updated.set(user, .int(time))
                    }
                    guard updated.count > 0 else { return }
                    try storage.channels.touch(channelID, at: now)
                    let frame = Frames.frame(
                        "DLVR",
                        .object([
                            "channel_url": .string(channel.url), "channel_type": "group",
                            "channel_id": .int(channel.id),
                            "updated": updated, "ts": .int(now),
                        ]))
                    broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channelID)))
                }
            } catch {
                Log.failure("delivery marks could not be stored", error)
            }
        }
    }

    /// Tells that a member started or stopped typing.
    public func typing(_ caller: Caller, _ channel: ChannelRow, starts: Bool) throws {
        guard let member = try storage.members.membership(channel.id, caller.userID), member.state == .joined else {
            throw Refusal.notMember()
        }
        guard let user = try storage.users.user(caller.userID) else { throw Refusal.noUser() }
        let frame = Frames.channelEvent(starts ? 10900 : 10901, channel, at: now, SocketDialect.user(user.json))
        let others = try storage.audience(channel.id).filter { !$0.isByteEqual(to: member.userID) }
        tell(Broadcast(frame: frame, users: others))
    }

    // MARK: Counts

    /// A user's unread counts of all channels, in the shape in which commands carry them.
    public func unreadCounts(_ userID: String) throws -> JSON {
        document(try storage.totals.total(of: userID), at: now)
    }

    private func document(_ total: UnreadTotals.Total, at now: Int64) -> JSON {
        let types = JSON.object()
        // Types with nothing unread too: a client may hold an older number.
        for part in total.parts { types.set(part.type, .int(part.count)) }
        return .object(["all": .int(total.all), "feed": 0, "custom_types": types, "ts": .int(now)])
    }

    /// A frame to which a user's unread counts are added.
    public func withUnread(_ frame: [UInt8], _ userID: String) -> [UInt8] {
        do {
            return Frames.adding("unread_cnt", try unreadCounts(userID).serialized(), to: frame)
        } catch {
            Log.failure("unread messages could not be counted", error)
            return frame
        }
    }

    /// Sends a broadcast to each user together with the user's unread counts.
    public func sendWithUnread(_ broadcast: Broadcast) {
        let now = now
        // Most members of a busy channel have the same total, and one frame will do for them.
        var last: (total: UnreadTotals.Total, frame: [UInt8])?
        for user in broadcast.users {
            let sockets = hub.sockets(of: user)
            if sockets.isEmpty { continue }
            var frame = broadcast.frame
            do {
                let total = try storage.totals.total(of: user)
                if let last, last.total == total {
                    frame = last.frame
                } else {
                    frame = Frames.adding("unread_cnt", document(total, at: now).serialized(), to: frame)
                    last = (total, frame)
                }
            } catch {
                Log.failure("unread messages could not be counted", error)
            }
            for socket in sockets where socket !== broadcast.except { socket.send(frame) }
        }
    }

    /// Hides all messages until now from the member who calls.
    public func resetHistory(_ caller: Caller, _ channel: ChannelRow) throws -> Int64 {
        guard var member = try storage.members.membership(channel.id, caller.userID), member.state == .joined else {
            throw Refusal.notMember()
        }
        let offset = max(now, (channel.lastMessage(of: member)?.at ?? 0) + 1)
        clock.reach(offset)
        forget(&member, channel, before: offset)
        try change { _ in try storage.members.save(member, at: offset) }
        return offset
    }

    /// Messages before a time are not shown to the member any more, and do not count.
    public func forget(_ member: inout MembershipRow, _ channel: ChannelRow, before offset: Int64) {
        member.offset = offset
        member.lastRead = max(member.lastRead, offset)
        member.readTotal = channel.countable
        member.ownUnread = 0
        member.mentions = 0
    }
}
