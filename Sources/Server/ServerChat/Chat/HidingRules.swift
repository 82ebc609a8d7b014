import ServerBase
import SyncJSON

/// Channels and histories that a member hides for itself.
public struct HidingRules: ChatRules {
    let chat: Chat

    public func hide(_ channel: ChannelRow, _ userID: String, hidesPrevious: Bool, unhidesByItself: Bool) throws
        -> Int64
    {
        var membership = try chat.access.ownMembership(userID, in: channel)
        let now = now
        if hidesPrevious {
            let offset = max(now, (channel.lastMessage(of: membership)?.at ?? 0) + 1)
            chat.clock.reach(offset)
            forget(&membership, channel, before: offset)
        } else {
            // Messages of a channel that is hidden now do not count as unread.
            membership.readTotal = channel.countable
            membership.ownUnread = 0
            membership.mentions = 0
        }
        membership.hidden = unhidesByItself ? .untilNewMessage : .always
        let hidden = membership
        try change { broadcasts in
            try storage.members.save(hidden, at: now)
            let data = JSON.object([
                "hide_previous_messages": .bool(hidesPrevious), "allow_auto_unhide": .bool(unhidesByItself),
            ])
            let extra = JSON.object(["ts_message_offset": .int(hidden.offset)])
            broadcasts.append(
                Broadcast(
                    frame: Frames.channelEvent(13000, channel, at: now, data, extra), users: [userID],
                    carriesUnread: true))
        }
        return membership.offset
    }

    public func unhide(_ channel: ChannelRow, _ userID: String) throws {
        var membership = try chat.access.ownMembership(userID, in: channel)
        guard membership.hidden != .no else { return }
        membership.hidden = .no
        let now = now
        try change { broadcasts in
            try storage.members.save(membership, at: now)
            broadcasts.append(
                Broadcast(frame: Frames.channelEvent(13001, channel, at: now, .object()), users: [userID]))
        }
    }

    /// Hides all messages until now from the member who calls.
    public func resetHistory(_ caller: Caller, _ channel: ChannelRow) throws -> Int64 {
        var member = try chat.access.joinedMembership(caller.userID, in: channel)
        let offset = max(now, (channel.lastMessage(of: member)?.at ?? 0) + 1)
        chat.clock.reach(offset)
        forget(&member, channel, before: offset)
        try change { _ in try storage.members.save(member, at: offset) }
        return offset
    }

    /// Messages before a time are not shown to the member any more, and do not count.
    private func forget(_ member: inout MembershipRow, _ channel: ChannelRow, before offset: Int64) {
        member.offset = offset
        member.lastRead = max(member.lastRead, offset)
        member.readTotal = channel.countable
        member.ownUnread = 0
        member.mentions = 0
    }
}

extension Chat {
    public var hiding: HidingRules { HidingRules(chat: self) }
}
