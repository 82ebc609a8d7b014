import Glibc
import SyncBytes
import SyncJSON
import SyncModel

/// Decodes socket messages. Does not trap on any bytes.
struct FrameDecoder {
    let userID: UserID

    /// Reads a socket message: one or more commands, each four letters and a JSON object, one to a line. A command that
    /// cannot be read only shows that the peer is there.
    func decode(_ frame: [UInt8]) -> [WireEvent] {
        var events: [WireEvent] = []
        frame.withUnsafeBytes { bytes in
            guard let base = bytes.baseAddress else { return }
            var start = 0
            while start < bytes.count {
                let feed = memchr(base + start, 0x0A, bytes.count - start)
                let end = feed.map { base.distance(to: UnsafeRawPointer($0)) } ?? bytes.count
                if end - start >= 4 {
                    decode(line: UnsafeRawBufferPointer(start: base + start, count: end - start), &events)
                }
                start = end + 1
            }
        }
        return events
    }

    private func decode(line: UnsafeRawBufferPointer, _ events: inout [WireEvent]) {
        let command = String(decoding: line.prefix(4), as: UTF8.self)
        let rest = UnsafeRawBufferPointer(rebasing: line.dropFirst(4))
        switch command {
        case "MESG", "FILE", "ADMM", "BRDM", "MEDI", "FEDI", "AEDI":
            let found = message(command, rest)
            if !found.isEmpty { return events += found }
        default: break
        }
        let body = rest.isEmpty ? JSON.object() : try? JSON.parse(LoneSurrogates.replaced(in: Array(rest)))
        guard let body, body.kind == .object else { return events.append(.alive) }
        events += decode(command, body)
        if let counts = body["unread_cnt"].flatMap(unreadCounts) { events.append(.event(.unreadCounts(counts))) }
    }

    /// The unread counts, which are in every command that may change them.
    private func unreadCounts(_ body: JSON) -> UnreadCounts? {
        guard let all = body["all"]?.int else { return nil }
        var types: [TextKey: Int64] = [:]
        for (type, count) in body["custom_types"]?.members ?? [] { types[type] = count.int }
        return UnreadCounts(all: all, byCustomType: types, time: body["ts"]?.int ?? 0)
    }

    // MARK: Messages

    /// Reads a message that was sent or edited, in one pass. Gives nothing when an error came in place of the message:
    /// `failed` reads that.
    private func message(_ command: String, _ bytes: UnsafeRawBufferPointer) -> [WireEvent] {
        guard let message = try? SocketMessage(bytes) else { return [.alive] }
        if message.hasLoneSurrogate {
            let repaired = LoneSurrogates.replaced(in: Array(bytes))
            return repaired.withUnsafeBytes { bytes in
                (try? SocketMessage(bytes)).map { self.events(command, $0) } ?? [.alive]
            }
        }
        return events(command, message)
    }

    private func events(_ command: String, _ message: SocketMessage) -> [WireEvent] {
        if message.isError { return [] }
        let counts = message.unreadCounts.flatMap(unreadCounts).map { WireEvent.event(.unreadCounts($0)) }
        return happened(command, message) + [counts].compactMap { $0 }
    }

    private func happened(_ command: String, _ message: SocketMessage) -> [WireEvent] {
        var message = message
        let isNew = command != "MEDI" && command != "FEDI" && command != "AEDI"
        let url = ChannelURL(message.channelURL)
        let requestID = message.requestID
        if isNew, !requestID.isEmpty {
            // A request id makes the message an acknowledgement; the request that waits for it knows the channel.
            guard let record = message.record(command: command) else { return [.alive] }
            return [.acknowledged(requestID: requestID, channelURL: url, record)]
        }
        message.forgetRequestID()
        // Open channels and feeds are not cached, and without a channel there is nothing to change.
        guard !url.isEmpty, !message.isOfOtherChannels, let record = message.record(command: command) else {
            return [.alive]
        }
        if isNew { return [.event(.messageReceived(channelURL: url, message: record))] }
        let edit = WireEvent.event(.messageUpdated(channelURL: url, message: record))
        return requestID.isEmpty ? [edit] : [edit, .answered(requestID: requestID, record.json)]
    }

    // MARK: Other commands

    private func decode(_ command: String, _ body: JSON) -> [WireEvent] {
        let requestID = RequestID(body["req_id"]?.string ?? "")
        if command == "EROR" || body["error"]?.bool == true {
            return [failed(command, body, requestID)]
        }
        switch command {
        case "LOGI": return [.loggedIn(loggedIn(body, isRenewal: !requestID.isEmpty))]
        case "MCNT": return memberCounts(body)
        case "USEV": return userEvent(body)
        case "EXPR":
            let isRevoked =
                (body["expires_in"]?.int ?? 0) < 0 || body["reason"]?.int == Int64(FailureCodes.tokenRevoked)
            return [isRevoked ? .tokenRevoked : .sessionExpired]
        case "BUSY":
            let seconds = min(max(body["retry_after"]?.double ?? 0, 0), 86_400)
            return [.busy(retryAfter: Int64(seconds * 1000))]
        default: break
        }
        // Open channels and feeds are not cached, and without a channel there is nothing to change.
        let type = body["channel_type"]?.string
        guard let url = body["channel_url"]?.string, !url.isEmpty, type != "open", type != "feed" else {
            return [.alive]
        }
        let events = decode(command, body, ChannelURL(url))
        // The command's own events come first: they have happened for everybody, before the request is done.
        return requestID.isEmpty ? events : events + [.answered(requestID: requestID, body.serialized())]
    }

    /// The commands about a channel and its messages.
    private func decode(_ command: String, _ body: JSON, _ url: ChannelURL) -> [WireEvent] {
        switch command {
        case "DELM":
            guard let id = body["msg_id"]?.int ?? body["message_id"]?.int else { return [.alive] }
            return [.event(.messageDeleted(channelURL: url, messageID: MessageID(number: id)))]
        case "MRCT":
            guard let id = body["msg_id"]?.int ?? body["message_id"]?.int, let key = body["reaction"]?.string,
                let user = identifier(body)
            else { return [.alive] }
            let reaction = MessageReaction(
                key: key, userID: user, isAdded: body["operation"]?.string == "ADD",
                updatedAt: body["updated_at"]?.int ?? 0)
            let patch = MessagePatch.reaction(reaction)
            return [.event(.messagePatched(channelURL: url, messageID: MessageID(number: id), patch: patch))]
        case "MTHD":
            guard let id = body["parent_message_id"]?.int, let info = body["thread_info"], info.kind == .object
            else { return [.alive] }
            let patch = MessagePatch.threadInfo(info.serialized())
            return [.event(.messagePatched(channelURL: url, messageID: MessageID(number: id), patch: patch))]
        case "PEDI", "VOTE":
            guard let (id, change) = command == "VOTE" ? PollReader.voted(body) : PollReader.changed(body["poll"])
            else { return [.alive] }
            return [.event(.messagePatched(channelURL: url, messageID: id, patch: .poll(change)))]
        case "READ":
            guard let user = body["user"].flatMap(identifier) ?? identifier(body), let time = body["ts"]?.int
            else { return [.alive] }
            // Only the service knows how many messages are unread now.
            if body["is_excluded"]?.bool == true {
                let cause = EventFacts.markedUnread(
                    body["user"].map(MessageCodec.user), user, readAt: time, isOwn: user == userID)
                return [.event(.channel(url: url, .changed(cause)))]
            }
            return [.event(.channel(url: url, .read(userID: user, at: time)))]
        case "DLVR", "DLRV":
            var times: [UserID: Int64] = [:]
            for (user, time) in body["updated"]?.members ?? [] { times[UserID(user)] = time.int }
            return times.isEmpty ? [.alive] : [.event(.channel(url: url, .delivered(times)))]
        case "SYEV": return systemEvent(body, url)
        // Typing of old servers, pongs, and unknown commands.
        default: return [.alive]
        }
    }

    /// A user's id, in either spelling.
    func identifier(_ user: JSON) -> UserID? {
        (user["user_id"]?.string ?? user["guest_id"]?.string).map { UserID($0) }
    }

    private func failed(_ command: String, _ body: JSON, _ requestID: RequestID) -> WireEvent {
        let code = Int(clamping: body["code"]?.int ?? Int64(FailureCodes.unknown))
        let failure = ServiceFailure(
            kind: FailureCodes.kind(400, code), code: code,
            message: body["message"]?.string ?? "the service gave no reason")
        if command == "LOGI" { return .loginRefused(failure) }
        return requestID.isEmpty ? .failed(failure) : .refused(requestID: requestID, failure)
    }

    private func loggedIn(_ body: JSON, isRenewal: Bool) -> LoginAnswer {
        func milliseconds(_ value: JSON?, _ usual: Double) -> Int64 {
            let seconds = value?.double ?? usual
            return seconds.isFinite ? Int64(min(max(seconds, 0), 86_400) * 1000) : Int64(usual * 1000)
        }
        let reconnect = body["reconnect"]
        let info = body["login_ts"]?.int.map { time in
            SessionInfo(
                userID: body["user_id"]?.string.map { UserID($0) } ?? userID, loginTime: time,
                reconnect: ReconnectPolicy(
                    base: milliseconds(reconnect?["interval"], 2), limit: milliseconds(reconnect?["max_interval"], 20),
                    factor: min(max(reconnect?["mul"]?.int ?? 2, 1), 10),
                    attempts: min(max(reconnect?["retry_cnt"]?.int ?? -1, -1), 1_000_000)),
                counting: CountingPolicy(
                    unread: replies(body["unread_cnt_threading_policy"]),
                    lastMessage: replies(body["last_msg_threading_policy"])),
                wantsDeliveriesOfSuperChannels: body["disable_supergroup_mack"]?.bool != true,
                hasNewRetention: body["config_sync_needed"]?.bool == true, details: details(body),
                fileLimit: megabytes(body["file_upload_size_limit"]?.int))
        }
        return LoginAnswer(
            sessionKey: body["key"]?.string ?? body["new_key"]?.string ?? "", fileKey: body["ekey"]?.string ?? "",
            isRenewal: isRenewal, info: info,
            pingInterval: milliseconds(body["ping_interval"], 15), pongTimeout: milliseconds(body["pong_timeout"], 5))
    }

    /// What hosts may want to know of the service, without secrets.
    private func details(_ body: JSON) -> [UInt8] {
        let details = JSON.object()
        for key in [
            "file_upload_size_limit", "multiple_file_send_max_size", "premium_feature_list", "application_attributes",
            "use_reaction", "emoji_hash",
        ] { if let value = body[key] { details.set(key, value) } }
        return details.serialized()
    }

    private func megabytes(_ count: Int64?) -> Int64? {
        guard let count, count > 0 else { return nil }
        return min(count, 1 << 40) << 20
    }

    /// `nil` for an application that never chose a policy (0): no documentation says what counts then, so the service
    /// is asked.
    private func replies(_ policy: JSON?) -> CountingPolicy.Replies? {
        switch policy?.int {
        case 1: .included
        case 2: .excluded
        case 3: .onlyInChannel
        default: nil
        }
    }

    private func memberCounts(_ body: JSON) -> [WireEvent] {
        (body["group_channels"]?.array ?? []).compactMap { entry in
            guard let url = entry["channel_url"]?.string, !url.isEmpty else { return nil }
            let members = ["member_count", "joined_member_count"].compactMap { key in
                entry[key].map { ChannelPatch(key: key, value: $0.serialized()) }
            }
            let cause = EventFacts.memberCounts(entry)
            return .event(.channel(url: ChannelURL(url), .patched(cause, members: members)))
        }
    }

    /// What concerns this user beyond one channel. Blocked users and friends are not part of what is cached.
    private func userEvent(_ body: JSON) -> [WireEvent] {
        guard body["cat"]?.int == 20100, let role = body["data"]?["my_role"] ?? body["my_role"],
            let url = body["data"]?["channel_url"]?.string ?? body["channel_url"]?.string, !url.isEmpty
        else { return [.alive] }
        let patch = ChannelPatch(key: "my_role", value: role.serialized())
        let cause = EventFacts.cause(.eventOperatorUpdated, ["my_role": EventFacts.text(role)])
        return [.event(.channel(url: ChannelURL(url), .patched(cause, members: [patch])))]
    }
}
