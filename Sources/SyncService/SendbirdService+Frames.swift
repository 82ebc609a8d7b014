import SyncJSON
import SyncModel

extension SendbirdService {
    /// Reads a socket message: one or more commands, each four letters and a JSON object, one to a line. What cannot be
    /// read counts as a sign of life and nothing else.
    public mutating func decode(frame: [UInt8]) -> [ServiceEvent] {
        var events: [ServiceEvent] = []
        for line in frame.split(separator: 0x0A) where line.count >= 4 {
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
        let url = body["channel_url"]?.string ?? ""
        switch command {
        case "LOGI": return loggedIn(body)
        case "MESG", "FILE", "ADMM", "BRDM":
            guard let message = MessageCodec.record(socket: body, command: command) else { return [.pong] }
            if requestID.isEmpty { return [.messageReceived(channelURL: url, message: message)] }
            return [.reply(requestID: requestID, .message(message))]
        case "MEDI", "FEDI", "AEDI":
            guard let message = MessageCodec.record(socket: body, command: command) else { return [.pong] }
            return [.messageUpdated(channelURL: url, message: message)]
        case "DELM":
            guard let id = body["msg_id"]?.int ?? body["message_id"]?.int else { return [.pong] }
            return [.messageDeleted(channelURL: url, messageID: id)]
        case "MRCT":
            guard let id = body["msg_id"]?.int, let key = body["reaction"]?.string, let user = body["user_id"]?.string
            else { return [.pong] }
            return [.reaction(channelURL: url, MessageReaction(
                messageID: id, key: key, userID: user, isAdded: body["operation"]?.string == "ADD",
                updatedAt: body["updated_at"]?.int ?? 0))]
        case "MTHD":
            guard let id = body["parent_message_id"]?.int, let info = body["thread_info"] else { return [.pong] }
            return [.threadInfo(channelURL: url, messageID: id, json: info.serialized())]
        case "READ":
            guard let user = body["user"]?["user_id"]?.string ?? body["user"]?["guest_id"]?.string,
                let time = body["ts"]?.int
            else { return [.pong] }
            if body["is_excluded"]?.bool == true { return [.channel(url: url, .changed(source: .eventReadStatusUpdated))] }
            return [.channel(url: url, .read(userID: user, at: time))]
        case "DLVR", "DLRV":
            var times: [String: Int64] = [:]
            for (user, time) in body["updated"]?.members ?? [] { times[user] = time.int }
            return [.channel(url: url, .delivered(times))]
        case "MCNT": return memberCounts(body)
        case "SYEV": return systemEvent(body, url)
        case "EXPR":
            if (body["expires_in"]?.int ?? 0) < 0 || body["reason"]?.int == 400_310 { return [.tokenRevoked] }
            return [.sessionExpired]
        case "BUSY":
            let seconds = min(max(body["retry_after"]?.int ?? 0, 0), 86_400)
            return [.busy(retryAfter: seconds * 1000)]
        default: return [.pong]
        }
    }

    private func failed(_ command: String, _ body: JSON, _ requestID: String) -> [ServiceEvent] {
        let code = Int(clamping: body["code"]?.int ?? 800_000)
        let message = body["message"]?.string ?? "the service gave no reason"
        let failure = ServiceFailure(kind: SendbirdService.kind(400, code), code: code, message: message)
        if command == "LOGI" { return [.loginFailed(failure)] }
        if !requestID.isEmpty { return [.reply(requestID: requestID, .failure(failure))] }
        switch code {
        case 400_309: return [.sessionExpired]
        case 400_310, 400_302: return [.tokenRevoked]
        default: return [.pong]
        }
    }

    private mutating func loggedIn(_ body: JSON) -> [ServiceEvent] {
        adopt(sessionKey: body["key"]?.string ?? body["new_key"]?.string ?? "")
        guard let time = body["login_ts"]?.int else {
            // With a request id, or without a time, it only renews the session.
            return [.pong]
        }
        func milliseconds(_ value: JSON?, _ usual: Double) -> Int64 {
            let seconds = value?.double ?? usual
            return seconds.isFinite ? Int64(min(max(seconds, 0), 86_400) * 1000) : Int64(usual * 1000)
        }
        let reconnect = body["reconnect"]
        return [.loggedIn(LoginInfo(
            userID: body["user_id"]?.string ?? userID, loginTime: time,
            pingInterval: milliseconds(body["ping_interval"], 15), pongTimeout: milliseconds(body["pong_timeout"], 5),
            reconnectBase: milliseconds(reconnect?["interval"], 2), reconnectMax: milliseconds(reconnect?["max_interval"], 20),
            reconnectFactor: reconnect?["mul"]?.int ?? 2, reconnectLimit: reconnect?["retry_cnt"]?.int ?? -1))]
    }

    private func memberCounts(_ body: JSON) -> [ServiceEvent] {
        (body["group_channels"]?.array ?? []).compactMap { entry in
            guard let url = entry["channel_url"]?.string else { return nil }
            let members = ["member_count", "joined_member_count"].compactMap { key in
                entry[key].map { ChannelPatch(key: key, value: $0.serialized()) }
            }
            return .channel(url: url, .patched(source: .eventChannelMemberCountChanged, members: members))
        }
    }

    /// The categories of channel events.
    private func systemEvent(_ body: JSON, _ url: String) -> [ServiceEvent] {
        let data = body["data"] ?? .object()
        func concernsMe() -> Bool {
            let user = data["user_id"]?.string ?? data["guest_id"]?.string ?? data["user"]?["user_id"]?.string
                ?? data["invitee"]?["user_id"]?.string
            return user == userID
        }
        func event(_ event: ChannelEvent) -> [ServiceEvent] { [.channel(url: url, event)] }
        switch body["cat"]?.int ?? 0 {
        case 10000: return event(.changed(source: .eventUserJoined))
        case 10001: return event(concernsMe() ? .removed(source: .eventUserLeft) : .changed(source: .eventUserLeft))
        case 10002: return event(.changed(source: .eventOperatorUpdated))
        case 10020: return event(.changed(source: .eventUserReceivedInvitation))
        case 10022:
            return event(concernsMe()
                ? .removed(source: .eventUserDeclinedInvitation) : .changed(source: .eventUserDeclinedInvitation))
        case 10201: return event(.changed(source: .eventUserMuted))
        case 10200: return event(.changed(source: .eventUserUnmuted))
        case 10601: return event(concernsMe() ? .removed(source: .eventUserBanned) : .changed(source: .eventUserBanned))
        case 10600: return event(.changed(source: .eventUserUnbanned))
        case 10701, 10700:
            let isFrozen = body["cat"]?.int == 10701
            return event(.patched(
                source: isFrozen ? .eventChannelFrozen : .eventChannelUnfrozen,
                members: [ChannelPatch(key: "freeze", value: JSON.bool(isFrozen).serialized())]))
        case 10900, 10901:
            let user = data["user_id"]?.string ?? data["user"]?["user_id"]?.string ?? ""
            return event(.typing(userID: user, isTyping: body["cat"]?.int == 10900))
        case 11100: return event(.changed(source: .eventMetaDataUpdated))
        case 11200: return event(.changed(source: .eventMetaCounterUpdated))
        case 11300: return event(.changed(source: .eventPinnedMessageUpdated))
        case 12000: return event(.removed(source: .eventChannelDeleted))
        case 13000:
            return event(.hidden(
                allowAutoUnhide: data["allow_auto_unhide"]?.bool ?? true,
                hidePreviousMessages: data["hide_previous_messages"]?.bool ?? false,
                offset: body["ts_message_offset"]?.int ?? 0))
        default: return event(.changed(source: .eventChannelChanged))
        }
    }
}
