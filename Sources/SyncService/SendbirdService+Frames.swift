import SyncJSON
import SyncModel

extension SendbirdService {
    /// Reads a socket message: one or more commands, each four letters and a JSON object, one to a line. What cannot be
    /// read counts as a sign of life and nothing else.
    public mutating func decode(frame: [UInt8]) -> [ServiceEvent] {
        var events: [ServiceEvent] = []
        for line in LoneSurrogates.replaced(in: frame).split(separator: 0x0A) where line.count >= 4 {
            let command = String(decoding: line.prefix(4), as: UTF8.self)
            let rest = Array(line.dropFirst(4))
            let document = rest.isEmpty ? JSON.object() : try? JSON.parse(rest)
            guard let document, document.kind == .object else {
                events.append(.pong)
                continue
            }
            events += decode(command, document)
        }
        return events
    }

    private mutating func decode(_ command: String, _ body: JSON) -> [ServiceEvent] {
        let requestID = body["req_id"]?.string ?? ""
        if command == "EROR" || body["error"]?.bool == true { return failed(command, body, requestID) }
        switch command {
        case "LOGI": return loggedIn(body, isRenewal: !requestID.isEmpty)
        case "MCNT": return memberCounts(body)
        case "USEV": return userEvent(body)
        case "EXPR":
            if (body["expires_in"]?.int ?? 0) < 0 || body["reason"]?.int == 400_310 { return [.tokenRevoked] }
            return [.sessionExpired]
        case "BUSY":
            let seconds = min(max(body["retry_after"]?.double ?? 0, 0), 86_400)
            return [.busy(retryAfter: Int64(seconds * 1000))]
        default: break
        }
        // An acknowledgement is told by its request id; its channel is known to who waits for it.
        if !requestID.isEmpty, SendbirdService.messageCommands.contains(command) {
            guard let message = MessageCodec.record(socket: body, command: command) else { return [.pong] }
            return [.reply(requestID: requestID, .message(message))]
        }
        // Open channels are not cached, and without a channel there is nothing to change.
        guard let url = body["channel_url"]?.string, !url.isEmpty, body["channel_type"]?.string != "open" else {
            return [.pong]
        }
        return decode(command, body, url)
    }

    private static let messageCommands: Set<String> = ["MESG", "FILE", "ADMM", "BRDM"]

    /// The commands about a channel and its messages.
    private func decode(_ command: String, _ body: JSON, _ url: String) -> [ServiceEvent] {
        switch command {
        case "MESG", "FILE", "ADMM", "BRDM":
            guard let message = MessageCodec.record(socket: body, command: command) else { return [.pong] }
            return [.messageReceived(channelURL: url, message: message)]
        case "MEDI", "FEDI", "AEDI":
            guard let message = MessageCodec.record(socket: body, command: command) else { return [.pong] }
            return [.messageUpdated(channelURL: url, message: message)]
        case "DELM":
            guard let id = body["msg_id"]?.int ?? body["message_id"]?.int else { return [.pong] }
            return [.messageDeleted(channelURL: url, messageID: id)]
        case "MRCT":
            guard let id = body["msg_id"]?.int ?? body["message_id"]?.int, let key = body["reaction"]?.string,
                let user = identifier(body)
            else { return [.pong] }
            return [.reaction(channelURL: url, MessageReaction(
                messageID: id, key: key, userID: user, isAdded: body["operation"]?.string == "ADD",
                updatedAt: body["updated_at"]?.int ?? 0))]
        case "MTHD":
            guard let id = body["parent_message_id"]?.int, let info = body["thread_info"], info.kind == .object
            else { return [.pong] }
            return [.threadInfo(channelURL: url, messageID: id, json: info.serialized())]
        case "READ":
            guard let user = body["user"].flatMap(identifier) ?? identifier(body), let time = body["ts"]?.int
            else { return [.pong] }
            // Marked as unread: how many are unread now, only the service knows.
            if body["is_excluded"]?.bool == true {
                return [.channel(url: url, .changed(source: .eventReadStatusUpdated))]
            }
            return [.channel(url: url, .read(userID: user, at: time))]
        case "DLVR", "DLRV":
            var times: [String: Int64] = [:]
            for (user, time) in body["updated"]?.members ?? [] { times[user] = time.int }
            return times.isEmpty ? [.pong] : [.channel(url: url, .delivered(times))]
        case "SYEV": return systemEvent(body, url)
        // Polls, typing of old servers, pongs, and what is not known yet.
        default: return [.pong]
        }
    }

    /// A user's id, in either spelling.
    private func identifier(_ user: JSON) -> String? { user["user_id"]?.string ?? user["guest_id"]?.string }

    private func failed(_ command: String, _ body: JSON, _ requestID: String) -> [ServiceEvent] {
        let code = Int(clamping: body["code"]?.int ?? 800_000)
        let message = body["message"]?.string ?? "the service gave no reason"
        let failure = ServiceFailure(kind: SendbirdService.kind(400, code), code: code, message: message)
        if command == "LOGI" { return [.loginFailed(failure)] }
        if !requestID.isEmpty { return [.reply(requestID: requestID, .failure(failure))] }
        // Some services refuse a login with a plain error.
        if command == "EROR", !isLoggedIn { return [.loginFailed(failure)] }
        switch code {
        case 400_309: return [.sessionExpired]
        case 400_310, 400_302: return [.tokenRevoked]
        // The service closes the socket itself when it means to.
        default: return [.pong]
        }
    }

    private mutating func loggedIn(_ body: JSON, isRenewal: Bool) -> [ServiceEvent] {
        adopt(sessionKey: body["key"]?.string ?? body["new_key"]?.string ?? "")
        guard !isRenewal else { return [.pong] }
        guard let time = body["login_ts"]?.int else {
            // Change logs start at this time; without it none would be complete.
            return [.loginFailed(ServiceFailure(
                kind: .unavailable, code: 800_130, message: "the login has no time of the service"))]
        }
        func milliseconds(_ value: JSON?, _ usual: Double) -> Int64 {
            let seconds = value?.double ?? usual
            return seconds.isFinite ? Int64(min(max(seconds, 0), 86_400) * 1000) : Int64(usual * 1000)
        }
        isLoggedIn = true
        let reconnect = body["reconnect"]
        return [.loggedIn(LoginInfo(
            userID: body["user_id"]?.string ?? userID, loginTime: time,
            pingInterval: milliseconds(body["ping_interval"], 15), pongTimeout: milliseconds(body["pong_timeout"], 5),
            reconnectBase: milliseconds(reconnect?["interval"], 2),
            reconnectMax: milliseconds(reconnect?["max_interval"], 20),
            reconnectFactor: min(max(reconnect?["mul"]?.int ?? 2, 1), 10),
            reconnectLimit: min(max(reconnect?["retry_cnt"]?.int ?? -1, -1), 1_000_000)))]
    }

    private func memberCounts(_ body: JSON) -> [ServiceEvent] {
        (body["group_channels"]?.array ?? []).compactMap { entry in
            guard let url = entry["channel_url"]?.string, !url.isEmpty else { return nil }
            let members = ["member_count", "joined_member_count"].compactMap { key in
                entry[key].map { ChannelPatch(key: key, value: $0.serialized()) }
            }
            return .channel(url: url, .patched(source: .eventChannelMemberCountChanged, members: members))
        }
    }

    /// What concerns this user beyond one channel. Blocked users and friends are not part of what is cached.
    private func userEvent(_ body: JSON) -> [ServiceEvent] {
        guard body["cat"]?.int == 20100, let role = body["data"]?["my_role"] ?? body["my_role"],
            let url = body["data"]?["channel_url"]?.string ?? body["channel_url"]?.string, !url.isEmpty
        else { return [.pong] }
        let patch = ChannelPatch(key: "my_role", value: role.serialized())
        return [.channel(url: url, .patched(source: .eventOperatorUpdated, members: [patch]))]
    }

    /// The categories of channel events. What an event carries whole becomes a patch; whatever depends on more than the
    /// event says makes the channel be asked for again.
    private func systemEvent(_ body: JSON, _ url: String) -> [ServiceEvent] {
        let data = body["data"] ?? .object()
        /// Whom it is about: inline, as an object, or as a list of several.
        func concernsMe() -> Bool {
            let one = identifier(data) ?? data["user"].flatMap(identifier) ?? data["invitee"].flatMap(identifier)
            return one == userID || (data["users"]?.array ?? []).contains { identifier($0) == userID }
        }
        func event(_ event: ChannelEvent) -> [ServiceEvent] { [.channel(url: url, event)] }
        /// This user may be out of the channel, or somebody else.
        func left(_ source: EventSource) -> [ServiceEvent] {
            event(concernsMe() ? .removed(source: source) : .changed(source: source))
        }
        let category = body["cat"]?.int ?? 0
        switch category {
        case 10000: return event(.changed(source: .eventUserJoined))
        case 10001: return left(.eventUserLeft)
        case 10002: return event(.changed(source: .eventOperatorUpdated))
        case 10020: return event(.changed(source: .eventUserReceivedInvitation))
        case 10022: return left(.eventUserDeclinedInvitation)
        case 10102, 10103: return [.pong]
        case 10200: return event(.changed(source: .eventUserUnmuted))
        case 10201: return event(.changed(source: .eventUserMuted))
        case 10600: return event(.changed(source: .eventUserUnbanned))
        case 10601: return left(.eventUserBanned)
        case 10700, 10701:
            let isFrozen = category == 10701
            return event(.patched(
                source: isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen,
                members: [ChannelPatch(key: "freeze", value: JSON.bool(isFrozen).serialized())]))
        case 10900, 10901:
            let user = identifier(data) == nil ? data["user"] ?? data : data
            guard let id = identifier(user) else { return [.pong] }
            return event(.typing(
                userID: id, user: MessageCodec.user(user).serialized(), isTyping: category == 10900))
        case 11100: return event(.changed(source: .eventMetaDataUpdated))
        case 11200: return event(.changed(source: .eventMetaCounterUpdated))
        case 11300: return event(.changed(source: .eventPinnedMessageUpdated))
        case 12000: return event(.removed(source: .eventChannelDeleted))
        case 13000:
            return event(.hidden(
                allowAutoUnhide: data["allow_auto_unhide"]?.bool ?? true,
                hidePreviousMessages: data["hide_previous_messages"]?.bool ?? false,
                offset: body["ts_message_offset"]?.int ?? data["ts_message_offset"]?.int ?? 0))
        case 13001:
            return event(.patched(source: .eventChannelChanged, members: [
                ChannelPatch(key: "is_hidden", value: JSON.bool(false).serialized()),
                ChannelPatch(key: "hidden_state", value: JSON.string("unhidden").serialized()),
            ]))
        // 11000, and what is not known yet: asking again is right for any of them.
        default: return event(.changed(source: .eventChannelChanged))
        }
    }
}
