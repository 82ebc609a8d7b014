import ServerBase
import SyncJSON

/// Pinned messages.
public struct PinRules: ChatRules {
    let chat: Chat

    public func pin(_ id: Int64, _ caller: Caller, _ channel: ChannelRow, adds: Bool) throws {
        try chat.access.checkManaging(caller, channel, needsOperator: false)
        guard try storage.messages.message(id, in: channel.id) != nil else { throw Refusal.noMessage() }
        var pinned = channel.pinnedIDs
        pinned.removeAll { $0 == id }
        if adds { pinned.append(id) }
        let now = now
        try change { try set(pinned, channel, at: now, &$0) }
    }

    public func set(_ pinned: [Int64], _ channel: ChannelRow, at now: Int64, _ broadcasts: inout [Broadcast])
        throws
    {
        var changed = channel
        let ids = JSON.array(pinned.map { .int($0) })
        changed.pinned = ids.serialized()
        try storage.channels.update(changed)
        try storage.channels.touch(channel.id, at: now)
        let data = JSON.object()
        if let last = pinned.last, let message = try storage.messages.message(last) {
            data.set("pinned_message_ids", ids)
            data.set("latest_pinned_message", SocketDialect.message(message))
        }
        broadcasts.append(
            Broadcast(
                frame: Frames.channelEvent(11300, channel, at: now, data), users: try storage.audience(channel.id))
        )
    }
}

extension Chat {
    public var pins: PinRules { PinRules(chat: self) }
}
