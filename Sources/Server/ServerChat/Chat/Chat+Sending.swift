import ServerBase
import SyncBytes
import SyncJSON

extension Chat {
    /// The outcome of a send.
    public struct Sent {
        public let message: MessageRow
        /// The frame that told of it, without a request id.
        public let frame: [UInt8]
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
            if let ban = try storage.bans.ban(channel.id, caller.userID), ban.holds(at: now) { throw Refusal.banned() }
            throw Refusal.notMember()
        }
        if try mute(member, channel) != nil { throw Refusal(900_041, "Muted in this channel.", status: 403) }
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

    /// Stores a message and tells the members of it. The caller's own socket gets the acknowledgement.
    ///
    /// The same request id of the same user in a channel gives the first message again. Older clients count their
    /// requests from one at each start, so a number only counts as the same within ten minutes and for the same text.
    ///
    /// With `tells` false the caller of this function tells the members itself.
    public func send(_ input: MessageInput, _ caller: Caller, _ channel: ChannelRow, tells: Bool = true) throws -> Sent
    {
        let requestKey =
            input.dedupID.map { "d" + $0 }
            ?? input.requestID.flatMap { id -> String? in
                id.string.map { $0.isEmpty ? nil : "s" + $0 } ?? id.int.map { "n\($0)" }
            }
        let hasName = !caller.userID.isEmpty || input.dedupID != nil
        if let requestKey, hasName, let earlier = try storage.requests.sent(channel.id, caller.userID, requestKey) {
            let isNumber = requestKey.hasPrefix("n")
            if let message = try storage.messages.message(earlier.messageID) {
                let isSame =
                    !isNumber
                    || now.subtractingClamped(earlier.at) < 600_000
                        && ((try? JSON.parse(message.json))?["message"]?.string).isByteEqual(to: input.text)
                if isSame, refusesRepeats { throw Refusal.exists("\"req_id\"") }
                if isSame { return Sent(message: message, frame: try messageFrame(message)) }
            } else if !isNumber {
                throw Refusal.noMessage()
            }
        }
        try checkSending(caller, channel)
        let sender = caller.userID.isEmpty ? nil : try activeUser(caller.userID)
        let now = now
        let sent = try change { broadcasts -> Sent in
            let (message, json) = try store(input, sender, channel, at: now)
            if let requestKey, hasName {
                try storage.requests.noteSent(channel.id, caller.userID, requestKey, message.id, at: now)
            }
            // The document lacks the parts that are stored beside it.
            let isWhole = message.metaarray == nil && message.parentInfo == nil
            let frame = try messageFrame(message, known: isWhole ? json : nil)
            if tells {
                broadcasts.append(
                    Broadcast(
                        frame: frame, users: try listeners(of: channel, sender: message.sender), except: caller.socket,
                        carriesUnread: true))
            }
            if message.parentID > 0 { try refreshThread(message.parentID, channel, at: now, &broadcasts) }
            if input.pins { try setPinned(Chat.pinned(channel) + [message.id], channel, at: now, &broadcasts) }
            return Sent(message: message, frame: frame)
        }
        if input.marksAsRead, let sender, try storage.members.membership(channel.id, sender.id)?.state == .joined {
            try markRead(Caller(userID: sender.id), channel.id)
        }
        return sent
    }

    /// Writes a message and what follows from it for the channel and its members.
    public func store(_ input: MessageInput, _ sender: UserRow?, _ channel: ChannelRow, at now: Int64) throws
        -> (row: MessageRow, json: JSON)
    {
        let createdAt = input.createdAt ?? now
        // A message older than the newest one is history: it does not become the last message, and is unread for
        // nobody.
        let isHistory = input.isHistory || createdAt < channel.lastMessageAt
        var message = MessageRow(
            channelID: channel.id, createdAt: createdAt, id: storage.nextMessageID(), kind: input.kind,
            customType: input.customType, sender: sender?.id ?? "", parentID: input.parentID,
            isInChannel: input.parentID == 0 || input.isReplyToChannel, isCountable: false, json: [])
        message.isCountable = !input.isSilent && !isHistory && counts(message, settings.unreadThreading)
        if input.parentID > 0 {
            guard let parent = try storage.messages.message(input.parentID, in: channel.id) else {
                throw Refusal.noMessage()
            }
            guard parent.parentID == 0 else { throw Refusal.invalid("parent_message_id", "it is a reply itself") }
            message.parentInfo = Chat.parentInfo(parent)
        }
        let isOperator = try sender.flatMap { try storage.members.membership(channel.id, $0.id)?.isOperator } ?? false
        let json = try document(input, message, sender, isOperator, channel)
        if input.pollID > 0 { json.set("poll", try attachPoll(input.pollID, to: message, channel)) }
        message.json = json.serialized()
        message.metaarray = input.metaarray?.serialized()
        try storage.messages.insert(message)
        if message.isCountable {
            try storage.channels.addCountable(channel.id, 1)
            if createdAt < now { try storage.members.countAsRead(channel.id, at: createdAt) }
            if let sender { try storage.members.countOwn(channel.id, sender.id) }
        }
        if createdAt >= channel.lastMessageAt, isLastMessage(input, message) {
            try storage.channels.setLastMessage(channel.id, message.id, createdAt)
        } else if input.isSilent, sender != nil, counts(message, settings.lastMessageThreading) {
            try storage.members.noteSilent(message)
        }
        // Nobody has read a new message, so its mentions count for all whom it mentions.
        let mentions = Mentions(json)
        if message.isCountable, !mentions.isNobody {
            try storage.members.countMentions(message, mentions, by: 1, before: .max)
        }
        if !isHistory { try storage.members.unhideForNews(channel.id) }
        if channel.survival >= 0 { expireLater() }
        try storage.channels.touch(channel.id, at: now)
        return (message, json)
    }

    private func counts(_ message: MessageRow, _ policy: ThreadingPolicy) -> Bool {
        policy.counts(isReply: message.parentID > 0, isInChannel: message.isInChannel)
    }

    /// Whether a message may be its channel's last one. `Storage.recallLastMessage` has the same rule for stored
    /// messages.
    private func isLastMessage(_ input: MessageInput, _ message: MessageRow) -> Bool {
        (!input.isSilent || input.updatesLastMessage) && counts(message, settings.lastMessageThreading)
    }

    /// The message in REST shape, without the parts that are stored apart.
    private func document(
        _ input: MessageInput, _ message: MessageRow, _ sender: UserRow?, _ isOperator: Bool, _ channel: ChannelRow
    ) throws -> JSON {
        let json = JSON.object([
            "message_id": .int(message.id), "type": .string(message.kind.rawValue), "channel_url": .string(channel.url),
            "channel_type": "group", "message": .string(input.text), "data": .string(input.data),
            "custom_type": .string(input.customType), "created_at": .int(message.createdAt), "updated_at": 0,
        ])
        if let sender {
            let user = sender.json
            user.set("role", isOperator ? "operator" : "none")
            user.set("is_blocked_by_me", false)
            json.set("user", user)
        }
        if let id = input.requestID, let text = id.string ?? id.int.map({ String($0) }), !text.isEmpty {
            json.set("req_id", .string(text))
        }
        json.set("mention_type", .string(input.mentionType))
        json.set("mentioned_users", .array(try input.mentionedIDs.compactMap { try storage.users.user($0)?.json }))
        json.set("mentioned_user_ids", .strings(input.mentionedIDs))
        json.set("silent", .bool(input.isSilent))
        json.set("is_op_msg", .bool(isOperator))
        json.set("is_removed", false)
        json.set("message_survival_seconds", .int(channel.survival))
        json.set("message_retention_hour", -1)
        json.set("translations", input.translations)
        json.set(
            "message_events",
            .object([
                "send_push_notification": input.sendsPush ? "receivers" : "none",
                "update_unread_count": .bool(message.isCountable),
                "update_mention_count": .bool(message.isCountable),
                "update_last_message": .bool(isLastMessage(input, message)),
            ]))
        json.set("force_update_last_message", .bool(input.updatesLastMessage))
        if input.parentID > 0 {
            json.set("parent_message_id", .int(input.parentID))
            json.set("is_reply_to_channel", .bool(input.isReplyToChannel))
        }
        if let file = input.file {
            json.set("file", file)
            json.set("thumbnails", input.thumbnails ?? .array())
            json.set("require_auth", .bool(input.requiresAuth))
        }
        if let files = input.files { json.set("files", files) }
        for (key, value) in input.extras { json.set(key, value) }
        return json
    }

    /// The information about its parent that a reply carries.
    public static func parentInfo(_ parent: MessageRow) -> [UInt8]? {
        guard let json = try? JSON.parse(parent.json) else { return nil }
        let info = JSON.object(["type": .string(parent.kind.rawValue), "ts": .int(parent.createdAt)])
        for key in ["message", "user", "file", "files", "custom_type"] {
            if let value = json[key] { info.set(key, value) }
        }
        return info.serialized()
    }

    /// The frame that tells of a message.
    public func messageFrame(_ message: MessageRow, known: JSON? = nil) throws -> [UInt8] {
        let body = SocketDialect.message(message, known: known)
        if let previous = try storage.messages.before(message.channelID, message.createdAt, message.id) {
            body.set("previous_message_id", .int(previous))
        }
        return Frames.frame(message.kind.rawValue, body)
    }

    /// Counts a thread again after it grew or shrank, and tells.
    public func refreshThread(_ parentID: Int64, _ channel: ChannelRow, at now: Int64, _ broadcasts: inout [Broadcast])
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
}
