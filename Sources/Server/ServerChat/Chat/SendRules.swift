import ServerBase
import SyncBytes
import SyncJSON

/// Messages that are sent.
public struct SendRules: ChatRules {
    let chat: Chat

    /// Stores a message and tells the members of it. The caller's own socket gets the acknowledgement.
    ///
    /// The same request id of the same user in a channel gives the first message again. Older clients count their
    /// requests from one at each start, so a number only counts as the same within ten minutes and for the same text.
    ///
    /// With `tells` false the caller of this function tells the members itself.
    public func send(_ input: MessageInput, _ caller: Caller, _ channel: ChannelRow, tells: Bool = true) throws
        -> SentMessage
    {
        let requestKey = requestKey(input, caller)
        if let requestKey, let earlier = try earlier(requestKey, input, caller, channel) { return earlier }
        try chat.access.checkSending(caller, channel)
        let sender = caller.userID.isEmpty ? nil : try activeUser(caller.userID)
        let now = now
        let sent = try change { broadcasts -> SentMessage in
            let (message, json) = try store(input, sender, channel, at: now)
            if let requestKey {
                try storage.requests.noteSent(channel.id, caller.userID, requestKey, message.id, at: now)
            }
            // The document lacks the parts that are stored beside it.
            let isWhole = message.metaarray == nil && message.parentInfo == nil
            let frame = try messageFrame(message, known: isWhole ? json : nil)
            if tells {
                broadcasts.append(
                    Broadcast(
                        frame: frame, users: try chat.access.listeners(of: channel, sender: message.sender),
                        except: caller.socket,
                        carriesUnread: true))
            }
            if message.parentID > 0 { try chat.threads.refresh(message.parentID, channel, at: now, &broadcasts) }
            if input.pins { try chat.pins.set(channel.pinnedIDs + [message.id], channel, at: now, &broadcasts) }
            return SentMessage(message: message, frame: frame)
        }
        if input.marksAsRead, let sender, try storage.members.membership(channel.id, sender.id)?.state == .joined {
            try chat.reading.markRead(Caller(userID: sender.id), channel.id)
        }
        return sent
    }

    /// The name by which a repeat of a request is known; `nil` when it has none.
    private func requestKey(_ input: MessageInput, _ caller: Caller) -> String? {
        if let id = input.dedupID { return "d" + id }
        guard !caller.userID.isEmpty, let id = input.requestID else { return nil }
        return id.string.map { $0.isEmpty ? nil : "s" + $0 } ?? id.int.map { "n\($0)" }
    }

    /// The message that the same request made before.
    private func earlier(_ requestKey: String, _ input: MessageInput, _ caller: Caller, _ channel: ChannelRow) throws
        -> SentMessage?
    {
        guard let earlier = try storage.requests.sent(channel.id, caller.userID, requestKey) else { return nil }
        let isNumber = requestKey.hasPrefix("n")
        guard let message = try storage.messages.message(earlier.messageID) else {
            if isNumber { return nil }
            throw Refusal.noMessage()
        }
        let isSame =
            !isNumber
            || now.subtractingClamped(earlier.at) < 600_000
                && ((try? JSON.parse(message.json))?["message"]?.string).isByteEqual(to: input.text)
        guard isSame else { return nil }
        if chat.refusesRepeats { throw Refusal.exists("\"req_id\"") }
        return SentMessage(message: message, frame: try messageFrame(message))
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
            message.parentInfo = parent.infoForReplies
        }
        let isOperator = try sender.flatMap { try storage.members.membership(channel.id, $0.id)?.isOperator } ?? false
        let json = try document(input, message, sender, isOperator, channel)
        if input.pollID > 0 { json.set("poll", try chat.polls.attach(input.pollID, to: message, channel)) }
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
        if channel.survival >= 0 { chat.dueTimer.expireLater() }
        try storage.channels.touch(channel.id, at: now)
        return (message, json)
    }

    private func counts(_ message: MessageRow, _ policy: ThreadingPolicy) -> Bool {
        policy.counts(isReply: message.parentID > 0, isInChannel: message.isInChannel)
    }

    /// Whether a message may be its channel's last one. `MessageTable.recallLastMessage` has the same rule for stored
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
        setParts(input, of: json)
        return json
    }

    /// Sets what only some messages have.
    private func setParts(_ input: MessageInput, of json: JSON) {
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
    }

    /// The frame that tells of a message.
    public func messageFrame(_ message: MessageRow, known: JSON? = nil) throws -> [UInt8] {
        let body = SocketDialect.message(message, known: known)
        if let previous = try storage.messages.before(message.channelID, message.createdAt, message.id) {
            body.set("previous_message_id", .int(previous))
        }
        return Frames.frame(message.kind.rawValue, body)
    }

    /// Adds a message that was sent by another service, at the place of its time. Nobody is told.
    public func addHistory(_ input: MessageInput, _ senderID: String, _ channel: ChannelRow) throws {
        if let key = input.dedupID, try storage.requests.sent(channel.id, senderID, "d" + key) != nil { return }
        let sender = senderID.isEmpty ? nil : try storage.users.user(senderID)
        let message = try store(input, sender, channel, at: now).row
        if let key = input.dedupID {
            try storage.requests.noteSent(channel.id, senderID, "d" + key, message.id, at: now)
        }
    }
}

extension Chat {
    public var sending: SendRules { SendRules(chat: self) }
}
