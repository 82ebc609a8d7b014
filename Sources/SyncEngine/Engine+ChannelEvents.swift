import SyncJSON
import SyncModel

extension Engine {
    func channelEvent(_ url: String, _ event: ChannelEvent) {
        switch event {
        case .removed(let source): return removeChannel(url, source: source)
        case .changed(let source): return refreshChannel(url, source: source)
        case .typing(let userID, let user, let isTyping): return typing(url, userID, user, isTyping: isTyping)
        case .patched, .read, .delivered, .hidden: break
        }
        guard let channel = cachedChannel(url) else { return refreshChannel(url, source: .eventChannelChanged) }
        switch event {
        case .patched(let source, let members): patchChannel(channel, members, source: source)
        case .read(let userID, let time):
            var members = [receipt("read_receipt", in: channel, [userID: time])]
            if userID == options.userID {
                members += Engine.nothingUnread + [ChannelPatch(key: "user_last_read", value: jsonText(time))]
            }
            patchChannel(channel, members, source: .eventReadStatusUpdated)
        case .delivered(let times):
            patchChannel(
                channel, [receipt("delivery_receipt", in: channel, times)], source: .eventDeliveryStatusUpdated)
        case .hidden(let allowsAutoUnhide, _, let offset):
            let state = allowsAutoUnhide ? "hidden_allow_auto_unhide" : "hidden_prevent_auto_unhide"
            var members = [
                ChannelPatch(key: "is_hidden", value: jsonText(true)),
                ChannelPatch(key: "hidden_state", value: jsonText(state)),
            ]
            if offset > channel.messageOffset {
                members.append(ChannelPatch(key: "ts_message_offset", value: jsonText(offset)))
                // What is before it is not there for this user any more, and so neither the last message nor unread.
                if let last = channel.lastMessage, last.createdAt < offset {
                    members += [ChannelPatch(key: "last_message", value: Array("null".utf8))] + Engine.nothingUnread
                }
            }
            patchChannel(channel, members, source: .eventChannelHidden)
        case .removed, .changed, .typing: break
        }
    }

    private static let nothingUnread = [
        ChannelPatch(key: "unread_message_count", value: jsonText(0)),
        ChannelPatch(key: "unread_mention_count", value: jsonText(0)),
    ]

    private func typing(_ url: String, _ userID: String, _ user: [UInt8], isTyping: Bool) {
        guard userID != options.userID else { return }
        guard isTyping else { return stoppedTyping(url, userID) }
        guard let channel = cachedChannel(url) else { return }
        if typing.begin(url, userID: userID, user: user, now: now.monotonic) {
            show(channel, source: .eventTypingStatusUpdated)
        }
        setTypingTimer()
    }

    /// Said by the service, or seen by the message that was typed.
    func stoppedTyping(_ url: String, _ userID: String) {
        if typing.end(url, userID: userID) { typingEnded([url]) }
    }

    /// Takes off who has not been heard of for too long.
    func typingExpired() { typingEnded(typing.expire(now: now.monotonic)) }

    private func typingEnded(_ urls: [String]) {
        for url in urls {
            if let channel = cachedChannel(url) { show(channel, source: .eventTypingStatusUpdated) }
        }
        setTypingTimer()
    }

    private func setTypingTimer() {
        if let expiry = typing.nextExpiry { timers.set(.typing, at: expiry) } else { timers.cancel(.typing) }
    }

    private func receipt(_ key: String, in channel: ChannelRecord, _ times: [String: Int64]) -> ChannelPatch {
        let receipts = (try? JSON.parse(channel.json))?[key].flatMap { $0.kind == .object ? $0 : nil } ?? .object()
        for userID in times.keys.sorted() {
            receipts.set(userID, .int(max(times[userID] ?? 0, receipts[userID]?.int ?? 0)))
        }
        return ChannelPatch(key: key, value: receipts.serialized())
    }

    /// A message reached a channel: its last message, its counts, and its place in every list follow.
    func channelGotMessage(_ url: String, _ message: MessageRecord) {
        guard let channel = cachedChannel(url) else {
            return refreshChannel(url, source: .eventMessageReceived)
        }
        guard message.position.createdAt >= channel.messageOffset else { return }
        guard channel.lastMessage.map({ $0 < message.position }) ?? true else { return }
        let isOwn = message.senderID == options.userID
        if message.isSilent, !isOwn { return }
        // Replies change neither last message nor counts, unless they are sent to the channel too.
        if message.parentID != 0, !message.isReplyToChannel { return }
        var members = [ChannelPatch(key: "last_message", value: message.json)]
        if !isOwn {
            let (count, overflow) = channel.unreadMessageCount.addingReportingOverflow(1)
            members.append(ChannelPatch(key: "unread_message_count", value: jsonText(overflow ? Int64.max : count)))
        }
        if channel.isHidden {
            let state = (try? JSON.parse(channel.json))?["hidden_state"]?.string
            if state != "hidden_prevent_auto_unhide" {
                members.append(ChannelPatch(key: "is_hidden", value: jsonText(false)))
                members.append(ChannelPatch(key: "hidden_state", value: jsonText("unhidden")))
            }
        }
        patchChannel(channel, members, source: isOwn ? .eventMessageSent : .eventMessageReceived)
    }
}
