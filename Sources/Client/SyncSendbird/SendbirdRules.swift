import SyncBytes
import SyncJSON
import SyncModel

/// What the service's fields and codes mean. Pure functions.
public struct SendbirdRules: ServiceRules {
    public init() {}

    // MARK: Channels

    public func patches(for event: ChannelEvent, in channel: ChannelRecord, userID: UserID) -> [ChannelPatch]? {
        switch event {
        case .changed, .entered: return nil
        case .removed, .typing: return []
        case .patched(_, let members): return members
        case .read(let reader, let time):
            // A member who has read a message has received it, too.
            let receipts = [
                SendbirdRules.receipt("read_receipt", in: channel, [reader: time]),
                SendbirdRules.receipt("delivery_receipt", in: channel, [reader: time]),
            ]
            guard reader == userID else { return receipts }
            // The channel as it is known may be of after this reading, and count what came since then.
            if time <= SendbirdRules.count("user_last_read", channel) { return hasUnread(channel) ? nil : receipts }
            return receipts + SendbirdRules.nothingUnread + [ChannelPatch("user_last_read", time)]
        case .delivered(let times): return [SendbirdRules.receipt("delivery_receipt", in: channel, times)]
        case .hidden(let allowsAutoUnhide, let offset):
            let hidesHistory = offset > channel.messageOffset
            // Only the service knows whether messages of a hidden channel still count as unread.
            if !hidesHistory, hasUnread(channel) { return nil }
            var patches = [
                ChannelPatch("is_hidden", true),
                ChannelPatch(
                    "hidden_state", allowsAutoUnhide ? "hidden_allow_auto_unhide" : "hidden_prevent_auto_unhide"),
            ]
            guard hidesHistory else { return patches }
            // Messages before the offset are gone for this user, and count as read.
            patches += [
                ChannelPatch("ts_message_offset", offset),
                ChannelPatch("user_last_read", max(offset, SendbirdRules.count("user_last_read", channel))),
            ]
            // A user who is only invited has no receipt.
            if channel.traits.memberState == "joined" {
                patches.append(SendbirdRules.receipt("read_receipt", in: channel, [userID: offset]))
            }
            if let last = channel.lastMessage, last.position.order < offset {
                patches += [ChannelPatch(key: "last_message", value: Array("null".utf8))] + SendbirdRules.nothingUnread
            }
            return patches
        }
    }

    public func patches(forPurgeUpTo end: Int64, in channel: ChannelRecord) -> [ChannelPatch] {
        guard end > 0, end < Int64.max, end + 1 > channel.messageOffset else { return [] }
        let patches = [ChannelPatch("message_purge_offset", end)]
        guard let last = channel.lastMessage, last.position.order <= end else { return patches }
        return patches + [ChannelPatch(key: "last_message", value: Array("null".utf8))] + SendbirdRules.nothingUnread
    }

    public func patches(forLastMessage json: [UInt8], in channel: ChannelRecord) -> [ChannelPatch] {
        [ChannelPatch(key: "last_message", value: json)]
    }

    private static let nothingUnread = [
        ChannelPatch("unread_message_count", 0), ChannelPatch("unread_mention_count", 0),
    ]

    static func member(_ key: StaticString, of json: [UInt8], _ test: (JSONSlice) -> Bool) -> Bool {
        json.withUnsafeBytes { bytes in JSONSlice.valid(bytes)[key].map(test) ?? false }
    }

    /// The receipts of a channel with these times in it; a receipt never goes back.
    private static func receipt(
        _ key: StaticString, in channel: ChannelRecord, _ times: [UserID: Int64]
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

    public func facts(of event: ServiceEvent, userID: UserID) -> [EventFact] { EventFacts.of(event, userID: userID) }

    // MARK: Messages

    public func apply(_ patch: MessagePatch, to json: [UInt8]) -> [UInt8]? {
        switch patch {
        case .threadInfo(let info): JSONSlice.setting([("thread_info", info)], in: json)
        case .reaction(let reaction): SendbirdRules.apply(reaction, to: json)
        case .poll(let change): SendbirdRules.apply(change, to: json)
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
            users.removeAll { $0.isByteEqual(to: reaction.userID.text) }
            if reaction.isAdded { users.append(reaction.userID.text) }
            if users.isEmpty { continue }
            entry.set("user_ids", .strings(users))
            entry.set("updated_at", .int(max(entry["updated_at"]?.int ?? 0, reaction.updatedAt)))
            kept.append(entry)
        }
        if !found, reaction.isAdded {
            kept.append(.object([
                "key": .string(reaction.key), "user_ids": .strings([reaction.userID.text]),
                "updated_at": .int(reaction.updatedAt),
            ]))
        }
        return JSONSlice.setting([("reactions", kept.serialized())], in: json)
    }

    public func json(of message: OwnMessageContent, userID: UserID) -> [UInt8] {
        OwnMessageDocument.json(
            of: message, userID: userID, canceled: FailureCodes.canceled, FailureCodes.resendable.contains)
    }

    public func isSendable(_ message: OwnMessageContent) -> Bool {
        guard let document = try? JSON.parse(message.body), document.kind == .object else { return false }
        let type = document["type"]?.string ?? "MESG"
        return OwnMessageDocument.isFile(document) ? document["url"]?.string?.isEmpty == false : type == "MESG"
    }

    public func isClosedToSends(_ channel: ChannelRecord) -> Bool {
        // A user who is no member is not told when the channel is unfrozen, so messages of such a user are not held
        // back: the service refuses them.
        channel.isFrozen && channel.traits.memberState != "none"
            && !SendbirdRules.member("my_role", of: channel.json) { $0.equals("operator") }
    }

    public func record(of message: OwnMessageContent, userID: UserID) -> MessageRecord {
        OwnMessageDocument.record(of: message, userID: userID, json(of: message, userID: userID))
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
        case .notOffered: .unsupported
        case .tooOften:
            ServiceFailure(
                kind: .refused, code: FailureCodes.tooOften, message: "everything was marked as read a moment ago")
        case .tooOld:
            ServiceFailure(
                kind: .refused, code: FailureCodes.notConnected, message: "the message waited too long to be sent")
        case .neverAnswered:
            ServiceFailure(
                kind: .unreachable, code: FailureCodes.notConnected, message: "the host did not tell how its send went")
        case .file(let problem, let path): .file(problem, path: path)
        case .fileTooLarge(let path, let limit): .fileTooLarge(path, limit: limit)
        case .byHost(let code):
            ServiceFailure(kind: .refused, code: code, message: "the host could not send it")
        }
    }
}

extension ChannelPatch {
    init(_ key: String, _ value: Int64) { self.init(key: key, value: Array(String(value).utf8)) }
    init(_ key: String, _ value: Bool) {
        self.init(key: key, value: Array((value ? "true" : "false").utf8))
    }

    /// For words without characters that JSON escapes.
    init(_ key: String, _ word: StaticString) {
        self.init(key: key, value: Array("\"\(word)\"".utf8))
    }
}
