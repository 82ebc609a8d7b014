import SyncJSON
import SyncModel

/// What the service's fields and codes mean. Pure functions.
public struct SendbirdRules: ServiceRules {
    public init() {}

    // MARK: Channels

    /// Of replies, own silent messages and those that came late the application's settings say what they count for,
    /// which only the service knows.
    public func patches(
        for message: MessageRecord, in channel: ChannelRecord, userID: String
    ) -> [ChannelPatch]? {
        guard message.position.order >= channel.messageOffset else { return [] }
        let isOwn = message.senderID.isByteEqual(to: userID)
        if let last = channel.lastMessage, message.position <= last.position {
            // It may be counted already, or not.
            return isOwn || last.id.isByteEqual(to: message.id) ? [] : nil
        }
        if !message.parentID.isEmpty { return nil }
        let isMention = !isOwn && SendbirdRules.mentions(userID, in: message.json)
        if message.isSilent {
            let mayCount = isOwn || isMention || channel.isHidden
                || SendbirdRules.member("force_update_last_message", of: message.json) { $0.bool == true }
            return mayCount ? nil : []
        }
        var patches = [ChannelPatch(key: "last_message", value: message.json)]
        if !isOwn {
            let (count, overflow) = channel.unreadMessageCount.addingReportingOverflow(1)
            patches.append(ChannelPatch("unread_message_count", overflow ? Int64.max : count))
        }
        if isMention {
            let mentions = SendbirdRules.mentionCount(channel)
            patches.append(ChannelPatch("unread_mention_count", mentions < Int64.max ? mentions + 1 : mentions))
        }
        let staysHidden = channel.isHidden && SendbirdRules.member("hidden_state", of: channel.json) {
            $0.equals("hidden_prevent_auto_unhide")
        }
        if channel.isHidden, !staysHidden {
            patches += [ChannelPatch("is_hidden", false), ChannelPatch("hidden_state", "unhidden")]
        }
        return patches
    }

    private static func mentionCount(_ channel: ChannelRecord) -> Int64 {
        channel.json.withUnsafeBytes { JSONSlice.valid($0)["unread_mention_count"]?.int ?? 0 }
    }

    private static func mentions(_ userID: String, in json: [UInt8]) -> Bool {
        json.withUnsafeBytes { bytes in
            let message = JSONSlice.valid(bytes)
            if let type = message["mention_type"], type.equals("channel") { return true }
            var isFound = false
            message["mentioned_user_ids"]?.forEachElement {
                if $0.string?.isByteEqual(to: userID) == true { isFound = true }
            }
            return isFound
        }
    }

    public func patches(for event: ChannelEvent, in channel: ChannelRecord, userID: String) -> [ChannelPatch]? {
        switch event {
        case .changed: return nil
        case .removed, .typing: return []
        case .patched(_, let members): return members
        case .read(let reader, let time):
            let receipt = SendbirdRules.receipt("read_receipt", in: channel, [TextKey(reader): time])
            guard reader.isByteEqual(to: userID) else { return [receipt] }
            return [receipt] + SendbirdRules.nothingUnread + [ChannelPatch("user_last_read", time)]
        case .delivered(let times): return [SendbirdRules.receipt("delivery_receipt", in: channel, times)]
        case .hidden(let allowsAutoUnhide, let offset):
            let hidesHistory = offset > channel.messageOffset
            // Whether what is hidden is unread any longer the service knows.
            if !hidesHistory, channel.unreadMessageCount > 0 || SendbirdRules.mentionCount(channel) > 0 { return nil }
            var patches = [
                ChannelPatch("is_hidden", true),
                ChannelPatch(
                    "hidden_state", allowsAutoUnhide ? "hidden_allow_auto_unhide" : "hidden_prevent_auto_unhide"),
            ]
            guard hidesHistory else { return patches }
            patches.append(ChannelPatch("ts_message_offset", offset))
            // What is before it is not there for this user any more, and so neither the last message nor unread.
            if let last = channel.lastMessage, last.position.order < offset {
                patches += [ChannelPatch(key: "last_message", value: Array("null".utf8))] + SendbirdRules.nothingUnread
            }
            return patches
        }
    }

    public func patches(forLastMessage json: [UInt8], in channel: ChannelRecord) -> [ChannelPatch] {
        [ChannelPatch(key: "last_message", value: json)]
    }

    private static let nothingUnread = [
        ChannelPatch("unread_message_count", 0), ChannelPatch("unread_mention_count", 0),
    ]

    private static func member(_ key: StaticString, of json: [UInt8], _ test: (JSONSlice) -> Bool) -> Bool {
        json.withUnsafeBytes { bytes in JSONSlice.valid(bytes)[key].map(test) ?? false }
    }

    /// The receipts of a channel with these times in it; a receipt never goes back.
    private static func receipt(
        _ key: StaticString, in channel: ChannelRecord, _ times: [TextKey: Int64]
    ) -> ChannelPatch {
        let held = channel.json.withUnsafeBytes { bytes -> JSON? in
            guard let member = JSONSlice.valid(bytes)[key], member.isObject else { return nil }
            return try? JSON.parse(member.bytes)
        }
        let receipts = held ?? .object()
        for userID in times.keys.sorted() {
            receipts.set(userID.text, .int(max(times[userID] ?? 0, receipts[userID.text]?.int ?? 0)))
        }
        return ChannelPatch(key: key.description, value: receipts.serialized())
    }

    // MARK: Messages

    public func apply(_ patch: MessagePatch, to json: [UInt8]) -> [UInt8]? {
        switch patch {
        case .threadInfo(let info): JSONSlice.setting([("thread_info", info)], in: json)
        case .reaction(let reaction): SendbirdRules.apply(reaction, to: json)
        }
    }

    /// Adds or takes back a reaction.
    private static func apply(_ reaction: MessageReaction, to json: [UInt8]) -> [UInt8]? {
        guard let document = try? JSON.parse(json), document.kind == .object else { return nil }
        let kept = JSON.array()
        var found = false
        for entry in document["reactions"]?.array ?? [] {
            guard entry["key"]?.string?.isByteEqual(to: reaction.key) == true else {
                kept.append(entry)
                continue
            }
            found = true
            var users = (entry["user_ids"]?.array ?? []).compactMap(\.string)
            users.removeAll { $0.isByteEqual(to: reaction.userID) }
            if reaction.isAdded { users.append(reaction.userID) }
            if users.isEmpty { continue }
            entry.set("user_ids", .strings(users))
            entry.set("updated_at", .int(max(entry["updated_at"]?.int ?? 0, reaction.updatedAt)))
            kept.append(entry)
        }
        if !found, reaction.isAdded {
            kept.append(.object([
                "key": .string(reaction.key), "user_ids": .strings([reaction.userID]),
                "updated_at": .int(reaction.updatedAt),
            ]))
        }
        return JSONSlice.setting([("reactions", kept.serialized())], in: json)
    }

    public func json(_ message: [UInt8], without parts: Set<MessagePart>) -> [UInt8] {
        var names: Set<String> = []
        for part in parts {
            switch part {
            case .reactions: names.insert("reactions")
            case .threadInfo: names.insert("thread_info")
            case .metaArray: names.formUnion(["sorted_metaarray", "metaarray", "metaarray_key_order"])
            case .parentMessageInfo: names.insert("parent_message_info")
            // Which poll it is stays.
            case .pollDetails: break
            }
        }
        let rest = JSONSlice.removing(names, from: message) ?? message
        guard parts.contains(.pollDetails) else { return rest }
        let poll = rest.withUnsafeBytes { bytes -> Int64? in
            guard let poll = (try? JSONSlice.checked(bytes))?["poll"], poll.isObject else { return nil }
            return poll["id"]?.int ?? 0
        }
        return poll.flatMap { JSONSlice.setting([("poll", Array("{\"id\":\($0)}".utf8))], in: rest) } ?? rest
    }

    public func json(of message: OwnMessageContent, userID: String) -> [UInt8] {
        let document = (try? JSON.parse(message.body)).flatMap { $0.kind == .object ? $0 : nil } ?? .object()
        document.set("message_id", .int(0))
        document.set("request_id", .string(message.requestID))
        document.set("channel_url", .string(message.channelURL))
        if document["type"] == nil { document.set("type", "MESG") }
        document.set("created_at", .int(message.createdAt))
        if document["user"] == nil { document.set("user", .object(["user_id": .string(userID)])) }
        document.set("status", .string(message.failure == nil ? "pending" : "failed"))
        if let failure = message.failure {
            document.set("error_code", .int(Int64(failure.code)))
            document.set("retry_count", .int(Int64(failure.retryCount)))
        }
        return document.serialized()
    }

    // MARK: Failures

    public func isCurable(code: Int) -> Bool { FailureCodes.curable.contains(code) }

    public func failure(_ cause: LocalFailure) -> ServiceFailure {
        switch cause {
        case .notConnected:
            ServiceFailure(
                kind: .unreachable, code: FailureCodes.notConnected, message: "there is no connection")
        case .connectionClosed:
            ServiceFailure(
                kind: .unreachable, code: FailureCodes.connectionClosed, message: "the connection was closed")
        case .unexpectedReply: .malformed
        case .tooOld:
            ServiceFailure(
                kind: .refused, code: FailureCodes.notConnected, message: "the message waited too long to be sent")
        case .neverAnswered:
            ServiceFailure(
                kind: .unreachable, code: FailureCodes.notConnected, message: "the host did not tell how its send went")
        case .byHost(let code):
            ServiceFailure(kind: .refused, code: code, message: "the host could not send it")
        }
    }
}

extension ChannelPatch {
    fileprivate init(_ key: String, _ value: Int64) { self.init(key: key, value: Array(String(value).utf8)) }
    fileprivate init(_ key: String, _ value: Bool) {
        self.init(key: key, value: Array((value ? "true" : "false").utf8))
    }

    /// For words without characters that JSON escapes.
    fileprivate init(_ key: String, _ word: StaticString) {
        self.init(key: key, value: Array("\"\(word)\"".utf8))
    }
}
