import ServerBase
import SyncBytes
import SyncJSON

/// What members have read and received, and that they type.
public struct ReadingRules: ChatRules {
    let chat: Chat

    /// Marks everything so far as read by a member. Returns the frame that told this.
    @discardableResult
    public func markRead(_ caller: Caller, _ channelID: Int64, uniqueID: String? = nil) throws -> [UInt8] {
        guard let channel = try storage.channels.channel(id: channelID), !channel.isDeleted else {
            throw Refusal.noChannel()
        }
        let member = try chat.access.joinedMembership(caller.userID, in: channel)
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
        var member = try chat.access.joinedMembership(caller.userID, in: channel)
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
        let member = try chat.access.joinedMembership(caller.userID, in: channel)
        let time = min(max(time, 0), now)
        guard time > max(member.delivered, chat.delivered[channel.id]?[caller.userID] ?? 0) else { return }
        finally { [self] in
            chat.delivered[channel.id, default: [:]][caller.userID] = time
            guard !chat.isTellingDeliveries else { return }
            chat.isTellingDeliveries = true
            chat.timers.after(30) { [weak chat] in chat?.reading.tellDeliveries() }
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
        chat.isTellingDeliveries = false
        let gathered = chat.delivered
        chat.delivered = [:]
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
        let member = try chat.access.joinedMembership(caller.userID, in: channel)
        guard let user = try storage.users.user(caller.userID) else { throw Refusal.noUser() }
        let frame = Frames.channelEvent(starts ? 10900 : 10901, channel, at: now, SocketDialect.user(user.json))
        let others = try storage.audience(channel.id).filter { !$0.isByteEqual(to: member.userID) }
        tell(Broadcast(frame: frame, users: others))
    }
}

extension Chat {
    public var reading: ReadingRules { ReadingRules(chat: self) }
}
