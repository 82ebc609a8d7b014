import SyncJSON

/// What a parent tells of its replies, and replies of their parent.
public struct ThreadRules: ChatRules {
    let chat: Chat

    /// Counts a thread again after it grew or shrank, and tells.
    public func refresh(_ parentID: Int64, _ channel: ChannelRow, at now: Int64, _ broadcasts: inout [Broadcast])
        throws
    {
        guard var parent = try storage.messages.message(parentID) else { return }
        let thread = try storage.messages.thread(parentID)
        let info = JSON.object([
            "reply_count": .int(thread.count),
            "most_replies": .array(try thread.most.compactMap { try storage.users.user($0)?.json }),
            "last_replied_at": .int(thread.lastAt), "updated_at": .int(now),
        ])
        parent.threadInfo = info.serialized()
        try storage.messages.update(parent)
        try storage.changes.note(parent, isDeleted: false, at: now)
        let told = info.deepCopy()
        told.set("most_replies", .array((info["most_replies"]?.array ?? []).map(SocketDialect.user)))
        let frame = Frames.frame(
            "MTHD",
            .object([
                "channel_url": .string(channel.url), "channel_type": "group", "channel_id": .int(channel.id),
                "parent_message_id": .int(parentID), "thread_info": told, "ts": .int(now),
            ]))
        broadcasts.append(Broadcast(frame: frame, users: try storage.audience(channel.id)))
    }

    /// Replies have information about their parent, so they change when it does.
    func refreshParentInfo(of parent: MessageRow, at now: Int64) throws {
        guard parent.parentID == 0, parent.threadInfo != nil, let info = parent.infoForReplies else { return }
        try replaceParentInfo(parent.id, info, at: now)
    }

    func replaceParentInfo(_ parentID: Int64, _ info: [UInt8], at now: Int64) throws {
        for id in try storage.messages.replies(parentID) {
            guard var reply = try storage.messages.message(id) else { continue }
            reply.parentInfo = info
            try storage.messages.update(reply)
            try storage.changes.note(reply, isDeleted: false, at: now)
        }
    }
}

extension Chat {
    public var threads: ThreadRules { ThreadRules(chat: self) }
}
